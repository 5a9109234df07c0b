(** On-policy positivity, for all dimensions: a sum of squares over the edges of the chain.

    For d > 0 with dᵀP = dᵀ and P stochastic, and w = Φv,

      vᴴ(A + Aᴴ)v = 2(1 − γ) Σ_i d_i|w_i|² + γ Σ_ij d_i P_ij |w_i − w_j|²,   A = ΦᵀD(1 − γP)Φ,

    so A + Aᴴ ≻ 0 when Φ has full column rank and 0 ≤ γ < 1. In the same way Jensen's inequality for
    the rows of P gives |Pw|_D ≤ |w|_D, where |w|_D² = Σ d_i|w_i|².                               *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From theory Require Import Powers Limits Spectra Definite.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section OnPolicy.

Variable C : numClosedFieldType.
Variables (S F : nat) (Phi : 'M[C]_(S, F)) (d : 'rV[C]_S) (P : 'M[C]_S) (gamma : C).

Hypothesis Phi_real : realmx Phi.
Hypothesis d_pos : forall i, 0 < d 0 i.

Local Notation D := (diag_mx d).

Lemma real_nonneg m n (A : 'M[C]_(m, n)) : (forall i j, 0 <= A i j) -> realmx A.
Proof. by move=> A0; apply/matrixP => i j; rewrite mxE; apply: conj_Creal; apply: ger0_real. Qed.

Lemma adj_D : D^h = D.
Proof.
apply/matrixP => i j; rewrite adjE !mxE [j == i]eq_sym.
case: eqP => [->|_]; last by rewrite !mulr0n conjC0.
by rewrite !mulr1n; apply: conj_Creal; apply: gtr0_real.
Qed.

Lemma injective_posdef : (forall v : 'cV_F, Phi *m v = 0 -> v = 0) -> posdef (Phi^T *m D *m Phi).
Proof. by move=> inj; rewrite -adj_real //; apply: posdef_congr (posdef_diag d_pos) inj. Qed.

Hypothesis P_stochastic : stochastic P.
Hypothesis stationary : d *m P = d.

(** Σ_ij d_i P_ij |w_i|² and Σ_ij d_i P_ij |w_j|² are both |w|_D². *)
Definition dnorm2 (w : 'cV[C]_S) := \sum_i d 0 i * `|w i 0| ^+ 2.

Lemma sources (w : 'cV[C]_S) : \sum_i \sum_j d 0 i * P i j * `|w i 0| ^+ 2 = dnorm2 w.
Proof.
apply: eq_bigr => i _; under eq_bigr do rewrite mulrAC.
by rewrite -mulr_sumr (proj2 P_stochastic) mulr1.
Qed.

Lemma targets (w : 'cV[C]_S) : \sum_i \sum_j d 0 i * P i j * `|w j 0| ^+ 2 = dnorm2 w.
Proof.
rewrite exchange_big; apply: eq_bigr => j _; rewrite -mulr_suml; congr (_ * _).
by rewrite -{2}stationary mxE.
Qed.

Lemma sum_of_squares (w : 'cV[C]_S) :
  form (D *m (1%:M - gamma *: P)) w + (form (D *m (1%:M - gamma *: P)) w)^* =
  (2%:R - gamma - gamma^*) * dnorm2 w +
  \sum_i \sum_j (gamma * (d 0 i * P i j * (`|w i 0| ^+ 2 - (w i 0)^* * w j 0)) +
                 gamma^* * (d 0 i * P i j * (`|w j 0| ^+ 2 - w i 0 * (w j 0)^*))).
Proof.
have dc i : (d 0 i)^* = d 0 i by apply: conj_Creal; apply: gtr0_real.
have Pc i j : (P i j)^* = P i j by apply: conj_Creal; apply: ger0_real; apply: (proj1 P_stochastic).
have DPw : form (D *m P) w = \sum_i \sum_j d 0 i * P i j * ((w i 0)^* * w j 0).
  rewrite /form -mulmxA -mulmxA mxE; apply: eq_bigr => i _; rewrite adjE.
  rewrite mul_diag_mx mxE mxE !mulr_sumr; apply: eq_bigr => j _.
  by rewrite mulrCA -mulrA; congr (_ * _); rewrite mulrCA.
have DPwc : (form (D *m P) w)^* = \sum_i \sum_j d 0 i * P i j * (w i 0 * (w j 0)^*).
  rewrite DPw rmorph_sum; apply: eq_bigr => i _; rewrite rmorph_sum; apply: eq_bigr => j _.
  by rewrite !rmorphM /= conjCK dc Pc.
have N : dnorm2 w = (dnorm2 w)^*.
  rewrite /dnorm2 rmorph_sum; apply: eq_bigr => i _; rewrite rmorphM /= dc; congr (_ * _).
  by rewrite !normCK rmorphM /= conjCK mulrC.
rewrite mulmxBr mulmx1 -scalemxAr formB formZ form_diag -/(dnorm2 w) rmorphB rmorphM /= -N DPwc DPw.
under [X in _ = _ + X]eq_bigr do rewrite big_split /= -!mulr_sumr.
rewrite big_split /= -!mulr_sumr.
have e1 : \sum_i \sum_j d 0 i * P i j * (`|w i 0| ^+ 2 - (w i 0)^* * w j 0) =
          dnorm2 w - \sum_i \sum_j d 0 i * P i j * ((w i 0)^* * w j 0).
  rewrite -sources -sumrB; apply: eq_bigr => i _; rewrite -sumrB; apply: eq_bigr => j _.
  by rewrite mulrBr.
have e2 : \sum_i \sum_j d 0 i * P i j * (`|w j 0| ^+ 2 - w i 0 * (w j 0)^*) =
          dnorm2 w - \sum_i \sum_j d 0 i * P i j * (w i 0 * (w j 0)^*).
  rewrite -targets -sumrB; apply: eq_bigr => i _; rewrite -sumrB; apply: eq_bigr => j _.
  by rewrite mulrBr.
rewrite e1 e2; move: (dnorm2 w) (\sum_i _) (\sum_i _) (gamma^*) => a x y g.
by ring.
Qed.

Hypotheses (gamma0 : 0 <= gamma) (gamma1 : gamma < 1).

Lemma dnorm2_gt0 w : w != 0 -> 0 < dnorm2 w.
Proof. by move=> w0; rewrite /dnorm2 -form_diag; apply: posdef_diag. Qed.

Lemma dnorm2_ge0 w : 0 <= dnorm2 w.
Proof. by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?exprn_ge0 // ltW. Qed.

Lemma key_positive (w : 'cV[C]_S) : w != 0 ->
  0 < form (D *m (1%:M - gamma *: P)) w + (form (D *m (1%:M - gamma *: P)) w)^*.
Proof.
move=> w0; rewrite sum_of_squares; have gc : gamma^* = gamma by apply: conj_Creal; apply: ger0_real.
rewrite gc; apply: ltr_paddr; last first.
  rewrite mulr_gt0 ?dnorm2_gt0 // -addrA -opprD subr_gt0.
  by rewrite [2%:R]mulr2n ltr_add.
apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; rewrite -mulrDr -mulrDr mulr_ge0 //.
rewrite mulr_ge0 //; first by rewrite mulr_ge0 ?(proj1 P_stochastic) // ltW.
rewrite !normCK.
have -> : w i 0 * (w i 0)^* - (w i 0)^* * w j 0 + (w j 0 * (w j 0)^* - w i 0 * (w j 0)^*) =
          (w i 0 - w j 0) * (w i 0 - w j 0)^* 
  by rewrite rmorphB; move: (w i 0) (w j 0) => x y; move: (x^*) (y^*) => x1 y1; ring.
exact: mul_conjC_ge0.
Qed.

Theorem on_policy_positive : (forall v : 'cV_F, Phi *m v = 0 -> v = 0) ->
  let A := Phi^T *m D *m (1%:M - gamma *: P) *m Phi in posdef (A + A^h).
Proof.
move=> inj A v v0; rewrite formD form_adj /A -(adj_real Phi_real) -[_ *m D *m _]mulmxA form_congr.
by apply: key_positive; apply: contra v0 => /eqP /inj ->.
Qed.

Corollary on_policy_stable : (forall v : 'cV_F, Phi *m v = 0 -> v = 0) ->
  forall z, eigenvalue (Phi^T *m D *m (1%:M - gamma *: P) *m Phi) z -> 0 < 'Re z.
Proof. by move=> inj; apply: symmetric_part_stable; apply: on_policy_positive. Qed.

End OnPolicy.
