(** The paper's statements about convergence: prop-1, eq-recursion, prop-3, prop-4, prop-5, prop-7, neumann, …

    The field C is algebraically closed with a norm (complex numbers), and Archimedean where limits are
    taken. Features are real, d > 0 is a vector of weights, D = diag(d), P stochastic; columns of Φ are
    independent. On-policy: d is stationary for P_μ, and A_μ = ΦᵀD(1 − γP_μ)Φ.                    *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Richardson OnPolicy Joint Chain.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Convergence.

Variable C : numClosedFieldType.
Hypothesis arch : Num.archimedean_axiom C.

(** prop-1: exactly which step sizes converge, and when there is one. *)
Theorem prop_1 n (M : 'M[C]_n) :
  (forall a, 0 < a ->
     (M \in unitmx /\ forall b x : 'cV[C]_n, converges (richardson M b a x) (invmx M *m b)) <->
     (forall z, eigenvalue M z -> a * `|z| ^+ 2 < 2%:R * 'Re z)) /\
  ((exists2 a, 0 < a & forall z, eigenvalue M z -> a * `|z| ^+ 2 < 2%:R * 'Re z) <->
   (forall z, eigenvalue M z -> 0 < 'Re z)).
Proof.
split=> [a a0|]; first exact: richardson_converges.
by split=> [[a a0 adm] z|]; [apply: admissible_stable a0 adm | apply: admissible_exists].
Qed.

(** One right-hand side is enough. *)
Lemma richardson_one n (M : 'M[C]_n) (b : 'cV[C]_n) a : 0 < a -> M \in unitmx ->
  (forall x, converges (richardson M b a x) (invmx M *m b)) <-> admissible M a.
Proof.
move=> a0 uM; split=> [conv|/(richardson_converges arch _ a0) [_]]; last by apply.
apply/admissible_rho => //; apply: vanish_rho; apply: mvanishes_all => v.
apply: mvanishes_ext (conv (v + invmx M *m b)) => t.
by rewrite (@richardson_residual _ _ _ _ _ _ _ (invmx M *m b)) ?mulKVmx // addrK.
Qed.

(** Positive definite matrices have positive eigenvalues: the bound is 2/λ_max. *)
Lemma posdef_admissible n (M : 'M[C]_n) a : posdef M ->
  admissible M a <-> forall z, eigenvalue M z -> a * z < 2%:R.
Proof.
move=> M0; have pos z : eigenvalue M z -> (a * `|z| ^+ 2 < 2%:R * 'Re z) = (a * z < 2%:R).
  move=> /(posdef_eigen M0) z0; rewrite gtr0_norm // (Creal_ReP _ (gtr0_real z0)) expr2 mulrA.
  by rewrite ltr_pmul2r.
by split=> H z ez; have := H z ez; rewrite pos.
Qed.

Lemma posdef_stable n (M : 'M[C]_n) : posdef M -> forall z, eigenvalue M z -> 0 < 'Re z.
Proof. by move=> M0 z /(posdef_eigen M0) z0; rewrite (Creal_ReP _ (gtr0_real z0)). Qed.

Section Problem.

Variables (S F : nat) (Phi : 'M[C]_(S, F)) (d : 'rV[C]_S) (P P_mu : 'M[C]_S) (r r_mu : 'cV[C]_S) (gamma : C).

Hypothesis Phi_real : realmx Phi.
Hypothesis independent : forall v : 'cV[C]_F, Phi *m v = 0 -> v = 0.
Hypothesis d_pos : forall i, 0 < d 0 i.

Local Notation D := (diag_mx d).
Local Notation X := (X Phi D).
Local Notation Y := (Y Phi D P).
Local Notation A := (A Phi D P gamma).
Local Notation B := (B Phi D P gamma).
Local Notation Pi := (Pi Phi D).
Local Notation b := (b Phi D r).
Local Notation theta := (theta Phi D P r gamma).

Lemma X_posdef : posdef X. Proof. exact: injective_posdef. Qed.
Lemma X_unit : X \in unitmx. Proof. exact: posdef_unit X_posdef. Qed.

(** eq-recursion: bootstrapping on any θ the head converges from every start exactly when α < 2/λ_max(X). *)
Theorem eq_recursion a (prev : 'cV[C]_F) : 0 < a ->
  (forall x, converges (richardson X (gamma *: Y *m prev + b) a x) (invmx X *m (gamma *: Y *m prev + b))) <->
  (forall z, eigenvalue X z -> a * z < 2%:R).
Proof.
move=> a0; split=> [/(richardson_one _ a0 X_unit)|/(posdef_admissible _ X_posdef)].
  by move/(posdef_admissible _ X_posdef).
by move/(richardson_one _ a0 X_unit).
Qed.

(** prop-3: for every θ⁰, exactly when ρ(B) < 1, exactly when ρ(γΠP) < 1. *)
Theorem prop_3 theta_pi : A *m theta_pi = b ->
  ((forall theta0, converges (theta theta0) theta_pi) <-> rho_lt B 1) /\
  (rho_lt B 1 <-> rho_lt (gamma *: (Pi *m P)) 1).
Proof.
move=> Ab; split; last by rewrite -PhiC B_CPhi; apply: rho_swap; apply: ltr01.
split=> [conv|rho theta0].
  apply: vanish_rho; apply: mvanishes_all => v; apply: mvanishes_ext (conv (v + theta_pi)) => k.
  by rewrite (bias X_unit _ _ Ab) addrK.
apply: (@mvanishes_ext _ _ _ (fun k => B ^^ k *m (theta0 - theta_pi))) => [k|].
  by rewrite (bias X_unit _ _ Ab).
by apply: mvanishesMr; apply: powers_vanish.
Qed.

(** claim-exponential: every q > ρ(B) bounds the bias by c·qᵏ; c may exceed the bias at 0 (see Examples). *)
Theorem claim_exponential theta_pi theta0 q : A *m theta_pi = b -> 0 < q -> rho_lt B q ->
  forall i, exists2 c, 0 <= c & forall k, `|(theta theta0 k - theta_pi) i 0| <= c * q ^+ k.
Proof.
move=> Ab q0 rho i.
suff: forall s : seq 'I_F, exists2 c, 0 <= c &
    forall k, `|\sum_(j <- s) (B ^^ k) i j * (theta0 - theta_pi) j 0| <= c * q ^+ k.
  move=> /(_ (index_enum _)) [c c0 H]; exists c => // k; rewrite (bias X_unit _ _ Ab) mxE; exact: H.
elim=> [|j s [c c0 H]]; first by exists 0 => // k; rewrite big_nil normr0 mul0r.
have [e e0 He] := powers_rate q0 rho i j; exists (e * `|(theta0 - theta_pi) j 0| + c).
  by rewrite addr_ge0 // mulr_ge0.
move=> k; rewrite big_cons mulrDl; apply: le_trans (ler_norm_add _ _) _.
by rewrite ler_add // normrM mulrAC ler_wpmul2r.
Qed.

(** claim-stable, along k: where an eigenvalue of B is outside the unit circle some start has unbounded bias. *)
Theorem claim_stable theta_pi z : A *m theta_pi = b -> eigenvalue B z -> 1 < `|z| ->
  exists theta0 i, forall bound : C, exists k, `|bound| < `|(theta theta0 k - theta_pi) i 0|.
Proof.
move=> Ab /eigenP [v Bv /nonzero_entry [i vi]] z1; exists (v + theta_pi), i => bound.
have [k H] := power_unbounded arch vi z1 bound; exists k.
by rewrite (bias X_unit _ _ Ab) addrK (mpow_eigen k Bv) mxE.
Qed.

(** neumann: the series of BⁱX⁻¹ tends to A⁻¹ exactly when ρ(B) < 1, and then A is invertible. *)
Theorem neumann :
  (rho_lt B 1 -> A \in unitmx /\ converges (fun k => gsum B k *m invmx X) (invmx A)) /\
  (forall l, converges (fun k => gsum B k *m invmx X) l -> rho_lt B 1).
Proof.
split=> [rho|l conv].
  have uA : A \in unitmx.
    apply: inj_unit => v Av; apply/eqP; apply: contraT => v0.
    have : eigenvalue B 1.
      apply/eigenP; exists v => //; rewrite scale1r; apply/eqP; rewrite eq_sym -subr_eq0.
      by rewrite -{1}[v]mul1mx -mulmxBl -(XA P gamma X_unit) -mulmxA Av mulmx0.
    by move/rho; rewrite normr1 ltxx.
  split=> //; apply: (@mvanishes_ext _ _ _ (fun k => B ^^ k *m (- invmx A))) => [k|].
    by rewrite (proj2 (eq_geometric P gamma X_unit k) uA) addrAC subrr add0r mulmxN.
  by apply: mvanishesMr; apply: powers_vanish.
apply: vanish_rho; have diff : mvanishes (fun k => B ^^ k *m invmx X).
  have next : mvanishes (fun k => gsum B k.+1 *m invmx X - l).
    by apply/(mvanishes_shift (fun k => gsum B k *m invmx X - l)).
  have neg : mvanishes (fun k => (-1)%:M *m (gsum B k *m invmx X - l)) by apply: mvanishesMl.
  apply: mvanishes_ext (mvanishesD next neg) => k.
  by rewrite gsumS mulmxDl mul_scalar_mx scaleN1r opprB addrA subrK addrAC subrr add0r.
by apply: mvanishes_ext (mvanishesMr X diff) => k; rewrite mulmxKV ?X_unit.
Qed.

Section Behaviour.

Hypotheses (P_mu_stochastic : stochastic P_mu) (stationary : d *m P_mu = d).
Hypotheses (gamma0 : 0 <= gamma) (gamma1 : gamma < 1).

Local Notation A_mu := (Chain.A Phi D P_mu gamma).
Local Notation b_mu := (Chain.b Phi D r_mu).
Local Notation M := (joint A_mu X Y gamma).

Lemma A_mu_stable z : eigenvalue A_mu z -> 0 < 'Re z.
Proof. by rewrite A_def; apply: on_policy_stable. Qed.

Lemma A_mu_unit : A_mu \in unitmx.
Proof. by apply: stable_unit; apply: A_mu_stable. Qed.

(** The sequential fixed points, from θ⁰* = A_μ⁻¹b_μ. *)
Definition fixed_points := theta (invmx A_mu *m b_mu).

(** prop-4: with α below both bounds every head converges to its fixed point, from every start; such α exist. *)
Theorem prop_4 :
  (forall a, 0 < a ->
     ((forall x, converges (richardson A_mu b_mu a x) (fixed_points 0)) <-> admissible A_mu a) /\
     forall k, (forall x, converges (richardson X (gamma *: Y *m fixed_points k + b) a x) (fixed_points k.+1)) <->
               (forall z, eigenvalue X z -> a * z < 2%:R)) /\
  exists2 a, 0 < a & admissible A_mu a /\ (forall z, eigenvalue X z -> a * z < 2%:R).
Proof.
split=> [a a0|]; first by split=> [|k]; [apply: (richardson_one _ a0 A_mu_unit) | apply: eq_recursion].
have [a a0 Ha] := admissible_exists A_mu_stable.
have [c c0 Hc] := admissible_exists (posdef_stable X_posdef).
have /orP[ac|ca] := real_leVge (gtr0_real a0) (gtr0_real c0).
  by exists a => //; split=> //; apply/posdef_admissible; [apply: X_posdef | apply: admissible_smaller a0 ac Hc].
by exists c => //; split; [apply: admissible_smaller c0 ca Ha | apply/posdef_admissible => //; apply: X_posdef].
Qed.

Lemma eigenvalue_joint K z : eigenvalue (M K) z = eigenvalue A_mu z || (0 < K)%N && eigenvalue X z.
Proof.
rewrite !eigenvalue_root_char char_poly_joint rootM; congr (_ || _).
by case: K => [|K]; [rewrite expr0 (negPf (root1 _)) | rewrite /root horner_exp expf_eq0].
Qed.

(** prop-5: all eigenvalues of M have positive real part, for every K; those of X are positive. *)
Theorem prop_5 K : (forall z, eigenvalue (M K) z -> 0 < 'Re z) /\ (forall z, eigenvalue X z -> 0 < z).
Proof.
split=> z; last exact: posdef_eigen X_posdef.
rewrite eigenvalue_joint => /orP[|/andP[_]]; first exact: A_mu_stable.
by apply: posdef_stable; apply: X_posdef.
Qed.

(** prop-7: the concurrent update converges from every start exactly for α below both bounds, the same for every
    K ≥ 1, to the sequential fixed points; such α exist. M may be defective. *)
Theorem prop_7 K :
  (forall a, 0 < a ->
     (forall x, converges (richardson (M K.+1) (b_joint b_mu b K.+1) a x) (stack fixed_points K.+1)) <->
     (admissible A_mu a /\ forall z, eigenvalue X z -> a * z < 2%:R)) /\
  exists2 a, 0 < a & forall x, converges (richardson (M K.+1) (b_joint b_mu b K.+1) a x) (stack fixed_points K.+1).
Proof.
have uM : M K.+1 \in unitmx by apply: joint_unit; [apply: A_mu_unit | apply: X_unit].
have limit : stack fixed_points K.+1 = invmx (M K.+1) *m b_joint b_mu b K.+1.
  have fx : M K.+1 *m stack fixed_points K.+1 = b_joint b_mu b K.+1.
    by apply/prop_6; [apply: A_mu_unit | apply: X_unit |].
  by rewrite -fx mulKmx.
have main a : 0 < a ->
    (forall x, converges (richardson (M K.+1) (b_joint b_mu b K.+1) a x) (stack fixed_points K.+1)) <->
    (admissible A_mu a /\ forall z, eigenvalue X z -> a * z < 2%:R).
  move=> a0; rewrite limit; split=> [/(richardson_one _ a0 uM) adm|[HA /(posdef_admissible _ X_posdef) HX]].
    split=> [z ez|]; first by apply: adm; rewrite eigenvalue_joint ez.
    by apply/posdef_admissible => [|z ez]; [apply: X_posdef | apply: adm; rewrite eigenvalue_joint ez orbT].
  apply/(richardson_one _ a0 uM) => z; rewrite eigenvalue_joint /= => /orP[]; [exact: HA | exact: HX].
split=> //; have [_ [a a0 H]] := prop_4; exists a => //; exact/main.
Qed.

End Behaviour.

End Problem.

(** fig-1: with as many features as states ρ(γΠP) = γ, whatever is drawn. *)
Theorem fig_1 n (Phi : 'M[C]_n.+1) (d : 'rV[C]_n.+1) (P : 'M[C]_n.+1) gamma :
  Phi \in unitmx -> diag_mx d \in unitmx -> stochastic P -> 0 <= gamma ->
  Pi Phi (diag_mx d) = 1%:M /\
  rho_le (gamma *: (Pi Phi (diag_mx d) *m P)) gamma /\ eigenvalue (gamma *: (Pi Phi (diag_mx d) *m P)) gamma.
Proof.
move=> uPhi uD stoch g0; have one : Pi Phi (diag_mx d) = 1%:M.
  have uX : X Phi (diag_mx d) \in unitmx by rewrite /X !unitmx_mul unitmx_tr uPhi uD.
  by rewrite -[LHS](mulmxK uPhi) Pi_Phi // mulmxV.
split=> //; rewrite one mul1mx; split=> [z|]; last first.
  by have := eigenvalue_affine 0 gamma (stochastic_one stoch); rewrite add0r mulr1 raddf0 add0r.
have [->|gn0] := eqVneq gamma 0.
  by rewrite scale0r => /eigenP [v]; rewrite mul0mx => /esym/eqP; rewrite scaler_eq0 => /orP[/eqP -> _|/eqP -> /eqP //]; rewrite normr0.
rewrite -[gamma *: P]add0r -(raddf0 (@scalar_mx_additive C n.+1)) => /(eigenvalue_affine_inv gn0) [w /(stochastic_rho stoch) w1 ->].
by rewrite add0r normrM ger0_norm // ler_pimulr.
Qed.

(** prop-9: ρ(V⁻¹PV) = 1. *)
Theorem prop_9 n (P V : 'M[C]_n.+1) : stochastic P -> V \in unitmx ->
  rho_le (invmx V *m P *m V) 1 /\ eigenvalue (invmx V *m P *m V) 1.
Proof.
move=> stoch uV; split=> [z|]; rewrite (eigenvalue_similar _ _ (mulVmx uV)); first exact: stochastic_rho.
exact: stochastic_one.
Qed.

End Convergence.
