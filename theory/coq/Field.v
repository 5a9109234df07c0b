(** The field around the paper: LSTD, closed features, the oblique projection, residual gradient and ridge, horizons.

    In the letters of Chain.v. Where A = X(1 − B), an eigenvalue 1 of B is what makes A singular (field-2). PΦ = ΦW gives
    B = γW, and eigenvectors of W are those of P (field-6). O = ΦA⁻¹ΦᵀD(1 − γP) projects v_π on the span (field-9).
    (1 − γP)Φ has independent columns with Φ, so its Gram matrix is positive definite; A + η moves all eigenvalues by η
    (field-13). The chain from zero is fixed-horizon TD (field-14). With m = d + Wᵀm emphatic TD's
    matrix is a sum of squares (field-10).                                                             *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From theory Require Import Powers Limits Spectra Definite OnPolicy Joint Chain Convergence Windows Extras.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Algebra.

Variables (R : comUnitRingType) (S F : nat).
Variables (Phi : 'M[R]_(S, F)) (D P : 'M[R]_S) (r : 'cV[R]_S) (gamma : R).

Local Notation X := (X Phi D).
Local Notation Y := (Y Phi D P).
Local Notation A := (A Phi D P gamma).
Local Notation B := (B Phi D P gamma).
Local Notation Pi := (Pi Phi D).
Local Notation b := (b Phi D r).

(** field-14: head h of the chain from zero is a sum of h regressions, its values h projected Bellman steps. *)
Theorem field_14 h : X \in unitmx ->
  theta Phi D P r gamma 0 h = gsum B h *m invmx X *m b /\
  Phi *m theta Phi D P r gamma 0 h = gsum (gamma *: (Pi *m P)) h *m (Pi *m r).
Proof.
move=> uX; split; first by rewrite eq_closed_form // mulmx0 addr0.
elim: h => [|h IH]; first by rewrite gsum0 mul0mx mulmx0.
rewrite value_recursion IH gsumSl [RHS]mulmxDl mul1mx mulmxDr; congr (_ + _).
by rewrite -!scalemxAl -scalemxAr !mulmxA.
Qed.

(** O, along what ΦᵀD(1 − γP) does not see. *)
Definition oblique := Phi *m invmx A *m Phi^T *m D *m (1%:M - gamma *: P).

(** field-9: Φθ_π = Ov_π with a projection O onto the span; the error is (O − 1)(v_π − Πv_π). *)
Theorem field_9 (theta_pi := invmx A *m b) (v_pi := invmx (1%:M - gamma *: P) *m r) :
  X \in unitmx -> A \in unitmx -> 1%:M - gamma *: P \in unitmx ->
  [/\ oblique *m oblique = oblique, oblique *m Phi = Phi, Phi *m theta_pi = oblique *m v_pi &
      Phi *m theta_pi - v_pi = (oblique - 1%:M) *m (v_pi - Pi *m v_pi)].
Proof.
move=> uX uA uP.
have OPhi : oblique *m Phi = Phi.
  have -> : oblique *m Phi = Phi *m invmx A *m A by rewrite [X in _ = _ *m X]A_def /oblique !mulmxA.
  by rewrite mulmxKV.
have Ov : oblique *m v_pi = Phi *m theta_pi.
  by rewrite /oblique /v_pi /theta_pi /Chain.b -!mulmxA [_ *m (invmx _ *m r)]mulKVmx.
split=> //; first by rewrite {2}/oblique !mulmxA OPhi.
rewrite mulmxBr mulmxBl Ov mul1mx mulmxA mulmxBl mul1mx.
have -> : oblique *m Pi = Pi by rewrite /Chain.Pi !mulmxA OPhi.
by rewrite subrr mul0mx subr0.
Qed.

End Algebra.

Section Field.

Variable C : numClosedFieldType.
Variables (S F : nat) (Phi : 'M[C]_(S, F)) (P : 'M[C]_S) (gamma : C).

Lemma discounted_rho : stochastic P -> 0 <= gamma -> rho_le (gamma *: P) gamma.
Proof.
move=> stoch; rewrite le_eqVlt => /predU1P[<- z /eigenP [v]|g0 z].
  rewrite scale0r mul0mx => /esym /eqP; rewrite scaler_eq0 => /orP[/eqP -> _|/eqP ->]; first by rewrite normr0.
  by rewrite eqxx.
have -> : gamma *: P = 0%:M + gamma *: P by rewrite raddf0 add0r.
case/(eigenvalue_affine_inv (lt0r_neq0 g0)) => w /(stochastic_rho stoch) w1 ->.
by rewrite add0r normrM gtr0_norm // -{2}[gamma]mulr1 ler_pmul2l.
Qed.

Section Weights.

Variable D : 'M[C]_S.

Local Notation X := (X Phi D).
Local Notation Y := (Y Phi D P).
Local Notation A := (A Phi D P gamma).
Local Notation B := (B Phi D P gamma).

(** field-2: where the chain is unbiased for every start LSTD has its solution. *)
Theorem field_2 : X \in unitmx ->
  A = X *m (1%:M - B) /\ (rho_lt B 1 -> A \in unitmx /\ invmx (1%:M - B) = invmx A *m X).
Proof.
move=> uX; have AE : A = X *m (1%:M - B) by rewrite -(XA _ _ uX) mulKVmx.
split=> // rho.
have uB : 1%:M - B \in unitmx.
  apply: inj_unit => v; rewrite mulmxBl mul1mx => /subr0_eq Bv; apply/eqP; apply: contraT => v0.
  by have /rho : eigenvalue B 1; [apply/eigenP; exists v; rewrite ?scale1r | rewrite normr1 ltxx].
have uA : A \in unitmx by rewrite AE unitmx_mul uX.
by split=> //; rewrite -[LHS](mulKmx uA) AE -mulmxA mulmxV // mulmx1.
Qed.

(** field-6: features that P maps into their span are safe for the chain, whatever the weights. *)
Theorem field_6 (W : 'M[C]_F) : X \in unitmx -> stochastic P -> 0 <= gamma -> P *m Phi = Phi *m W ->
  [/\ Y = X *m W, B = gamma *: W & rho_le B gamma].
Proof.
move=> uX stoch g0 closed.
have YE : Y = X *m W by rewrite /Chain.Y -mulmxA closed mulmxA.
have BE : B = gamma *: W by rewrite /Chain.B YE mulKmx.
split=> // z /eigenP [v Bv v0]; apply: (discounted_rho stoch g0); apply/eigenP; exists (Phi *m v).
  by rewrite -scalemxAl mulmxA closed -mulmxA scalemxAr [in RHS]scalemxAr -Bv BE -scalemxAl.
apply: contra v0 => /eqP Pv; have : X *m v = 0 by rewrite /Chain.X -mulmxA Pv mulmx0.
by move=> /(congr1 (mulmx (invmx X))); rewrite mulKmx // mulmx0 => ->.
Qed.

End Weights.

Variable d : 'rV[C]_S.
Hypothesis Phi_real : realmx Phi.
Hypothesis independent : forall v : 'cV[C]_F, Phi *m v = 0 -> v = 0.
Hypothesis d_pos : forall i, 0 < d 0 i.
Hypothesis P_stochastic : stochastic P.

Local Notation D := (diag_mx d).
Local Notation A := (A Phi D P gamma).

Lemma eigenvalue_below n (M : 'M[C]_n) : exists2 c, 0 < c & rho_lt M c.
Proof.
pose c := 1 + \sum_i \sum_j `|M i j|; have sum0 i : 0 <= \sum_j `|M i j| by apply: sumr_ge0.
have c0 : 0 < c by rewrite ltr_paddr // sumr_ge0.
exists c => // z ez; suff /(_ (0 + c^-1 * z)) : rho_lt (c^-1 *: M) 1.
  have := eigenvalue_affine 0 c^-1 ez; rewrite raddf0 add0r => e /(_ e).
  by rewrite add0r normrM gtr0_norm ?invr_gt0 // mulrC ltr_pdivr_mulr // mul1r.
apply: row_sums => i; under eq_bigr do rewrite mxE normrM (gtr0_norm (_ : 0 < c^-1)) ?invr_gt0 //.
rewrite -mulr_sumr mulrC ltr_pdivr_mulr // mul1r.
rewrite (bigD1 i) //= in c c0 *; rewrite /c ltr_spaddl // ler_addl.
by apply: sumr_ge0 => j _; apply: sum0.
Qed.

(** field-13: residual gradient is stable for every problem; ridge TD for all η from some on; where ridge rests. *)
Theorem field_13 (r : 'cV[C]_S) (residual := (1%:M - gamma *: P) *m Phi) (b := b Phi D r) :
  0 <= gamma -> gamma < 1 ->
  [/\ forall z, eigenvalue (residual^T *m D *m residual) z -> 0 < z,
      exists eta0, forall eta, eta0 < eta -> forall z, eigenvalue (A + eta%:M) z -> 0 < 'Re z &
      forall eta, A \in unitmx -> A + eta%:M \in unitmx ->
        invmx (A + eta%:M) *m b - invmx A *m b = - eta *: (invmx (A + eta%:M) *m (invmx A *m b)) /\
        (X Phi D + eta%:M \in unitmx ->
         invmx (X Phi D + eta%:M) *m (gamma *: Y Phi D P *m (invmx (A + eta%:M) *m b) + b) = invmx (A + eta%:M) *m b)].
Proof.
move=> g0 g1; split.
- have inj : forall v : 'cV[C]_F, residual *m v = 0 -> v = 0.
    move=> v; rewrite /residual -mulmxA mulmxBl mul1mx => /subr0_eq Pv; apply: independent.
    apply/eqP; apply: contraT => v0.
    have /(discounted_rho P_stochastic g0) : eigenvalue (gamma *: P) 1.
      by apply/eigenP; exists (Phi *m v); rewrite // scale1r.
    by rewrite normr1 => /(le_lt_trans) /(_ g1); rewrite ltxx.
  have real : realmx residual.
    have Pr : realmx P by apply: real_nonneg; case: P_stochastic.
    rewrite /realmx /residual map_mxM map_mxB map_scalar_mx map_mxZ /= rmorph1 Phi_real Pr.
    by rewrite (conj_Creal (ger0_real g0)).
  by move=> z; apply: posdef_eigen; apply: injective_posdef.
- have [c c0 bound] := eigenvalue_below A; exists c => eta ec z.
  have -> : A + eta%:M = eta%:M + 1 *: A by rewrite scale1r addrC.
  case/(eigenvalue_affine_inv (oner_neq0 _)) => w /bound wc ->; rewrite mul1r raddfD /=.
  have eta_real : eta \is Num.real by rewrite -(subrK c eta) rpredD ?gtr0_real // subr_gt0.
  rewrite (Creal_ReP _ eta_real) -[X in _ + X]opprK subr_gt0; apply: le_lt_trans ec; apply: le_trans (ltW wc).
  rewrite -normrN -raddfN; apply: le_trans (real_ler_norm (Creal_Re _)) _.
  exact: leif_normC_Re_Creal.
move=> eta uA uR; set t := invmx (A + eta%:M) *m b; set p := invmx A *m b.
have At : A *m t = b - eta *: t.
  apply/eqP; rewrite eq_sym subr_eq -[eta *: t]mul_scalar_mx -mulmxDl /t mulKVmx //.
split.
  have e : (A + eta%:M) *m (t - p) = - eta *: p.
    have Ap : A *m p = b by rewrite /p mulKVmx.
    by rewrite mulmxBr [X in X - _](mulKVmx uR) mulmxDl Ap mul_scalar_mx opprD addrA subrr add0r scaleNr.
  by rewrite -[LHS](mulKmx uR) e -scalemxAr.
move=> uX; have -> : gamma *: Y Phi D P *m t + b = (X Phi D + eta%:M) *m t; last by rewrite mulKmx.
have : A *m t = X Phi D *m t - gamma *: Y Phi D P *m t by rewrite /Chain.A mulmxBl.
rewrite At => e; rewrite mulmxDl mul_scalar_mx.
have -> : X Phi D *m t = b - eta *: t + gamma *: Y Phi D P *m t by rewrite e subrK.
by rewrite addrAC subrK addrC.
Qed.

End Field.

Section Emphatic.

Variable C : numClosedFieldType.
Variables (S F : nat) (Phi : 'M[C]_(S, F)) (d m : 'rV[C]_S) (W : 'M[C]_S).

Hypothesis Phi_real : realmx Phi.
Hypothesis independent : forall v : 'cV[C]_F, Phi *m v = 0 -> v = 0.
Hypothesis d_pos : forall i, 0 < d 0 i.
Hypothesis W_pos : forall i j, 0 <= W i j.
Hypothesis W_rows : forall i, \sum_j W i j <= 1.
Hypothesis m_pos : forall i, 0 <= m 0 i.
Hypothesis emphasis : m = d + m *m W.

Local Notation M := (diag_mx m).
Local Notation key := (M *m (1%:M - W)).

Lemma emphatic_squares (w : 'cV[C]_S) : form key w + (form key w)^* =
  \sum_i (m 0 i * (1 - \sum_j W i j) + d 0 i) * `|w i 0| ^+ 2 +
  \sum_i \sum_j m 0 i * W i j * `|w i 0 - w j 0| ^+ 2.
Proof.
have mc i : (m 0 i)^* = m 0 i by apply: conj_Creal; apply: ger0_real.
have Wc i j : (W i j)^* = W i j by apply: conj_Creal; apply: ger0_real.
pose a := \sum_i m 0 i * `|w i 0| ^+ 2.
pose p := \sum_i \sum_j m 0 i * W i j * `|w i 0| ^+ 2; pose q := \sum_i \sum_j m 0 i * W i j * `|w j 0| ^+ 2.
pose x := \sum_i \sum_j m 0 i * W i j * ((w i 0)^* * w j 0).
pose y := \sum_i \sum_j m 0 i * W i j * (w i 0 * (w j 0)^*).
have MW : form (M *m W) w = x.
  rewrite /form -mulmxA -mulmxA mxE; apply: eq_bigr => i _; rewrite adjE.
  rewrite mul_diag_mx mxE mxE !mulr_sumr; apply: eq_bigr => j _.
  by rewrite mulrCA -mulrA; congr (_ * _); rewrite mulrCA.
have MWc : x^* = y.
  rewrite /x rmorph_sum; apply: eq_bigr => i _; rewrite rmorph_sum; apply: eq_bigr => j _.
  by rewrite !rmorphM /= conjCK mc Wc.
have ac : a^* = a.
  rewrite /a rmorph_sum; apply: eq_bigr => i _; rewrite rmorphM /= mc; congr (_ * _).
  by rewrite !normCK rmorphM /= conjCK mulrC.
rewrite mulmxBr mulmx1 formB form_diag -/a MW rmorphB /= ac MWc.
have -> : \sum_i (m 0 i * (1 - \sum_j W i j) + d 0 i) * `|w i 0| ^+ 2 = a - p + (a - q).
  have -> : a - q = \sum_i d 0 i * `|w i 0| ^+ 2.
    rewrite /q exchange_big -sumrB; apply: eq_bigr => j _; rewrite -mulr_suml -mulrBl; congr (_ * _).
    by rewrite {1}emphasis !mxE addrK.
  rewrite /a /p -sumrB -big_split; apply: eq_bigr => i _ /=; rewrite mulrDl; congr (_ + _).
  by rewrite mulrBr mulr1 mulrBl mulr_sumr mulr_suml.
have -> : \sum_i \sum_j m 0 i * W i j * `|w i 0 - w j 0| ^+ 2 = p - x - y + q.
  rewrite /p /x /y /q -!sumrB -big_split; apply: eq_bigr => i _ /=; rewrite -!sumrB -big_split; apply: eq_bigr => j _ /=.
  rewrite !normCK rmorphB /=; move: (w i 0) (w j 0) => u v; move: (u^*) (v^*) => u1 v1; move: (m 0 i * W i j) => c.
  by ring.
by move: a p q x y {MW MWc ac} => a p q x y; ring.
Qed.

(** field-10: emphatic TD is positive definite, hence stable, whatever the problem. *)
Theorem field_10 (A := Phi^T *m M *m (1%:M - W) *m Phi) :
  (forall w, form key w + (form key w)^* =
     \sum_i (m 0 i * (1 - \sum_j W i j) + d 0 i) * `|w i 0| ^+ 2 +
     \sum_i \sum_j m 0 i * W i j * `|w i 0 - w j 0| ^+ 2) /\
  posdef (A + A^h) /\ forall z, eigenvalue A z -> 0 < 'Re z.
Proof.
have pos : posdef (A + A^h).
  move=> v v0; rewrite formD form_adj /A -(adj_real Phi_real) -[_ *m M *m _]mulmxA form_congr emphatic_squares.
  have : Phi *m v != 0 by apply: contra v0 => /eqP /independent ->.
  move: (Phi *m v) => w w0; apply: ltr_paddr.
    by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; rewrite !mulr_ge0 ?exprn_ge0.
  apply: lt_le_trans (dnorm2_gt0 d_pos w0) _; apply: ler_sum => i _; rewrite ler_wpmul2r ?exprn_ge0 // ler_addr.
  by rewrite mulr_ge0 // subr_ge0.
by split; [exact: emphatic_squares | split=> //; apply: symmetric_part_stable].
Qed.

End Emphatic.
