(** Richardson iteration θ_{t+1} = θ_t + α(b − Mθ_t), for every square M.

    With Mθ_s = b the error is (1 − αM)ᵗ(θ_0 − θ_s), and |1 − αz|² = 1 − α(2 Re z − α|z|²), so by
    Gelfand it vanishes from every start exactly when α|z|² < 2 Re z for every eigenvalue z of M.
    Such an α > 0 exists exactly when all Re z > 0. M may be defective, z complex.               *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From theory Require Import Powers Limits Spectra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Iteration.

Variables (R : comRingType) (n m : nat).
Implicit Types (M : 'M[R]_n) (b x s : 'M[R]_(n, m)) (a : R).

Fixpoint richardson M b a x t := if t is t'.+1 then let y := richardson M b a x t' in y + a *: (b - M *m y) else x.

Lemma richardson_affine M b a x t :
  richardson M b a x t.+1 = (1%:M - a *: M) *m richardson M b a x t + a *: b.
Proof. by rewrite /= mulmxBl mul1mx -scalemxAl scalerBr addrCA addrC. Qed.

Lemma richardson_closed_form M b a x t :
  richardson M b a x t = (1%:M - a *: M) ^^ t *m x + gsum (1%:M - a *: M) t *m (a *: b).
Proof. by apply: affine_closed_form => s; apply: richardson_affine. Qed.

Lemma richardson_residual M b a x s : M *m s = b ->
  forall t, richardson M b a x t - s = (1%:M - a *: M) ^^ t *m (x - s).
Proof.
move=> Ms; apply: (@affine_residual _ _ _ _ (a *: b)) => [|t]; last exact: richardson_affine.
by rewrite mulmxBl mul1mx -scalemxAl Ms subrK.
Qed.

End Iteration.

Section Convergence.

Variable C : numClosedFieldType.

(** α|z|² < 2 Re z: the step size is small enough for this eigenvalue. *)
Definition admissible n (M : 'M[C]_n) (a : C) := forall z, eigenvalue M z -> a * `|z| ^+ 2 < 2%:R * 'Re z.

Lemma step_inside (a z : C) : 0 < a -> (`|1 - a * z| < 1) = (a * `|z| ^+ 2 < 2%:R * 'Re z).
Proof.
move=> a0; rewrite -(@ltr_pexpn2r _ 2) ?nnegrE ?ler01 // expr1n.
have -> : `|1 - a * z| ^+ 2 = 1 - a * (2%:R * 'Re z - a * `|z| ^+ 2).
  rewrite !normCK rmorphB rmorph1 rmorphM /= (conj_Creal (gtr0_real a0)) ReE.
  by rewrite mulrCA divff ?pnatr_eq0 // mulr1; ring.
by rewrite ltr_subl_addr ltr_addl pmulr_rgt0 // subr_gt0.
Qed.

Lemma admissible_rho n (M : 'M[C]_n) a : 0 < a -> admissible M a <-> rho_lt (1%:M - a *: M) 1.
Proof.
move=> a0; split=> H z ez.
  rewrite -scaleNr in ez; have [|w ew ->] := eigenvalue_affine_inv _ ez; first by rewrite oppr_eq0 gt_eqF.
  by rewrite mulNr step_inside //; apply: H.
rewrite -step_inside // -mulNr; apply: H.
by rewrite -scaleNr; apply: eigenvalue_affine.
Qed.

Lemma admissible_stable n (M : 'M[C]_n) a z : 0 < a -> admissible M a -> eigenvalue M z -> 0 < 'Re z.
Proof.
move=> a0 adm /adm H; have : 0 < 2%:R * 'Re z by apply: le_lt_trans H; rewrite mulr_ge0 ?(ltW a0) ?exprn_ge0.
by rewrite pmulr_rgt0 // ltr0n.
Qed.

Lemma stable_unit n (M : 'M[C]_n) : (forall z, eigenvalue M z -> 0 < 'Re z) -> M \in unitmx.
Proof. by move=> H; rewrite unit_eigenvalue; apply/negP => /H; rewrite raddf0 ltxx. Qed.

Lemma admissible_unit n (M : 'M[C]_n) a : 0 < a -> admissible M a -> M \in unitmx.
Proof. by move=> a0 adm; apply: stable_unit => z; apply: admissible_stable a0 adm. Qed.

Lemma admissible_exists n (M : 'M[C]_n) :
  (forall z, eigenvalue M z -> 0 < 'Re z) -> exists2 a, 0 < a & admissible M a.
Proof.
move=> stable; have [r Hr] := closed_field_poly_normal (char_poly M).
rewrite (eqP (char_poly_monic M)) scale1r in Hr.
have {Hr} spec z : eigenvalue M z = (z \in r) by rewrite eigenvalue_root_char Hr root_prod_XsubC.
suff: forall s : seq C, {subset s <= r} ->
    exists2 a, 0 < a & forall z, z \in s -> a * `|z| ^+ 2 < 2%:R * 'Re z.
  by move=> /(_ r (fun=> id)) [a a0 H]; exists a => // z; rewrite spec; apply: H.
elim=> [|w s IH] sub; first by exists 1; rewrite ?ltr01.
have [|a a0 H] := IH; first by move=> z zs; apply: sub; rewrite inE zs orbT.
have w0 : 0 < 'Re w by apply: stable; rewrite spec sub ?mem_head.
have nw : 0 < `|w| ^+ 2.
  by rewrite exprn_gt0 // normr_gt0; apply: contraTneq w0 => ->; rewrite raddf0 ltxx.
pose e := 'Re w / `|w| ^+ 2; have e0 : 0 < e by rewrite divr_gt0.
have [b [b0 ba be]] : exists b, [/\ 0 < b, b <= a & b <= e].
  have /orP[ae|ea] := real_leVge (gtr0_real a0) (gtr0_real e0).
    by exists a.
  by exists e.
exists b => // z; rewrite inE => /predU1P [->|/H zs].
  rewrite (le_lt_trans (y := 'Re w)) //; first by rewrite -ler_pdivl_mulr.
  by rewrite mulr2n mulrDl mul1r ltr_addl.
by apply: le_lt_trans zs; rewrite ler_wpmul2r ?exprn_ge0.
Qed.

(** A smaller step size is admissible too. *)
Lemma admissible_smaller n (M : 'M[C]_n) a b : 0 < b -> b <= a -> admissible M a -> admissible M b.
Proof.
by move=> b0 ba adm z /adm; apply: le_lt_trans; rewrite ler_wpmul2r ?exprn_ge0.
Qed.

Hypothesis arch : Num.archimedean_axiom C.

Theorem richardson_converges n (M : 'M[C]_n) a : 0 < a ->
  (M \in unitmx /\ forall (b x : 'cV[C]_n), converges (richardson M b a x) (invmx M *m b)) <-> admissible M a.
Proof.
move=> a0; split=> [[uM conv]|adm].
  apply/admissible_rho => //; apply: vanish_rho; apply: mvanishes_all => v.
  apply: mvanishes_ext (conv 0 v) => t.
  by rewrite (@richardson_residual _ _ _ M 0 a v (invmx M *m 0)) ?mulmx0 ?subr0.
have uM := admissible_unit a0 adm; split=> // b x.
apply: (@mvanishes_ext _ _ _ (fun t => (1%:M - a *: M) ^^ t *m (x - invmx M *m b))) => [t|].
  by rewrite (@richardson_residual _ _ _ _ _ _ _ (invmx M *m b)) // mulKVmx.
by apply: mvanishesMr; apply: powers_vanish => //; apply/admissible_rho.
Qed.

End Convergence.
