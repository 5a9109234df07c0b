(** Bias is unlikely when S ≫ F: the conjecture for random features, from the second moments of X and Y.

    Write X = 1 + E, Y = τ + H, τ = tr(DP). An eigenvalue |λ| ≥ 1 of γΠP has λXv = γYv, so (λ − γτ)v = (γH − λE)v, and
    |λ − γτ| ≥ |λ|(1 − γτ). With Frobenius' norm, Cauchy's inequality and (a + γb)² ≤ (1 + γ)(a² + γb²),

      (1 − γτ)² ≤ (1 + γ)(‖E‖² + γ‖H‖²)    wherever the chain is biased,

    and expectations (Chebyshev) give Pr[biased] ≤ (1 + γ)²s/(1 − γτ)² where E‖E‖² ≤ s and E‖H‖² ≤ s. An expectation is
    any linear and monotone functional on some functions of the draw. For standard normal features s = F(F+1)Σd², by
    the normal law's fourth moments.                                                                     *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From theory Require Import Powers Limits Spectra Definite Chain.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Norms.

Variable C : numClosedFieldType.

Definition frobenius2 m n (M : 'M[C]_(m, n)) := \sum_i \sum_j `|M i j| ^+ 2.

Lemma cauchy (I : finType) (a b : I -> C) : (forall i, 0 <= a i) -> (forall i, 0 <= b i) ->
  (\sum_i a i * b i) ^+ 2 <= (\sum_i a i ^+ 2) * (\sum_i b i ^+ 2).
Proof.
move=> a0 b0; rewrite -subr_ge0 -(pmulr_rge0 _ (ltr0n C 2)).
have -> : 2%:R * ((\sum_i a i ^+ 2) * (\sum_i b i ^+ 2) - (\sum_i a i * b i) ^+ 2) =
          \sum_i \sum_j (a i * b j - a j * b i) ^+ 2.
  have e i : \sum_j (a i * b j - a j * b i) ^+ 2 = a i ^+ 2 * (\sum_j b j ^+ 2) + b i ^+ 2 * (\sum_j a j ^+ 2) -
      2%:R * (a i * b i * \sum_j a j * b j).
    rewrite !mulr_sumr -big_split -sumrB; apply: eq_bigr => j _ /=; ring.
  under [RHS]eq_bigr do rewrite e; rewrite sumrB big_split /= -mulr_sumr -!mulr_suml.
  by move: (\sum_i a i ^+ 2) (\sum_i b i ^+ 2) (\sum_i a i * b i) => p q t; ring.
apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; rewrite -realEsqr.
by rewrite rpredB // rpredM // ger0_real.
Qed.

Lemma frobenius_mul n (M : 'M[C]_n) (v : 'cV[C]_n) : frobenius2 (M *m v) <= frobenius2 M * frobenius2 v.
Proof.
have vE : frobenius2 v = \sum_j `|v j 0| ^+ 2 by apply: eq_bigr => j _; rewrite big_ord1.
rewrite /frobenius2 mulr_suml -/(frobenius2 v) vE; apply: ler_sum => i _; rewrite big_ord1.
apply: le_trans (cauchy (fun j => normr_ge0 (M i j)) (fun j => normr_ge0 (v j 0))).
rewrite ler_pexpn2r ?nnegrE ?sumr_ge0 // => [|j _]; last by rewrite mulr_ge0.
by rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _; rewrite normrM.
Qed.

Lemma frobenius_gt0 n (v : 'cV[C]_n) : v != 0 -> 0 < frobenius2 v.
Proof.
move=> v0; have := posdef1 v0; rewrite form1; congr (_ < _).
by apply: eq_bigr => j _; rewrite big_ord1.
Qed.

Lemma frobenius_ge0 m n (M : 'M[C]_(m, n)) : 0 <= frobenius2 M.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; rewrite exprn_ge0. Qed.

Lemma frobeniusZ n (c : C) (v : 'cV[C]_n) : frobenius2 (c *: v) = `|c| ^+ 2 * frobenius2 v.
Proof. by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _; rewrite mxE normrM exprMn. Qed.

(** Where |λ| ≥ 1. *)
Lemma deviation n (E H : 'M[C]_n) (v : 'cV[C]_n) (gamma tau lam : C) : 0 <= gamma -> 0 <= tau -> gamma * tau < 1 ->
  v != 0 -> 1 <= `|lam| -> lam *: ((1%:M + E) *m v) = gamma *: ((tau%:M + H) *m v) ->
  (1 - gamma * tau) ^+ 2 <= (1 + gamma) * (frobenius2 E + gamma * frobenius2 H).
Proof.
move=> g0 t0 gt v0 lam1 eigen.
have e : (lam - gamma * tau) *: v = (gamma *: H - lam *: E) *m v.
  rewrite !mulmxDl mul1mx mul_scalar_mx !scalerDr scalerA in eigen.
  rewrite mulmxBl -!scalemxAl scalerBl; apply/eqP; rewrite subr_eq addrAC eq_sym subr_eq addrC -eigen.
  exact: eqxx.
have l0 : 0 < `|lam| := lt_le_trans ltr01 lam1.
have far : `|lam| * (1 - gamma * tau) <= `|lam - gamma * tau|.
  have := ler_sub_dist lam (gamma * tau); rewrite (ger0_norm (mulr_ge0 g0 t0)); apply: le_trans.
  by rewrite mulrBr mulr1 ler_sub // ler_pemull // mulr_ge0.
have near : frobenius2 (gamma *: H - lam *: E) <= `|lam| ^+ 2 * ((1 + gamma) * (frobenius2 E + gamma * frobenius2 H)).
  rewrite /frobenius2 !mulr_sumr -big_split !mulr_sumr; apply: ler_sum => i _ /=.
  rewrite !mulr_sumr -big_split !mulr_sumr; apply: ler_sum => j _ /=; rewrite !mxE.
  apply: (@le_trans _ _ ((gamma * `|H i j| + `|lam| * `|E i j|) ^+ 2)).
    rewrite ler_pexpn2r ?nnegrE ?addr_ge0 ?mulr_ge0 //; apply: le_trans (ler_norm_sub _ _) _.
    by rewrite !normrM (ger0_norm g0).
  move: (normr_ge0 (H i j)) (normr_ge0 (E i j)) l0 lam1; move: `|H i j| `|E i j| `|lam| => h x l h0 x0 l0 l1.
  rewrite -subr_ge0.
  have -> : l ^+ 2 * ((1 + gamma) * (x ^+ 2 + gamma * h ^+ 2)) - (gamma * h + l * x) ^+ 2 =
     gamma * (l * x - h) ^+ 2 + gamma * (1 + gamma) * (h ^+ 2 * (l ^+ 2 - 1)) by ring.
  apply: addr_ge0; apply: mulr_ge0 => //.
  - by rewrite -realEsqr rpredB ?rpredM ?ger0_real // ltW.
  - by rewrite mulr_ge0 // addr_ge0 ?ler01.
  by rewrite mulr_ge0 ?exprn_ge0 // subr_ge0 exprn_ege1.
have fv := frobenius_gt0 v0.
have : `|lam - gamma * tau| ^+ 2 * frobenius2 v <= frobenius2 (gamma *: H - lam *: E) * frobenius2 v.
  by rewrite -frobeniusZ e; apply: frobenius_mul.
