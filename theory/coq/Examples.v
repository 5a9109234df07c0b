(** Particular problems and claims that are decided by arithmetic (example-twostate, claim-grid, claim-v, …).   *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Richardson Joint Chain.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Normalised.

Variable C : numClosedFieldType.

Lemma vanishes_square (a : nat -> C) : vanishes a -> vanishes (fun t => `|a t| ^+ 2).
Proof.
move=> va eps eps0; have [N HN] := va 1 ltr01; have [K HK] := va _ eps0.
exists (maxn N K) => t; rewrite geq_max => /andP[/HN a1 /HK a2].
rewrite ger0_norm ?exprn_ge0 // expr2; apply: le_lt_trans a2.
by rewrite ler_pimull // ltW.
Qed.

(** claim-normalise: every normalised step has length α, so the iterates converge to nothing. *)
Theorem claim_normalise n (theta g : nat -> 'cV[C]_n) (alpha : C) (z : 'cV[C]_n) :
  0 < alpha -> (forall t, g t != 0) ->
  (forall t, theta t.+1 = theta t + (alpha / sqrtC (\sum_i `|g t i 0| ^+ 2)) *: g t) ->
  (forall t, \sum_i `|(theta t.+1 - theta t) i 0| ^+ 2 = alpha ^+ 2) /\ ~ converges theta z.
Proof.
move=> a0 g0 step.
have len t : \sum_i `|(theta t.+1 - theta t) i 0| ^+ 2 = alpha ^+ 2.
  set s := \sum_i `|g t i 0| ^+ 2.
  have s0 : 0 < s by rewrite /s -form1; apply: posdef1.
  rewrite step addrAC subrr add0r; under eq_bigr do rewrite mxE normrM exprMn.
  rewrite -mulr_sumr -/s normf_div expr_div_n (gtr0_norm a0).
  by rewrite ger0_norm ?sqrtC_ge0 ?ltW // sqrtCK divfK ?gt_eqF.
split=> // conv; have diff : mvanishes (fun t => theta t.+1 - theta t).
  have next : mvanishes (fun t => theta t.+1 - z) by apply/(mvanishes_shift (fun t => theta t - z)).
  apply: mvanishes_ext (mvanishesD next (mvanishesMl (-1)%:M conv)) => t.
  by rewrite mul_scalar_mx scaleN1r opprB addrA subrK.
have := vanishes_sum (fun i => vanishes_square (diff i 0)).
move=> /(_ (alpha ^+ 2)) [|N /(_ N (leqnn N))]; first by rewrite exprn_gt0.
by rewrite len ger0_norm ?exprn_ge0 ?ltW // ltxx.
Qed.

End Normalised.

Section Grid.

Variable R : numFieldType.

Lemma cube_lt (x y : R) : 0 <= x -> 0 <= y -> (x ^+ 3 < y ^+ 3) = (x < y).
Proof. by move=> x0 y0; rewrite ltr_pexpn2r // nnegrE. Qed.

Lemma ratio_lt (a b c d : nat) : (0 < b)%N -> (0 < d)%N -> (a%:R / b%:R < c%:R / d%:R :> R) = (a * d < c * b)%N.
Proof.
move=> b0 d0; rewrite ltr_pdivr_mulr ?ltr0n // mulrAC ltr_pdivl_mulr ?ltr0n //.
by rewrite -!natrM ltr_nat.
Qed.

(** claim-grid: with x = 2^(−1/3) the grid's largest step is x > 3/4, not 1/2, which is the third; the smallest is x⁴⁰. *)
Theorem claim_grid (x : R) : 0 < x -> x ^+ 3 = 2%:R^-1 ->
  [/\ 3%:R / 4%:R < x, x < 4%:R / 5%:R, x ^+ 3 = 2%:R^-1 &
      forall i, (0 < i)%N -> x ^+ i <= x].
Proof.
move=> x0 x3; have x1 : x < 1.
  by rewrite -(cube_lt (ltW x0) ler01) x3 expr1n invf_lt1 ?ltr0n // ltr1n.
split=> // [||[|i] // _].
- rewrite -cube_lt ?(ltW x0) ?divr_ge0 ?ler0n // x3 expr_div_n -!natrX -[2%:R^-1]mul1r.
  by rewrite -[1 in X in _ < X]/(1%:R) ratio_lt.
- rewrite -cube_lt ?(ltW x0) ?divr_ge0 ?ler0n // x3 expr_div_n -!natrX -[2%:R^-1]mul1r.
  by rewrite -[1 in X in X < _]/(1%:R) ratio_lt.
by rewrite exprS ler_pimulr ?(ltW x0) // exprn_ile1 ?(ltW x0) // ltW.
Qed.

End Grid.

Section Values.

Variable C : numClosedFieldType.

(** Bellman's equation has one solution when P is stochastic and 0 ≤ γ < 1. *)
Lemma bellman_unit n (P : 'M[C]_n) gamma : stochastic P -> 0 <= gamma -> gamma < 1 -> 1%:M - gamma *: P \in unitmx.
Proof.
move=> stoch g0 g1; apply: inj_unit => v; rewrite mulmxBl mul1mx -scalemxAl => /eqP.
rewrite subr_eq0 => /eqP Pv; apply/eqP; apply: contraT => v0.
have gn0 : gamma != 0 by apply: contraNneq v0 => e; rewrite Pv e scale0r.
have : eigenvalue P gamma^-1.
  by apply/eigenP; exists v => //; rewrite {2}Pv scalerA mulVf // scale1r.
move/(stochastic_rho stoch); rewrite normfV (ger0_norm g0) invf_le1 ?lt_def ?gn0 //.
by move=> /le_lt_trans /(_ g1); rewrite ltxx.
Qed.

(** claim-v: rewards 1 under π make v_π = 1/(1 − γ), rewards 0 under μ make v_μ = 0, in every state. They are 1 and 0 in
    Baird-Reward (solid 1 with probability 1/7, dashed −1/6) and in Threestate (right 1, left −1, each 1/2). *)
Theorem claim_v n (P P_mu : 'M[C]_n) gamma : stochastic P -> stochastic P_mu -> 0 <= gamma -> gamma < 1 ->
  [/\ invmx (1%:M - gamma *: P) *m const_mx 1 = const_mx (1 - gamma)^-1 :> 'cV_n,
      invmx (1%:M - gamma *: P_mu) *m 0 = 0 :> 'cV[C]_n,
      7%:R^-1 * 1 + 6%:R / 7%:R * - 6%:R^-1 = 0 :> C & 2%:R^-1 * 1 + 2%:R^-1 * -1 = 0 :> C].
Proof.
move=> stoch stoch_mu g0 g1; have g1n : 1 - gamma != 0 by rewrite subr_eq0 eq_sym lt_eqF.
split; rewrite ?mulmx0 //.
- have uP := bellman_unit stoch g0 g1; apply: (can_inj (mulKmx uP)); rewrite mulKVmx //.
  rewrite mulmxBl mul1mx -scalemxAl.
  have -> : const_mx (1 - gamma)^-1 = (1 - gamma)^-1 *: const_mx 1 :> 'cV[C]_n.
    by apply/colP => i; rewrite !mxE mulr1.
  by rewrite -scalemxAr stochastic_const // scalerA -scalerBl -{1}[(1 - gamma)^-1]mul1r -mulrBl divff // scale1r.
- by rewrite mulr1 mulrN mulrAC divff ?pnatr_eq0 // mul1r subrr.
- by rewrite mulr1 mulrN mulr1 subrr.
Qed.

End Values.
