(** Twostate (example-twostate): Φ = (1; 2), D = I/2, both states lead to the second. X = 5/2, Y = 3, B = 6γ/5.      *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Richardson Joint Chain.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Twostate.

Variable C : numClosedFieldType.
Variables (gamma : C) (r : 'cV[C]_2).
Hypothesis gamma0 : 0 <= gamma.

Definition Phi2 : 'M[C]_(2, 1) := \matrix_(i, j) i.+1%:R.
Definition d2 : 'rV[C]_2 := const_mx 2%:R^-1.
Definition P2 : 'M[C]_2 := \matrix_(i, j) (j == 1)%:R.

Local Notation D2 := (diag_mx d2).

Lemma X2 : X Phi2 D2 = (5%:R / 2%:R)%:M.
Proof.
apply/matrixP => i j; rewrite !ord1 /X mul_mx_diag !mxE !big_ord_recl big_ord0 !mxE /=.
by rewrite mul1r mulr1 addr0 mulr1n mulrAC -natrM -{1}[2%:R^-1]mul1r -mulrDl -[1]/(1%:R) -natrD.
Qed.

Lemma Y2 : Y Phi2 D2 P2 = 3%:R%:M.
Proof.
apply/matrixP => i j; rewrite !ord1 /Y -mulmxA mul_mx_diag !mxE !big_ord_recl big_ord0 !mxE.
rewrite !big_ord_recl !big_ord0 !mxE /= mul0r mul1r add0r addr0 !mul1r addr0 mulr1n mulrAC -natrM.
by rewrite /bump /= mulVf ?pnatr_eq0 // natrM mulfK ?pnatr_eq0 // -[1]/(1%:R) -natrD.
Qed.

Lemma inverse2 : invmx (X Phi2 D2) = (2%:R / 5%:R)%:M.
Proof. by rewrite X2 invmx_scalar invf_div. Qed.

Lemma B2 : B Phi2 D2 P2 gamma = (6%:R / 5%:R * gamma)%:M.
Proof.
rewrite /B inverse2 Y2 -scalar_mxM scale_scalar_mx mulrC; congr (_ * _)%:M.
by rewrite mulrAC -natrM.
Qed.

Lemma scalar_eigenvalue (c z : C) : eigenvalue (c%:M : 'M[C]_1) z <-> z = c.
Proof.
split=> [/eigenP [v]|->].
  rewrite mul_scalar_mx => /eqP; rewrite -subr_eq0 -scalerBl scaler_eq0 subr_eq0 => /orP[/eqP -> //|/eqP ->].
  by rewrite eqxx.
apply/eigenP; exists (const_mx 1); first by rewrite mul_scalar_mx.
by apply/eqP => /matrixP /(_ 0 0) /eqP; rewrite !mxE oner_eq0.
Qed.

Theorem example_twostate :
  [/\ X Phi2 D2 = (5%:R / 2%:R)%:M, Y Phi2 D2 P2 = 3%:R%:M,
      rho_lt (B Phi2 D2 P2 gamma) 1 <-> gamma < 5%:R / 6%:R,
      (forall z, eigenvalue (A Phi2 D2 P2 gamma) z -> 0 < 'Re z) <-> gamma < 5%:R / 6%:R &
      forall theta0 theta_pi k, A Phi2 D2 P2 gamma *m theta_pi = b Phi2 D2 r ->
        theta Phi2 D2 P2 r gamma theta0 k - theta_pi = (6%:R / 5%:R * gamma) ^+ k *: (theta0 - theta_pi)].
Proof.
have five : 0 < 5%:R :> C by rewrite ltr0n.
have six : 0 < 6%:R / 5%:R :> C by rewrite divr_gt0 ?ltr0n.
have side : (6%:R / 5%:R * gamma < 1) = (gamma < 5%:R / 6%:R).
  by rewrite mulrC -ltr_pdivl_mulr // div1r invf_div.
have A2 : A Phi2 D2 P2 gamma = (5%:R / 2%:R - gamma * 3%:R)%:M.
  by rewrite /A X2 Y2 scale_scalar_mx -raddfB.
have real : 5%:R / 2%:R - gamma * 3%:R \is Num.real.
  by rewrite rpredB // ger0_real ?divr_ge0 ?mulr_ge0 ?ler0n.
have side' : (0 < 5%:R / 2%:R - gamma * 3%:R) = (gamma < 5%:R / 6%:R).
  by rewrite subr_gt0 ltr_pdivl_mulr ?ltr0n // -mulrA -natrM -ltr_pdivl_mulr ?ltr0n //.
have h : 0 <= 6%:R / 5%:R * gamma by rewrite mulr_ge0 // ltW.
split=> [||||theta0 theta_pi k Ab]; [exact: X2 | exact: Y2 | | |].
- rewrite B2; split=> [rho|lt z /scalar_eigenvalue ->].
    by rewrite -side -(ger0_norm h); apply: rho; apply/scalar_eigenvalue.
  by rewrite (ger0_norm h) side.
- rewrite A2 -side'; split=> [H|pos z /scalar_eigenvalue ->]; last by rewrite (Creal_ReP _ real).
  by rewrite -(Creal_ReP _ real); apply: H; apply/scalar_eigenvalue.
have uX : X Phi2 D2 \in unitmx.
  by rewrite X2 unitmxE det_scalar1 unitfE mulf_neq0 ?invr_eq0 ?pnatr_eq0.
rewrite (bias uX _ _ Ab) B2 -scalemx1 mpow_scale -scalemxAl.
suff -> : (1%:M : 'M[C]_1) ^^ k = 1%:M by rewrite mul1mx.
by elim: k => [|k IH] //; rewrite mpowS IH mulmx1.
Qed.

End Twostate.
