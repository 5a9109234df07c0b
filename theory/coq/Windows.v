(** Windows of T updates: sequential chained TD, target networks, hot and cold starts (alg-2, alg-3, …).

    A window starts a learner at s and lets it make T updates towards the bootstrap target θ:
    s ↦ Qs + (1 − Q)(Bθ + c) with Q = (1 − αX)ᵀ, B = γX⁻¹Y, c = X⁻¹b. Started hot, at θ itself, it maps the error
    e = θ − θ_π to G_T·e with G_T = Q + (1 − Q)B = 1 − S_T·A, S_T = α Σ_{j<T} (1 − αX)ʲ: T = 1 is off-policy TD, and
    G_T → B, the chain, as T → ∞ when α is admissible for X. If ρ(B) < 1 then ρ(G_T) < 1 from some T on: some
    power Bᵐ has row sums below one, so have the powers G_Tᵐ for large T.                        *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Richardson Joint.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Windows.

Variables (R : comUnitRingType) (F : nat) (X Y : 'M[R]_F) (b : 'cV[R]_F) (gamma alpha : R).

Local Notation A := (X - gamma *: Y).
Definition Bw := gamma *: (invmx X *m Y).
Definition Q T := (1%:M - alpha *: X) ^^ T.
Definition G T := Q T + (1%:M - Q T) *m Bw.
Definition window T (start target : 'cV[R]_F) := richardson X (gamma *: Y *m target + b) alpha start T.

Hypothesis uX : X \in unitmx.

Lemma Bw_target target : invmx X *m (gamma *: Y *m target + b) = Bw *m target + invmx X *m b.
Proof. by rewrite mulmxDr mulmxA -scalemxAr. Qed.

Lemma windowE T start target :
  window T start target = Q T *m start + (1%:M - Q T) *m (Bw *m target + invmx X *m b).
Proof.
rewrite -Bw_target; set s := invmx X *m _.
have e : X *m s = gamma *: Y *m target + b by rewrite mulKVmx.
rewrite -[LHS](subrK s) /window (richardson_residual _ _ e) mulmxBr mulmxBl mul1mx -addrA; congr (_ + _).
by rewrite addrC.
Qed.

Variable theta_pi : 'cV[R]_F.
Hypothesis Ab : A *m theta_pi = b.

Lemma pi_fixed : Bw *m theta_pi + invmx X *m b = theta_pi.
Proof. by rewrite -Ab mulmxA mulmxBr mulVmx // -scalemxAr -/Bw mulmxBl mul1mx addrC subrK. Qed.

Lemma window_error T start target : window T start target - theta_pi =
  Q T *m (start - theta_pi) + (1%:M - Q T) *m (Bw *m (target - theta_pi)).
Proof.
have e : theta_pi = Q T *m theta_pi + (1%:M - Q T) *m (Bw *m theta_pi + invmx X *m b).
  by rewrite pi_fixed -mulmxDl addrC subrK mul1mx.
rewrite windowE {1}e opprD addrACA -!mulmxBr; congr (_ + _ *m _).
by rewrite opprD addrACA subrr addr0 -mulmxBr.
Qed.

(** The hot-started outer iteration, and the cold one. *)
Fixpoint hot T theta0 k := if k is k'.+1 then let y := hot T theta0 k' in window T y y else theta0.
Fixpoint cold T start theta0 k := if k is k'.+1 then window T start (cold T start theta0 k') else theta0.

Lemma hot_error T theta0 k : hot T theta0 k - theta_pi = G T ^^ k *m (theta0 - theta_pi).
Proof.
elim: k => [|k IH]; first by rewrite mul1mx.
by rewrite [hot _ _ _]/= window_error mpowS -[RHS]mulmxA -IH [RHS]mulmxDl mulmxA.
Qed.

Definition Ssum T := alpha *: gsum (1%:M - alpha *: X) T.

Lemma one_minus_Q T : 1%:M - Q T = Ssum T *m X.
Proof.
rewrite /Q -gsum_telescopes /Ssum opprB addrCA subrr addr0.
by rewrite -scalemxAr -scalemxAl.
Qed.

Lemma G_TD T : G T = 1%:M - Ssum T *m A.
Proof.
have XA : A = X *m (1%:M - Bw) by rewrite mulmxBr mulmx1 /Bw -scalemxAr mulKVmx.
rewrite XA mulmxA -one_minus_Q mulmxBr mulmx1 opprB /G; set W := _ *m Bw.
by rewrite opprB addrCA [1%:M + _]addrC subrK addrC.
Qed.

Lemma G_chain T : G T - Bw = Q T *m (1%:M - Bw).
Proof. by rewrite /G mulmxBl mul1mx mulmxBr mulmx1 addrA addrAC addrK. Qed.

(** alg-2: after T updates; each head makes T of them. *)
Theorem alg_2 T start target :
  window T start target = Q T *m start + (1%:M - Q T) *m (Bw *m target + invmx X *m b).
Proof. exact: windowE. Qed.

(** alg-3: K + 1 windows, the first cold, the others hot. *)
Theorem alg_3 T start theta0 K : hot T (window T start theta0) K - theta_pi =
  G T ^^ K *m (Q T *m (start - theta_pi) + (1%:M - Q T) *m (Bw *m (theta0 - theta_pi))).
Proof. by rewrite hot_error window_error. Qed.

(** extra-target-network: one family from off-policy TD (T = 1) to the chain. *)
Theorem target_network_algebra T theta0 k :
  [/\ hot T theta0 k - theta_pi = G T ^^ k *m (theta0 - theta_pi), G T = 1%:M - Ssum T *m A,
      G 1 = 1%:M - alpha *: A & G T - Bw = Q T *m (1%:M - Bw)].
Proof.
split; [exact: hot_error | exact: G_TD | | exact: G_chain].
by rewrite G_TD /Ssum gsumS gsum0 add0r -scalemxAl mul1mx.
Qed.

(** extra-cold-start: what a cold start does to the error, and where it rests. *)
Theorem cold_start_algebra T start :
  (forall theta0 k, cold T start theta0 k.+1 - theta_pi =
     gamma *: (Ssum T *m Y) *m (cold T start theta0 k - theta_pi) + Q T *m (start - theta_pi)) /\
  (forall x, x = window T start x <->
     (1%:M - gamma *: (Ssum T *m Y)) *m (x - theta_pi) = Q T *m (start - theta_pi)).
Proof.
have e : (1%:M - Q T) *m Bw = gamma *: (Ssum T *m Y).
  by rewrite one_minus_Q /Bw -scalemxAr -mulmxA mulKVmx.
split=> [theta0 k|x]; first by rewrite /= window_error addrC mulmxA e.
have w : window T start x - theta_pi = Q T *m (start - theta_pi) + gamma *: (Ssum T *m Y) *m (x - theta_pi).
  by rewrite window_error mulmxA e.
rewrite mulmxBl mul1mx; split=> [xw|/eqP].
  by rewrite {1}xw w addrK.
by rewrite subr_eq -w => /eqP /addIr.
Qed.

End Windows.

Section Limits.

Variable C : numClosedFieldType.

Lemma vanishesM (a b : nat -> C) : vanishes a -> vanishes b -> vanishes (fun t => a t * b t).
Proof.
move=> va vb eps eps0; have [N HN] := va 1 ltr01; have [K HK] := vb _ eps0.
exists (maxn N K) => t; rewrite geq_max => /andP[/HN a1 /HK b1]; rewrite normrM.
by apply: le_lt_trans b1; rewrite ler_pimull // ltW.
Qed.

Lemma mvanishesM m n p (u : nat -> 'M[C]_(m, n)) (v : nat -> 'M[C]_(n, p)) :
  mvanishes u -> mvanishes v -> mvanishes (fun t => u t *m v t).
Proof.
move=> vu vv i j; apply: vanishes_ext (vanishes_sum (fun k => vanishesM (vu i k) (vv k j))) => t.
by rewrite mxE.
Qed.

Lemma convergesM m n p (u : nat -> 'M[C]_(m, n)) (v : nat -> 'M[C]_(n, p)) k l :
  converges u k -> converges v l -> converges (fun t => u t *m v t) (k *m l).
Proof.
move=> uk vl; have both := mvanishesD (mvanishesD (mvanishesM uk vl) (mvanishesMr l uk)) (mvanishesMl k vl).
apply: mvanishes_ext both => t; rewrite -mulmxDr subrK mulmxBl mulmxBr addrA subrK.
by [].
Qed.

Lemma converges_mpow n (u : nat -> 'M[C]_n) l k : converges u l -> converges (fun t => u t ^^ k) (l ^^ k).
Proof.
move=> ul; elim: k => [|k IH]; last exact: convergesM.
by move=> i j; apply: vanishes_ext (@vanishes0 C) => t; rewrite subrr mxE.
Qed.

Lemma mvanishes_uniform m n (u : nat -> 'M[C]_(m, n)) eps : mvanishes u -> 0 < eps ->
  exists N, forall t, (N <= t)%N -> forall i j, `|u t i j| < eps.
Proof.
move=> vu eps0; suff: forall s : seq ('I_m * 'I_n), exists N, forall t, (N <= t)%N ->
    forall ij, ij \in s -> `|u t ij.1 ij.2| < eps.
  by move=> /(_ (enum [finType of 'I_m * 'I_n])) [N H]; exists N => t Nt i j; apply: (H t Nt (i, j)); rewrite mem_enum.
elim=> [|[i j] s [N H]]; first by exists 0%N.
have [K HK] := vu i j _ eps0; exists (maxn N K) => t; rewrite geq_max => /andP[Nt /HK Kt] ij.
by rewrite inE => /predU1P[->|] //; apply: H.
Qed.

Lemma row_sums n (N : 'M[C]_n) : (forall i, \sum_j `|N i j| < 1) -> rho_lt N 1.
Proof.
case: n N => [|n] N sums z /eigenP [v Nv v0].
  by case/negP: v0; apply/eqP/colP => - [].
have [i vi] := largest (fun i => normr_ge0 (v i 0)).
have vi0 : 0 < `|v i 0|.
  by have [j vj] := nonzero_entry v0; rewrite (lt_le_trans _ (vi j)) // normr_gt0.
have : `|(N *m v) i 0| <= (\sum_j `|N i j|) * `|v i 0|.
  rewrite mxE mulr_suml; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
  by rewrite normrM ler_wpmul2l.
rewrite Nv mxE normrM ler_pmul2r // => /le_lt_trans; apply; exact: sums.
Qed.

Lemma mpow_rho n (M : 'M[C]_n) m : (0 < m)%N -> rho_lt (M ^^ m) 1 -> rho_lt M 1.
Proof.
move=> m0 rho z /eigenP [v Mv v0]; have /rho : eigenvalue (M ^^ m) (z ^+ m).
  by apply/eigenP; exists v => //; apply: mpow_eigen.
by rewrite normrX -{1}(expr1n _ m) ltr_pexpn2r ?nnegrE ?ler01.
Qed.

Hypothesis arch : Num.archimedean_axiom C.

(** The spectral radius is upper semicontinuous where it matters: below one stays below one. *)
Theorem rho_limit n (u : nat -> 'M[C]_n) l : converges u l -> rho_lt l 1 ->
  exists N, forall t, (N <= t)%N -> rho_lt (u t) 1.
Proof.
move=> ul rho; have two0 : 0 < (n.+1 * 2)%:R :> C by rewrite ltr0n.
have e0 : 0 < ((n.+1 * 2)%:R)^-1 :> C by rewrite invr_gt0.
have half : ((n.+1 * 2)%:R)^-1 + ((n.+1 * 2)%:R)^-1 = (n.+1%:R)^-1 :> C.
  by rewrite natrM invfM -mulrDr -mulr2n -[_ *+ 2]mulr_natr mulVf ?pnatr_eq0 // mulr1.
have [m Hm] := mvanishes_uniform (powers_vanish arch rho) e0.
have [N HN] := mvanishes_uniform (converges_mpow m.+1 ul) e0; exists N => t Nt.
apply: (@mpow_rho _ _ m.+1) => //; apply: row_sums => i.
have small j : `|(u t ^^ m.+1) i j| <= (n.+1%:R)^-1.
  have := ltr_add (HN t Nt i j) (Hm m.+1 (leqnSn m) i j).
  rewrite half => /ltW; apply: le_trans; set p := u t ^^ _; set q := l ^^ _.
  have -> : p i j = (p - q) i j + q i j by rewrite !mxE subrK.
  exact: ler_norm_add.
apply: le_lt_trans (ler_sum _ (fun j _ => small j)) _.
by rewrite sumr_const card_ord -[_ *+ n]mulr_natl ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat.
Qed.

Variables (F : nat) (X Y : 'M[C]_F) (b theta_pi : 'cV[C]_F) (gamma alpha : C).
Hypotheses (a0 : 0 < alpha) (adm : admissible X alpha) (Ab : (X - gamma *: Y) *m theta_pi = b).

Local Notation B := (Bw X Y gamma).
Local Notation Q := (Q X alpha).
Local Notation G := (G X Y gamma alpha).
Let uX : X \in unitmx := admissible_unit a0 adm.

Lemma Q_vanishes : mvanishes Q.
Proof. by apply: powers_vanish => //; apply/admissible_rho. Qed.

Lemma G_converges : converges G B.
Proof. by apply: mvanishes_ext (mvanishesMr (1%:M - B) Q_vanishes) => T; rewrite -G_chain. Qed.

(** alg-target: a window misses the chain's fixed point by Q, and reaches it as T → ∞, from wherever it starts. *)
Theorem alg_target target start :
  (forall T, window X Y b gamma alpha T start target - invmx X *m (gamma *: Y *m target + b) =
     Q T *m (start - invmx X *m (gamma *: Y *m target + b))) /\
  converges (fun T => window X Y b gamma alpha T start target) (invmx X *m (gamma *: Y *m target + b)).
Proof.
have miss T : window X Y b gamma alpha T start target - invmx X *m (gamma *: Y *m target + b) =
     Q T *m (start - invmx X *m (gamma *: Y *m target + b)).
  by rewrite /window (@richardson_residual _ _ _ _ _ _ _ (invmx X *m (gamma *: Y *m target + b))) ?mulKVmx.
split=> //; apply: mvanishes_ext (mvanishesMr _ Q_vanishes) => T; exact/esym/miss.
Qed.

(** claim-hot-start: hot and cold differ by Q(θ⁰ − θ_c), which vanishes only as T → ∞. *)
Theorem claim_hot_start target start start' :
  (forall T, window X Y b gamma alpha T start target - window X Y b gamma alpha T start' target =
     Q T *m (start - start')) /\
  mvanishes (fun T => window X Y b gamma alpha T start target - window X Y b gamma alpha T start' target).
Proof.
have miss T : window X Y b gamma alpha T start target - window X Y b gamma alpha T start' target =
     Q T *m (start - start').
  by rewrite !windowE // opprD addrACA subrr addr0 -mulmxBr.
split=> //; apply: mvanishes_ext (mvanishesMr (start - start') Q_vanishes) => T; exact/esym/miss.
Qed.

(** sec-target: for fixed k the bias tends to the chain's as T → ∞; if ρ(B) < 1 then for every T from some T on the
    network converges to θ_π from every start. *)
Theorem sec_target :
  (forall theta0 k, converges (fun T => hot X Y b gamma alpha T theta0 k - theta_pi) (B ^^ k *m (theta0 - theta_pi))) /\
  (rho_lt B 1 -> exists N, forall T, (N <= T)%N ->
     forall theta0, converges (hot X Y b gamma alpha T theta0) theta_pi).
Proof.
split=> [theta0 k|rho].
  apply: (@converges_ext _ _ _ (fun T => G T ^^ k *m (theta0 - theta_pi))) => [T|].
    by rewrite (hot_error alpha uX Ab).
  move=> i j; have := mvanishesMr (theta0 - theta_pi) (converges_mpow k G_converges) i j.
  by apply: vanishes_ext => T; rewrite mulmxBl.
have [N HN] := rho_limit G_converges rho; exists N => T /HN rhoT theta0.
apply: mvanishes_ext (mvanishesMr (theta0 - theta_pi) (powers_vanish arch rhoT)) => k.
by rewrite (hot_error alpha uX Ab).
Qed.

(** extra-cold-start: every network starts its learner at the same place. It converges from everywhere exactly when
    ρ(γS_TY) < 1, and then to θ_π plus a bias that vanishes with Q(θ_init − θ_π). *)
Theorem extra_cold_start T start (M := gamma *: (Ssum X alpha T *m Y)) :
  [/\ forall theta0 k, cold X Y b gamma alpha T start theta0 k.+1 - theta_pi =
        M *m (cold X Y b gamma alpha T start theta0 k - theta_pi) + Q T *m (start - theta_pi),
      rho_lt M 1 -> forall theta0, converges (cold X Y b gamma alpha T start theta0)
        (theta_pi + invmx (1%:M - M) *m (Q T *m (start - theta_pi))) &
      forall l, (forall theta0, converges (cold X Y b gamma alpha T start theta0) l) -> rho_lt M 1].
Proof.
have [step _] := cold_start_algebra alpha uX Ab T start.
pose c := Q T *m (start - theta_pi).
have error x theta0 : M *m x + c = x ->
    forall k, cold X Y b gamma alpha T start theta0 k - (theta_pi + x) = M ^^ k *m (theta0 - (theta_pi + x)).
  move=> fx; elim=> [|k IH]; first by rewrite mul1mx.
  rewrite mpowS -mulmxA -IH !opprD !addrA step -/c -[X in _ + _ - X = _]fx opprD addrACA subrr addr0.
  by rewrite -mulmxBr.
split=> // [rho theta0|l conv].
  have uM : 1%:M - M \in unitmx.
    apply: inj_unit => v; rewrite mulmxBl mul1mx => /eqP; rewrite subr_eq0 => /eqP vM.
    apply/eqP; apply: contraT => v0; have /rho : eigenvalue M 1 by apply/eigenP; exists v; rewrite ?scale1r.
    by rewrite normr1 ltxx.
  have fx : M *m (invmx (1%:M - M) *m c) + c = invmx (1%:M - M) *m c.
    have := mulKVmx uM c; rewrite mulmxBl mul1mx => e.
    by rewrite -{2}e addrCA subrr addr0.
  pose l := theta_pi + invmx (1%:M - M) *m c.
  by apply: mvanishes_ext (mvanishesMr (theta0 - l) (powers_vanish arch rho)) => k; rewrite (error _ _ fx).
apply: vanish_rho; apply: mvanishes_all => v.
have difference k : cold X Y b gamma alpha T start v k - cold X Y b gamma alpha T start 0 k = M ^^ k *m v.
  elim: k => [|k IH]; first by rewrite subr0 mul1mx.
  have e : cold X Y b gamma alpha T start v k.+1 - cold X Y b gamma alpha T start 0 k.+1 =
      M *m (cold X Y b gamma alpha T start v k - cold X Y b gamma alpha T start 0 k).
    have -> : cold X Y b gamma alpha T start v k.+1 - cold X Y b gamma alpha T start 0 k.+1 =
      (cold X Y b gamma alpha T start v k.+1 - theta_pi) - (cold X Y b gamma alpha T start 0 k.+1 - theta_pi).
      by rewrite opprB addrA subrK.
    by rewrite !step opprD addrACA subrr addr0 -mulmxBr opprB addrA subrK.
  by rewrite e IH mulmxA -mpowS.
apply: mvanishes_ext (mvanishesD (conv v) (mvanishesMl (-1)%:M (conv 0))) => k.
rewrite -difference mul_scalar_mx scaleN1r opprB addrA subrK.
by [].
Qed.

(** extra-target-network: the family, and which of its members converge. *)
Theorem extra_target_network T theta0 :
  [/\ forall k, hot X Y b gamma alpha T theta0 k - theta_pi = G T ^^ k *m (theta0 - theta_pi),
      G T = 1%:M - Ssum X alpha T *m (X - gamma *: Y), G 1 = 1%:M - alpha *: (X - gamma *: Y), converges G B &
      (forall theta0, converges (hot X Y b gamma alpha T theta0) theta_pi) <-> rho_lt (G T) 1].
Proof.
have [_ e1 e2 _] := target_network_algebra alpha uX Ab T theta0 0.
split=> // [k||]; [exact: hot_error | exact: G_converges |].
split=> [conv|rho theta0'].
  apply: vanish_rho; apply: mvanishes_all => v; apply: mvanishes_ext (conv (v + theta_pi)) => k.
  by rewrite (hot_error alpha uX Ab) addrK.
apply: mvanishes_ext (mvanishesMr (theta0' - theta_pi) (powers_vanish arch rho)) => k.
by rewrite (hot_error alpha uX Ab).
Qed.

End Limits.
