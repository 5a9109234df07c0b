(** All heads of the chain at once: the joint matrix M for every K (eq-M, prop-5, prop-6).

    A stack of heads 0..K is built head by head, stack(K+1) = [stack(K); θᴷ⁺¹], and M the same way:

        M(0) = A_μ,    M(K+1) = [ M(K)                0 ]
                                [ 0 … 0 −γY(last)     X ]

    which is the paper's block-bidiagonal matrix. Over any commutative ring

        (M θ)⁰ = A_μθ⁰,   (M θ)ᵏ = Xθᵏ − γYθᵏ⁻¹,   det(λ − M) = det(λ − A_μ) det(λ − X)ᴷ.            *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Joint.

Variables (R : comRingType) (F : nat).

(** The dimension of K+1 heads. *)
Fixpoint heads K := if K is K'.+1 then (heads K' + F)%N else F.

Lemma headsE K : heads K = (K.+1 * F)%N.
Proof. by elim: K => [|K IH] /=; rewrite ?mul1n // IH [(K.+2 * F)%N]mulSn addnC. Qed.

Fixpoint stack m (theta : nat -> 'M[R]_(F, m)) K : 'M[R]_(heads K, m) :=
  if K is K'.+1 then col_mx (stack theta K') (theta K'.+1) else theta 0%N.

(** The head k of a stack. *)
Fixpoint head m K : 'M[R]_(heads K, m) -> nat -> 'M[R]_(F, m) :=
  if K is K'.+1 then fun x k => if k == K'.+1 then dsubmx x else head (usubmx x) k else fun x _ => x.

Lemma head_stack m (theta : nat -> 'M[R]_(F, m)) K k : (k <= K)%N -> head (stack theta K) k = theta k.
Proof.
elim: K => [|K IH] /=; first by rewrite leqn0 => /eqP ->.
by case: eqP => [-> _|/eqP kK kK1]; rewrite ?col_mxKd // col_mxKu IH // -ltnS ltn_neqAle kK.
Qed.

Lemma eq_stack m (f g : nat -> 'M[R]_(F, m)) K : (forall k, (k <= K)%N -> f k = g k) -> stack f K = stack g K.
Proof.
elim: K => [|K IH] fg /=; first exact: fg.
by rewrite fg // IH // => k kK; apply: fg; apply: leqW.
Qed.

Lemma stack_head m K (x : 'M[R]_(heads K, m)) : stack (head x) K = x.
Proof.
elim: K x => [|K IH] //= x; rewrite eqxx -[RHS](@vsubmxK _ (heads K) F); congr col_mx.
by rewrite -[RHS]IH; apply: eq_stack => k kK; rewrite ltn_eqF.
Qed.

Lemma stack_inj m (f g : nat -> 'M[R]_(F, m)) K : stack f K = stack g K -> forall k, (k <= K)%N -> f k = g k.
Proof. by move=> e k kK; rewrite -(head_stack f kK) e head_stack. Qed.

(** Picks the last head. *)
Definition last K : 'M[R]_(F, heads K) := if K is K'.+1 then row_mx 0 1%:M else 1%:M.

Lemma last_stack m (theta : nat -> 'M[R]_(F, m)) K : last K *m stack theta K = theta K.
Proof. by case: K => [|K] /=; rewrite ?mul1mx // mul_row_col mul0mx mul1mx add0r. Qed.

Variables (A_mu X Y : 'M[R]_F) (gamma : R).

Fixpoint joint K : 'M[R]_(heads K) :=
  if K is K'.+1 then block_mx (joint K') 0 (- (gamma *: Y) *m last K') X else A_mu.

(** What M does to the heads. *)
Definition joint_rows m (theta : nat -> 'M[R]_(F, m)) k :=
  if k is k'.+1 then X *m theta k - gamma *: Y *m theta k' else A_mu *m theta 0%N.

Lemma joint_stack m (theta : nat -> 'M[R]_(F, m)) K : joint K *m stack theta K = stack (joint_rows theta) K.
Proof.
elim: K => [|K IH] //=; rewrite mul_block_col mul0mx addr0 IH; congr col_mx.
by rewrite -mulmxA last_stack mulNmx addrC.
Qed.

Theorem char_poly_joint K : char_poly (joint K) = char_poly A_mu * char_poly X ^+ K.
Proof.
elim: K => [|K IH] /=; first by rewrite expr0 mulr1.
by rewrite char_poly_lblock IH -mulrA exprSr.
Qed.

Theorem det_joint K : \det (joint K) = \det A_mu * \det X ^+ K.
Proof.
by elim: K => [|K IH] /=; rewrite ?expr0 ?mulr1 // det_lblock IH -mulrA exprSr.
Qed.

End Joint.

Arguments joint {R F}.
Arguments joint_rows {R F} A_mu X Y gamma {m}.

Section Solution.

Variables (R : comUnitRingType) (F : nat) (A_mu X Y : 'M[R]_F) (gamma : R).

Lemma joint_unit K : A_mu \in unitmx -> X \in unitmx -> joint A_mu X Y gamma K \in unitmx.
Proof. by move=> uA uX; rewrite unitmxE det_joint unitrM -unitmxE uA; apply: unitrX; rewrite -unitmxE. Qed.

(** The chain of fixed points: θ⁰ = A_μ⁻¹b_μ, θᵏ⁺¹ = X⁻¹(γYθᵏ + b). *)
Fixpoint chain m (theta0 b : 'M[R]_(F, m)) k :=
  if k is k'.+1 then invmx X *m (gamma *: Y *m chain theta0 b k' + b) else theta0.

Theorem joint_fixed_point m (b_mu b : 'M[R]_(F, m)) K : A_mu \in unitmx -> X \in unitmx ->
  forall x, joint A_mu X Y gamma K *m x = stack (fun k => if k is 0 then b_mu else b) K <->
            x = stack (chain (invmx A_mu *m b_mu) b) K.
Proof.
move=> uA uX x; set s := stack (chain _ _) K.
have fix_s : joint A_mu X Y gamma K *m s = stack (fun k => if k is 0 then b_mu else b) K.
  rewrite joint_stack; apply: eq_stack => - [|k] _ /=; rewrite ?mulKVmx //.
  by rewrite addrAC subrr add0r.
split=> [e|-> //]; have uM := joint_unit K uA uX.
by rewrite -[x](mulKmx uM) e -fix_s mulKmx.
Qed.

End Solution.
