(** In-place sweeps, n-step chains and the light cone (alg-1, n-step, extra-light-cone).

    - Moving the loop over heads inward updates head k with the head k−1 just updated (Gauss–Seidel). On errors
      this is J, block triangular with the blocks 1 − αA_μ, 1 − αX of the simultaneous update (Jacobi): the same
      spectrum, and the same fixed points.
    - An n-step estimator has X_n = X, Y_n = ΦᵀDPⁿΦ, b_n = ΦᵀDr_n, r_n = Σ_{j<n} γʲPʲr: a chain with Pⁿ, γⁿ, r_n.
    - With equal starts head k of the simultaneous update is off-policy TD's iterate as long as t ≤ k.        *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From theory Require Import Powers Limits Spectra Definite Richardson OnPolicy Joint Chain Convergence.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sweeps.

Variables (R : comUnitRingType) (F : nat) (A_mu X Y : 'M[R]_F) (gamma alpha : R) (b_mu b : 'cV[R]_F).

(** One sweep in place: every head sees the new value of the one before. *)
Fixpoint sweep (theta : nat -> 'cV[R]_F) k :=
  if k is k'.+1 then theta k + alpha *: (b + gamma *: Y *m sweep theta k' - X *m theta k)
  else theta 0%N + alpha *: (b_mu - A_mu *m theta 0%N).

(** What a sweep does to errors. *)
Fixpoint J K : 'M[R]_(heads F K) :=
  if K is K'.+1 then block_mx (J K') 0 ((alpha * gamma) *: (Y *m last R F K' *m J K')) (1%:M - alpha *: X)
  else 1%:M - alpha *: A_mu.

Lemma J_stack (e : nat -> 'cV[R]_F) K : J K *m stack e K = stack (fun k =>
   (fix errors k := if k is k'.+1 then (1%:M - alpha *: X) *m e k + (alpha * gamma) *: (Y *m errors k')
                    else (1%:M - alpha *: A_mu) *m e 0%N) k) K.
Proof.
elim: K => [|K IH] //=; rewrite mul_block_col mul0mx addr0 IH; congr col_mx.
by rewrite addrC -scalemxAl -!mulmxA IH last_stack.
Qed.

Lemma char_poly_J K : char_poly (J K) = char_poly (1%:M - alpha *: A_mu) * char_poly (1%:M - alpha *: X) ^+ K.
Proof. by elim: K => [|K IH] /=; rewrite ?expr0 ?mulr1 // char_poly_lblock IH -mulrA exprSr. Qed.

Lemma char_poly_jacobi K : char_poly (1%:M - alpha *: joint A_mu X Y gamma K) =
  char_poly (1%:M - alpha *: A_mu) * char_poly (1%:M - alpha *: X) ^+ K.
Proof.
elim: K => [|K IH] /=; first by rewrite expr0 mulr1.
rewrite (scalar_mx_block (heads F K) F) scale_block_mx opp_block_mx add_block_mx scaler0 subr0.
by rewrite char_poly_lblock IH -mulrA exprSr.
Qed.

