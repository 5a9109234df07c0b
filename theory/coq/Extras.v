(** Beyond the paper: on-policy, and with enough steps, the chain is unbiased for every Φ; what it sees of Φ, and TD.

    With |w|_D² = Σ d_i|w_i|²: rows of P are averages, so |Pw|_D ≤ |w|_D where d is stationary (Jensen), and Π is the
    orthogonal projection of that norm, |Πw|_D ≤ |w|_D (Pythagoras). Hence ρ(γΠP) ≤ γ (extra-on-policy). Π depends on the
    span of Φ alone, and where X = 1 TD asks Re β < 1 of the eigenvalues β of B (extra-basis).          *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From theory Require Import Powers Limits Spectra Definite OnPolicy Joint Chain Convergence.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section OnPolicy.

Variable C : numClosedFieldType.
Variables (S F : nat) (Phi : 'M[C]_(S, F)) (d : 'rV[C]_S) (P : 'M[C]_S).

Hypothesis Phi_real : realmx Phi.
Hypothesis independent : forall v : 'cV[C]_F, Phi *m v = 0 -> v = 0.
Hypothesis d_pos : forall i, 0 < d 0 i.

Local Notation D := (diag_mx d).
Local Notation X := (X Phi D).
Local Notation Pi := (Pi Phi D).
Local Notation dnorm2 := (dnorm2 d).

Lemma uX : X \in unitmx. Proof. exact: X_unit Phi_real independent d_pos. Qed.

Lemma X_adj : X^h = X.
Proof. by rewrite /X !adjM adj_D // (adj_real Phi_real) -(adj_real Phi_real) adjK mulmxA. Qed.

Lemma DPi_adj : (D *m Pi)^h = D *m Pi.
Proof.
have iX : (invmx X)^h = invmx X.
  by rewrite -[LHS](mulmxK uX) -{2}X_adj -adjM mulmxV ?uX // adj1 mul1mx.
by rewrite /Pi !adjM iX adj_D // -(adj_real Phi_real) adjK !mulmxA.
Qed.

Lemma Pi_contracts (w : 'cV[C]_S) : dnorm2 (Pi *m w) <= dnorm2 w.
Proof.
rewrite /dnorm2 -!form_diag -subr_ge0.
have e : Pi^h *m D = D *m Pi by have := DPi_adj; rewrite adjM adj_D.
have -> : form D w - form D (Pi *m w) = form D ((1%:M - Pi) *m w).
  have ee : D *m Pi *m Pi = D *m Pi by rewrite -mulmxA Pi_idempotent ?uX.
  rewrite -!form_congr -formB; congr (form _ w); rewrite adjB adj1 mulmxBl mul1mx e ee mulmxBr mulmx1 mulmxBl ee.
  by rewrite subrr subr0.
by rewrite form_diag; apply: sumr_ge0 => i _; rewrite mulr_ge0 ?exprn_ge0 // ltW.
Qed.

Hypothesis P_stochastic : stochastic P.

Lemma power_norm n (w : 'cV[C]_S) c : (forall j, `|w j 0| <= c) -> forall i, `|(P ^^ n *m w) i 0| <= c.
Proof.
by elim: n => [|n IH] wc; [rewrite mul1mx | move=> i; rewrite /= -mulmxA; apply: stochastic_norm => //; apply: IH].
Qed.

Lemma dnorm2Z c (v : 'cV[C]_S) : dnorm2 (c *: v) = `|c| ^+ 2 * dnorm2 v.
Proof. by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mxE normrM exprMn mulrCA. Qed.

(** extra-n-step: |Pⁿw|_D ≤ max|w| ≤ |w|_D/√(min d), so enough steps make every Φ safe; m is min d, or below it. *)
Theorem extra_n_step n gamma m : \sum_i d 0 i = 1 -> 0 < m -> (forall i, m <= d 0 i) ->
  0 <= gamma -> (gamma ^+ n) ^+ 2 < m -> rho_lt (gamma ^+ n *: (Pi *m P ^^ n)) 1.
Proof.
move=> d1 m0 md g0; set g := gamma ^+ n => gm z /eigenP [w zw w0].
have [i wi] : exists i, forall j, `|w j 0| <= `|w i 0|.
  have [i _] := nonzero_entry w0; move: i (w); case: (S) => [[] //|k] _ v.
  exact: (largest (fun j => normr_ge0 (v j 0))).
have short : m * dnorm2 (P ^^ n *m w) <= dnorm2 w.
  apply: (@le_trans _ _ (m * `|w i 0| ^+ 2)).
    rewrite ler_pmul2l // -[`|w i 0| ^+ 2]mul1r -d1 mulr_suml; apply: ler_sum => j _.
    by rewrite ler_pmul2l // ler_pexpn2r ?nnegrE //; apply: power_norm.
  rewrite /dnorm2 (bigD1 i) //=; apply: ler_paddr; last by rewrite ler_wpmul2r ?exprn_ge0.
  by apply: sumr_ge0 => j _; rewrite mulr_ge0 ?exprn_ge0 // ltW.
have w_pos : 0 < dnorm2 w by apply: dnorm2_gt0.
have : m * (`|z| ^+ 2 * dnorm2 w) <= g ^+ 2 * dnorm2 w.
  rewrite -dnorm2Z -zw -scalemxAl dnorm2Z ger0_norm ?exprn_ge0 // mulrCA ler_wpmul2l ?exprn_ge0 //.
  apply: le_trans short; rewrite ler_pmul2l // -mulmxA; exact: Pi_contracts.
rewrite mulrA ler_pmul2r // => /le_lt_trans /(_ gm); rewrite -{2}[m]mulr1 ltr_pmul2l // => z1.
by move: z1; rewrite -{1}(expr1n _ 2) ltr_pexpn2r ?nnegrE.
Qed.

Hypothesis stationary : d *m P = d.

Lemma row_jensen (w : 'cV[C]_S) i : `|(P *m w) i 0| ^+ 2 <= \sum_j P i j * `|w j 0| ^+ 2.
Proof.
set m := (P *m w) i 0; have [P0 P1] := P_stochastic.
have mE : m = \sum_j P i j * w j 0 by rewrite /m mxE.
have mC : m^* = \sum_j P i j * (w j 0)^*.
  rewrite mE rmorph_sum; apply: eq_bigr => j _; rewrite rmorphM /=; congr (_ * _).
  by apply: conj_Creal; apply: ger0_real.
rewrite -subr_ge0; have -> : \sum_j P i j * `|w j 0| ^+ 2 - `|m| ^+ 2 = \sum_j P i j * `|w j 0 - m| ^+ 2.
  have e j : P i j * `|w j 0 - m| ^+ 2 =
      P i j * `|w j 0| ^+ 2 - P i j * w j 0 * m^* - P i j * (w j 0)^* * m + P i j * `|m| ^+ 2.
    rewrite !normCK rmorphB /=; move: (P i j) (w j 0) ((w j 0)^*) (m^*) => q x x1 m1.
    by ring.
  under [RHS]eq_bigr do rewrite e; rewrite big_split !sumrB /= -!mulr_suml -mE -mC P1 mul1r normCK.
  by rewrite [m^* * m]mulrC subrK.
by apply: sumr_ge0 => j _; rewrite mulr_ge0 // exprn_ge0.
Qed.

Lemma P_contracts (w : 'cV[C]_S) : dnorm2 (P *m w) <= dnorm2 w.
Proof.
rewrite -(targets stationary w); apply: ler_sum => i _.
under eq_bigr do rewrite -mulrA; rewrite -mulr_sumr ler_wpmul2l ?row_jensen //.
exact: ltW.
Qed.

(** extra-on-policy: ΠP does not lengthen values, so the chain is unbiased whatever the features are. *)
Theorem extra_on_policy gamma : 0 <= gamma ->
  (forall w, dnorm2 (Pi *m (P *m w)) <= dnorm2 w) /\ rho_le (gamma *: (Pi *m P)) gamma.
Proof.
move=> g0; have short w : dnorm2 (Pi *m (P *m w)) <= dnorm2 w by apply: le_trans (Pi_contracts _) (P_contracts _).
split=> // z /eigenP [w zw w0].
have : `|z| ^+ 2 * dnorm2 w <= `|gamma| ^+ 2 * dnorm2 w.
  by rewrite -!dnorm2Z -zw -scalemxAl !dnorm2Z ler_wpmul2l ?exprn_ge0 // -mulmxA.
rewrite ler_pmul2r; last by rewrite /dnorm2 -form_diag; apply: posdef_diag.
by rewrite (ger0_norm g0) ler_pexpn2r ?nnegrE.
Qed.

End OnPolicy.

Section Basis.

Variable C : numClosedFieldType.
Variables (S F : nat) (Phi : 'M[C]_(S, F)) (D P : 'M[C]_S) (gamma : C).

(** extra-basis: Φ' = ΦR has the same Π, hence the same ρ(γΠP), and B' = R⁻¹BR; where X = 1, TD is stable exactly when
    Re β < 1 for every eigenvalue β of B, which ρ(B) < 1 implies. *)
Theorem extra_basis (R : 'M[C]_F) : X Phi D \in unitmx -> R \in unitmx ->
  [/\ Pi (Phi *m R) D = Pi Phi D, B (Phi *m R) D P gamma = invmx R *m B Phi D P gamma *m R &
      X Phi D = 1%:M ->
        ((forall z, eigenvalue (A Phi D P gamma) z -> 0 < 'Re z) <->
         (forall z, eigenvalue (B Phi D P gamma) z -> 'Re z < 1)) /\
        (rho_lt (B Phi D P gamma) 1 -> forall z, eigenvalue (A Phi D P gamma) z -> 0 < 'Re z)].
Proof.
move=> uX uR; have uT : R^T \in unitmx by rewrite unitmx_tr.
have XE : X (Phi *m R) D = R^T *m (X Phi D *m R) by rewrite /X trmx_mul !mulmxA.
have iX : invmx (X (Phi *m R) D) = invmx R *m invmx (X Phi D) *m invmx R^T.
  rewrite XE; move: (X Phi D) uX => x ux.
  have u : R^T *m (x *m R) \in unitmx by rewrite !unitmx_mul uT ux uR.
  have e : R^T *m (x *m R) *m (invmx R *m invmx x *m invmx R^T) = 1%:M.
    by rewrite -!mulmxA mulKVmx // mulKVmx // mulmxV.
  by rewrite -[RHS](mulKmx u) e mulmx1.
split.
- by rewrite /Pi iX trmx_mul; move: (invmx (X Phi D)) => i; rewrite !mulmxA mulmxK // mulmxKV.
- rewrite /B iX /Y trmx_mul -scalemxAr -scalemxAl; move: (invmx (X Phi D)) => i.
  by rewrite !mulmxA mulmxKV.
move=> X1; have AE : A Phi D P gamma = 1%:M + (-1) *: B Phi D P gamma.
  by rewrite scaleN1r -(XA _ _ uX) X1 invmx1 mul1mx.
have one : 'Re 1 = 1 :> C by apply/Creal_ReP; rewrite real1.
have flip z : eigenvalue (A Phi D P gamma) (1 - z) = eigenvalue (B Phi D P gamma) z.
  apply/idP/idP => [|ez]; last by rewrite AE; have := eigenvalue_affine 1 (-1) ez; rewrite mulN1r.
  rewrite AE => /(eigenvalue_affine_inv (_ : -1 != 0)); rewrite oppr_eq0 oner_eq0 => /(_ isT) [w ew].
  by rewrite mulN1r => /addrI /oppr_inj ->.
have main : (forall z, eigenvalue (A Phi D P gamma) z -> 0 < 'Re z) <->
            (forall z, eigenvalue (B Phi D P gamma) z -> 'Re z < 1).
  split=> H z ez; first by have := H (1 - z); rewrite flip raddfB /= one subr_gt0; apply.
  have := H (1 - z); rewrite -flip opprB addrCA subrr addr0 raddfB /= one => /(_ ez).
  by rewrite ltr_subl_addr ltr_addl.
split=> // rho; apply/main => z /rho; apply: le_lt_trans; apply: le_trans (real_ler_norm (Creal_Re _)) _.
exact: leif_normC_Re_Creal.
Qed.

End Basis.
