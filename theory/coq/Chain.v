(** The chain of fixed points, its closed form and its bias, in the paper's letters.

    X = ΦᵀDΦ, Y = ΦᵀDPΦ, A = X − γY, b = ΦᵀDr, B = γX⁻¹Y, Π = ΦX⁻¹ΦᵀD, C = γX⁻¹ΦᵀDP, over any commutative
    ring and for all dimensions; θᵏ⁺¹ = X⁻¹(γYθᵏ + b). The identities behind eq-closed-form, eq-geometric, prop-2 and
    eq-zp are the generated ones of Identities.v, with X⁻¹ for Xi.                                             *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Richardson Joint.
From theory Require Identities.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Chain.

Variables (R : comUnitRingType) (S F : nat).
Variables (Phi : 'M[R]_(S, F)) (D P : 'M[R]_S) (r : 'cV[R]_S) (gamma : R).

Definition X := Phi^T *m D *m Phi.
Definition Y := Phi^T *m D *m P *m Phi.
Definition A := X - gamma *: Y.
Definition b := Phi^T *m D *m r.
Definition B := gamma *: (invmx X *m Y).
Definition Pi := Phi *m invmx X *m Phi^T *m D.
Definition Cc := gamma *: (invmx X *m Phi^T *m D *m P).

(** θᵏ* from θ⁰. *)
Definition theta (theta0 : 'cV[R]_F) k := chain X Y gamma theta0 b k.

(** The sequences of the certificates are those of the paper. *)
Lemma theta_generated theta0 k :
  Identities.prop_2_bias.theta_k gamma Phi D P r theta0 (invmx X) k = theta theta0 k.
Proof. by elim: k => [|k IH] //=; rewrite IH /theta /= -scalemxAl. Qed.

Lemma B_generated k : Identities.prop_2_bias.B_k gamma Phi D P (invmx X) k = B ^^ k.
Proof. by elim: k => [|k IH] //=; rewrite IH. Qed.

Lemma gsum_generated k : Identities.eq_geometric_geometric.W_k gamma Phi D P (invmx X) k = gsum B k.
Proof. by elim: k => [|k IH]; rewrite ?gsum0 // gsumS -IH -B_generated. Qed.

Lemma Z_generated k : Identities.eq_zp_zp.Z_k gamma Phi D P (invmx X) k = (gamma *: (Pi *m P)) ^^ k.
Proof. by elim: k => [|k IH] //=; rewrite IH -scalemxAl. Qed.

Lemma A_def : A = Phi^T *m D *m (1%:M - gamma *: P) *m Phi.
Proof. by rewrite mulmxBr mulmx1 -scalemxAr mulmxBl -scalemxAl. Qed.

Hypothesis uX : X \in unitmx.

Lemma XA : invmx X *m A = 1%:M - B.
Proof. by rewrite /A mulmxBr mulVmx // -scalemxAr. Qed.

Theorem eq_closed_form theta0 k : theta theta0 k = gsum B k *m invmx X *m b + B ^^ k *m theta0.
Proof.
by have := Identities.eq_closed_form_closed_form.eq_closed_form_closed_form gamma Phi D P r theta0 (invmx X) k;
  rewrite -gsum_generated -B_generated -theta_generated.
Qed.

Theorem eq_geometric k : gsum B k *m invmx X *m A = 1%:M - B ^^ k /\
  (A \in unitmx -> gsum B k *m invmx X = invmx A - B ^^ k *m invmx A).
Proof.
have e : gsum B k *m invmx X *m A = 1%:M - B ^^ k.
  by rewrite -gsum_generated -B_generated; apply: Identities.eq_geometric_geometric.eq_geometric_geometric (mulVmx uX) k.
split=> // uA; rewrite -[LHS](mulmxK uA) e mulmxBl mul1mx.
by [].
Qed.

(** prop-2, with the assumption that the paper does not state: Aθ_π = b has a solution. *)
Lemma bias theta0 theta_pi k : A *m theta_pi = b -> theta theta0 k - theta_pi = B ^^ k *m (theta0 - theta_pi).
Proof.
move=> Ab; rewrite -theta_generated -B_generated.
exact: Identities.prop_2_bias.prop_2_bias (mulVmx uX) Ab k.
Qed.

Theorem prop_2 theta0 theta_pi k : A *m theta_pi = b ->
  theta theta0 k - theta_pi = gamma ^+ k *: ((invmx X *m Y) ^^ k *m (theta0 - theta_pi)).
Proof.
move=> Ab; rewrite -theta_generated.
have -> : gamma ^+ k = Identities.prop_2_bias_gamma.gamma_k gamma k.
  by elim: (k) => [|j IH] //=; rewrite exprS IH.
have -> : (invmx X *m Y) ^^ k = Identities.prop_2_bias_gamma.R_k Phi D P (invmx X) k.
  by elim: (k) => [|j IH] //=; rewrite IH.
exact: Identities.prop_2_bias_gamma.prop_2_bias_gamma (mulVmx uX) Ab k.
Qed.

Lemma B_CPhi : B = Cc *m Phi.
Proof. by rewrite /B /Cc /Y -scalemxAl !mulmxA. Qed.

Lemma PhiC : Phi *m Cc = gamma *: (Pi *m P).
Proof. by rewrite /Cc /Pi -scalemxAr !mulmxA. Qed.

Theorem eq_zp k : B ^^ k.+1 = Cc *m (gamma *: (Pi *m P)) ^^ k *m Phi /\
  Phi *m B ^^ k = (gamma *: (Pi *m P)) ^^ k *m Phi.
Proof.
split; rewrite -!Z_generated -!B_generated; first exact: Identities.eq_zp_zp.eq_zp_zp.
exact: Identities.eq_zp_values_move_by_gamma_Pi_P.eq_zp_values_move_by_gamma_Pi_P.
Qed.

(** Values: v^{k+1} = Π(r + γPvᵏ). *)
Lemma value_recursion theta0 k : Phi *m theta theta0 k.+1 = Pi *m (r + gamma *: (P *m (Phi *m theta theta0 k))).
Proof.
by rewrite /theta /= /Pi !mulmxDr /b /Y -!scalemxAr -!scalemxAl -!scalemxAr !mulmxA addrC.
Qed.

Lemma Pi_Phi : Pi *m Phi = Phi.
Proof.
have e : Phi^T *m (D *m Phi) = X by rewrite /X mulmxA.
by rewrite /Pi -!mulmxA e mulVmx // mulmx1.
Qed.

Lemma Pi_idempotent : Pi *m Pi = Pi.
Proof. by rewrite {2}/Pi !mulmxA Pi_Phi. Qed.

End Chain.

Section Definitions.

Variables (R : comRingType) (n m : nat) (M : 'M[R]_n) (b x s : 'M[R]_(n, m)) (a : R).

(** def-richardson: iterates in closed form, and the error from a solution. *)
Theorem def_richardson : (forall t, richardson M b a x t =
    (1%:M - a *: M) ^^ t *m x + gsum (1%:M - a *: M) t *m (a *: b)) /\
  (M *m s = b -> forall t, richardson M b a x t - s = (1%:M - a *: M) ^^ t *m (x - s)).
Proof. by split=> [t|]; [apply: richardson_closed_form | apply: richardson_residual]. Qed.

End Definitions.

Section Similar.

(** lemma-1, with multiplicities and Jordan blocks. *)
Theorem lemma_1 (K : fieldType) n (A B : 'M[K]_n) : B \in unitmx ->
  char_poly (B *m A *m invmx B) = char_poly A /\
  forall lam k, (B *m A *m invmx B - lam%:M) ^^ k = B *m (A - lam%:M) ^^ k *m invmx B.
Proof.
move=> uB; split=> [|lam k]; first by apply: char_poly_similar; apply: mulmxV.
have e : B *m lam%:M *m invmx B = lam%:M by rewrite scalar_mxC -mulmxA mulmxV // mulmx1.
by rewrite -(mpow_conj _ _ (mulVmx uB) (mulmxV uB)) mulmxBr mulmxBl e.
Qed.

End Similar.

Section ConcurrentUpdate.

Variables (R : comUnitRingType) (F : nat) (A_mu X Y : 'M[R]_F) (gamma alpha : R) (b_mu b : 'cV[R]_F).

Definition b_joint K := stack (fun k => if k is 0 then b_mu else b) K.

(** One simultaneous update of all heads, head by head. *)
Definition concurrent (theta : nat -> 'cV[R]_F) k :=
  if k is k'.+1 then theta k + alpha *: (b + gamma *: Y *m theta k' - X *m theta k)
  else theta 0%N + alpha *: (b_mu - A_mu *m theta 0%N).

Lemma stackD (f g : nat -> 'cV[R]_F) K : stack (fun k => f k + g k) K = stack f K + stack g K.
Proof. by elim: K => [|K IH] //=; rewrite IH add_col_mx. Qed.
Lemma stackZ c (f : nat -> 'cV[R]_F) K : stack (fun k => c *: f k) K = c *: stack f K.
Proof. by elim: K => [|K IH] //=; rewrite IH scale_col_mx. Qed.
Lemma stackB (f g : nat -> 'cV[R]_F) K : stack (fun k => f k - g k) K = stack f K - stack g K.
Proof. by elim: K => [|K IH] //=; rewrite IH opp_col_mx add_col_mx. Qed.

(** eq-M: the update of all heads is Richardson's with the block-bidiagonal M, whose spectrum is that of its blocks. *)
Theorem eq_M theta K : stack (concurrent theta) K =
    stack theta K + alpha *: (b_joint K - joint A_mu X Y gamma K *m stack theta K) /\
  char_poly (joint A_mu X Y gamma K) = char_poly A_mu * char_poly X ^+ K.
Proof.
split; last exact: char_poly_joint.
rewrite joint_stack -stackB -stackZ -stackD; apply: eq_stack => - [|k] _ //=.
by rewrite opprB addrA.
Qed.

(** prop-6: the only fixed point of the joint update is the chain of sequential fixed points. *)
Theorem prop_6 K : A_mu \in unitmx -> X \in unitmx ->
  forall x, joint A_mu X Y gamma K *m x = b_joint K <-> x = stack (chain X Y gamma (invmx A_mu *m b_mu) b) K.
Proof. exact: joint_fixed_point. Qed.

End ConcurrentUpdate.