Lemma entry_error (x y c c' u w a : R) :
  x + a * (c - u) - (y + a * (c' - w)) = x - y - a * (u - w) + a * (c - c').
Proof. by ring. Qed.

Lemma update_error (M : 'M[R]_F) (x y c c' : 'cV[R]_F) :
  x + alpha *: (c - M *m x) - (y + alpha *: (c' - M *m y)) = (1%:M - alpha *: M) *m (x - y) + alpha *: (c - c').
Proof.
rewrite mulmxBl mul1mx -scalemxAl mulmxBr; move: (M *m x) (M *m y) => u w.
by apply/matrixP => i j; rewrite !mxE; apply: entry_error.
Qed.

(** alg-1: errors of a sweep are multiplied by J, the spectrum is that of 1 − αM, and the fixed points are the same. *)
Theorem alg_1 K :
  [/\ forall theta fixed : nat -> 'cV[R]_F, (forall k, sweep fixed k = fixed k) ->
        stack (fun k => sweep theta k - fixed k) K = J K *m stack (fun k => theta k - fixed k) K,
      char_poly (J K) = char_poly (1%:M - alpha *: joint A_mu X Y gamma K) &
      forall fixed : nat -> 'cV[R]_F,
        (forall k, sweep fixed k = fixed k) <->
        (forall k, concurrent A_mu X Y gamma alpha b_mu b fixed k = fixed k)].
Proof.
split=> [theta fixed fx||fixed]; last 1 first.
- split=> fx [|k] //=; first exact: (fx 0%N).
  - by have := fx k.+1; rewrite /= (fx k).
  - exact: (fx 0%N).
  suff -> : sweep fixed k = fixed k by exact: (fx k.+1).
  elim: k => [|k IH]; first exact: (fx 0%N).
  by rewrite /= IH; apply: (fx k.+1).
- rewrite J_stack; apply: eq_stack => k _; elim: k => [|k IH] /=.
    by rewrite -{1}(fx 0%N) /= update_error subrr scaler0 addr0.
  rewrite -{1}(fx k.+1) /= update_error; congr (_ + _).
  rewrite (fx k) opprD addrACA subrr add0r -mulmxBr -scalemxAl scalerA; congr (_ *: (_ *m _)).
  exact: IH.
by rewrite char_poly_J char_poly_jacobi.
Qed.

End Sweeps.

Section LightCone.

Variables (R : comUnitRingType) (F : nat) (A_mu X Y : 'M[R]_F) (gamma alpha : R) (b_mu b : 'cV[R]_F).

(** Simultaneous updates from equal starts, t times. *)
Definition simultaneous (start : 'cV[R]_F) t :=
  iter t (concurrent A_mu X Y gamma alpha b_mu b) (fun=> start).

Definition td (start : 'cV[R]_F) t := richardson (X - gamma *: Y) b alpha start t.

Lemma cone_entry (x c u w v a g : R) :
  x + a * (c + g * v - u) - (x + a * (c - (u - g * w))) = a * g * (v - w).
Proof. by ring. Qed.

Lemma concurrent_td (theta : nat -> 'cV[R]_F) (x : 'cV[R]_F) k : theta k.+1 = x ->
  concurrent A_mu X Y gamma alpha b_mu b theta k.+1 - (x + alpha *: (b - (X - gamma *: Y) *m x)) =
  (alpha * gamma) *: (Y *m (theta k - x)).
Proof.
move=> e; rewrite /= e mulmxBl -!scalemxAl mulmxBr.
move: (X *m x) (Y *m x) (Y *m theta k) => u w v.
by apply/matrixP => i j; rewrite !mxE; apply: cone_entry.
Qed.

(** extra-light-cone: head k is TD's iterate for t ≤ k; at t = k + 1 they differ by (αγY)ᵏ(θ⁰_1 − θ_1). *)
Theorem extra_light_cone (start : 'cV[R]_F) k :
  (forall t, (t <= k)%N -> simultaneous start t k = td start t) /\
  simultaneous start k.+1 k - td start k.+1 =
    ((alpha * gamma) *: Y) ^^ k *m (simultaneous start 1 0 - td start 1).
Proof.
have cone t : forall k, (t <= k)%N -> simultaneous start t k = td start t.
  elim: t => [|t IH] [|j] // tj; apply/eqP; rewrite -subr_eq0; apply/eqP.
  rewrite /simultaneous iterS -/(simultaneous start t) /td -/(td start).
  by rewrite [richardson _ _ _ _ _]/= concurrent_td ?IH ?subrr ?mulmx0 ?scaler0 // ltnW.
split=> [t|]; first exact: cone.
elim: k => [|k IH]; first by rewrite mul1mx.
rewrite mpowS -mulmxA -IH /simultaneous iterS -/(simultaneous start k.+1).
rewrite -[td start k.+2]/(td start k.+1 + alpha *: (b - (X - gamma *: Y) *m td start k.+1)).
by rewrite concurrent_td; [rewrite scalemxAl | apply: cone].
Qed.

End LightCone.

Section NStep.

Variables (R : comUnitRingType) (S F : nat).
Variables (Phi : 'M[R]_(S, F)) (D P : 'M[R]_S) (r : 'cV[R]_S) (gamma : R).

(** r_n = Σ_{j<n} γʲPʲr. *)
Definition r_n n := gsum (gamma *: P) n *m r.

(** The value of following the target policy for m steps and then having v. *)
Fixpoint expedition (v : 'cV[R]_S) m := if m is m'.+1 then r + gamma *: (P *m expedition v m') else v.

Lemma expedition_add v n m : expedition v (n + m) = r_n n + gamma ^+ n *: (P ^^ n *m expedition v m).
Proof.
elim: n => [|n IH]; first by rewrite /r_n gsum0 mul0mx add0r scale1r mul1mx.
rewrite addSn [expedition _ _]/= IH /r_n gsumSl mulmxDl mul1mx -!addrA; congr (_ + _).
rewrite mulmxDr scalerDr; congr (_ + _); first by rewrite -!scalemxAl -mulmxA.
by rewrite -scalemxAr scalerA -exprS mulmxA.
Qed.

(** n-step: vᵏ⁺¹ = Π(r_n + γⁿPⁿvᵏ), which is the nk-step expedition where Π = 1. *)
Theorem n_step n (theta0 : 'cV[R]_F) : X Phi D \in unitmx ->
  let theta_n := theta Phi D (P ^^ n) (r_n n) (gamma ^+ n) theta0 in
  (forall k, Phi *m theta_n k.+1 = Pi Phi D *m (r_n n + gamma ^+ n *: (P ^^ n *m (Phi *m theta_n k)))) /\
  (Pi Phi D = 1%:M -> forall k, Phi *m theta_n k = expedition (Phi *m theta0) (k * n)).
Proof.
move=> uX theta_n; have step k := value_recursion Phi D (P ^^ n) (r_n n) (gamma ^+ n) theta0 k.
split=> // one; elim=> [|k IH] //.
by rewrite step one mul1mx IH mulSn expedition_add.
Qed.

End NStep.