rewrite ler_pmul2r // => /le_trans /(_ near) => main.
rewrite -(ler_pmul2l (exprn_gt0 2 l0)); apply: le_trans main; rewrite -exprMn ler_pexpn2r ?nnegrE //.
by rewrite mulr_ge0 // ?subr_ge0 ltW.
Qed.

End Norms.

Section Law.

Variable C : numClosedFieldType.
Variables (S F : nat) (D P : 'M[C]_S) (gamma s : C).
Hypotheses (gamma0 : 0 <= gamma) (s0 : 0 <= s).

(** Features drawn from some law: an expectation is linear and monotone where it is defined. *)
Variables (draw : Type) (Phi : draw -> 'M[C]_(S, F)) (integrable : (draw -> C) -> Prop) (Ex : (draw -> C) -> C).
Hypothesis linear_ex : forall a b f g, integrable f -> integrable g ->
  integrable (fun i => a * f i + b * g i) /\ Ex (fun i => a * f i + b * g i) = a * Ex f + b * Ex g.
Hypothesis monotone_ex : forall f g, integrable f -> integrable g -> (forall i, f i <= g i) -> Ex f <= Ex g.

Local Notation tau := (\tr (D *m P)).
Local Notation E i := (frobenius2 (X (Phi i) D - 1%:M)).
Local Notation H i := (frobenius2 (Y (Phi i) D P - tau%:M)).

(** conjecture, with the moments as hypotheses: `biased` is any event on which ρ(γΠP) ≥ 1. *)
Theorem conjecture (biased : pred draw) :
  (forall i, biased i -> X (Phi i) D \in unitmx /\
     exists2 z, eigenvalue (gamma *: (Pi (Phi i) D *m P)) z & 1 <= `|z|) ->
  0 <= tau -> gamma * tau < 1 ->
  integrable (fun i => (biased i)%:R) -> integrable (fun i => E i) -> integrable (fun i => H i) ->
  Ex (fun i => E i) <= s -> Ex (fun i => H i) <= s ->
  Ex (fun i => (biased i)%:R) <= s * (1 + gamma) ^+ 2 / (1 - gamma * tau) ^+ 2.
Proof.
move=> is_biased t0 gt iB iE iH ExE ExH; set c := (1 - gamma * tau) ^+ 2.
have c0 : 0 < c by rewrite exprn_gt0 // subr_gt0.
pose k := (1 + gamma) / c; have k0 : 0 <= k by rewrite divr_ge0 ?addr_ge0 ?ler01 // ltW.
have [iS ES] := linear_ex k (k * gamma) iE iH.
apply: (@le_trans _ _ (k * Ex (fun i => E i) + k * gamma * Ex (fun i => H i))).
  rewrite -ES; apply: monotone_ex => // i; case: (boolP (biased i)) => [/is_biased [uX [z ez z1]]|_]; last first.
    by apply: addr_ge0; apply: mulr_ge0; rewrite ?frobenius_ge0 //; apply: mulr_ge0.
  have z0 : z != 0 by rewrite -normr_gt0 (lt_le_trans ltr01).
  have /eigenP [v Bv v0] : eigenvalue (B (Phi i) D P gamma) z.
    by rewrite B_CPhi eigenvalue_swap // PhiC.
  rewrite -mulrA -mulrDr /k mulrAC ler_pdivl_mulr // mul1r.
  apply: (deviation gamma0 t0 gt v0 z1); rewrite ![_ + (_ - _)]addrC !subrK.
  by rewrite !scalemxAr -Bv /B -!scalemxAl -!scalemxAr !mulmxA mulmxV // mul1mx.
apply: (@le_trans _ _ (k * s + k * gamma * s)); first by rewrite ler_add // ler_wpmul2l // mulr_ge0.
have -> : k * s + k * gamma * s = s * ((1 + gamma) * k) by ring.
by rewrite /k [X in _ * X <= _]mulrA -expr2 mulrA.
Qed.

End Law.
