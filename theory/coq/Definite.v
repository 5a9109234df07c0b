(** Positive definite forms, and what they say about eigenvalues.

    vᴴ is the conjugate transpose, ⟨A⟩v = vᴴAv. A is positive definite when ⟨A⟩v > 0 for v ≠ 0.

    - Lyapunov: Q ≻ 0 and QA + AᴴQ ≻ 0 give Re z > 0 for every eigenvalue z of A, since
      ⟨QA + AᴴQ⟩v = 2 Re z·⟨Q⟩v for an eigenvector v. With Q = 1: A + Aᴴ ≻ 0 suffices.
    - Stein: Q ≻ 0 and Q − BᴴQB ≻ 0 give |z| < 1, since ⟨Q − BᴴQB⟩v = (1 − |z|²)⟨Q⟩v.
    - Conversely, when Q − BᴴQB ≻ 0 and all |z| < 1, then Q ≻ 0: ⟨Q⟩v = Σ_t ⟨Q − BᴴQB⟩Bᵗv. So a Q that
      solves the inequality and is not positive somewhere shows that an eigenvalue has |z| ≥ 1;
      by Cayley's transform (1 − A)(1 + A)⁻¹ the same for Re z ≤ 0.
    - A = LᵀDL with D > 0 and L invertible is positive definite (Cholesky without roots); a symmetric matrix
      whose diagonal dominates is positive semidefinite (Gershgorin).        *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From theory Require Import Powers Limits Spectra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Reserved Notation "A ^h" (at level 8, format "A ^h").

Section Forms.

Variable C : numClosedFieldType.

Definition adj m n (A : 'M[C]_(m, n)) : 'M[C]_(n, m) := (map_mx conjC A)^T.
Local Notation "A ^h" := (adj A) : ring_scope.

Lemma adjE m n (A : 'M[C]_(m, n)) i j : A^h i j = (A j i)^*.
Proof. by rewrite !mxE. Qed.
Lemma adjM m n p (A : 'M[C]_(m, n)) (B : 'M[C]_(n, p)) : (A *m B)^h = B^h *m A^h.
Proof. by rewrite /adj map_mxM trmx_mul. Qed.
Lemma adjD m n (A B : 'M[C]_(m, n)) : (A + B)^h = A^h + B^h.
Proof. by rewrite /adj map_mxD linearD. Qed.
Lemma adjN m n (A : 'M[C]_(m, n)) : (- A)^h = - A^h.
Proof. by rewrite /adj map_mxN linearN. Qed.
Lemma adjB m n (A B : 'M[C]_(m, n)) : (A - B)^h = A^h - B^h.
Proof. by rewrite adjD adjN. Qed.
Lemma adjZ m n c (A : 'M[C]_(m, n)) : (c *: A)^h = c^* *: A^h.
Proof. by rewrite /adj map_mxZ linearZ. Qed.
Lemma adjK m n (A : 'M[C]_(m, n)) : A^h^h = A.
Proof. by apply/matrixP => i j; rewrite !adjE conjCK. Qed.
Lemma adj1 n : (1%:M : 'M[C]_n)^h = 1%:M.
Proof. by rewrite /adj map_mx1 trmx1. Qed.

(** A real matrix is its own conjugate. *)
Definition realmx m n (A : 'M[C]_(m, n)) := map_mx conjC A = A.
Lemma adj_real m n (A : 'M[C]_(m, n)) : realmx A -> A^h = A^T.
Proof. by move=> e; rewrite /adj e. Qed.

Definition form n (A : 'M[C]_n) (v : 'cV[C]_n) : C := (v^h *m A *m v) 0 0.

Definition posdef n (A : 'M[C]_n) := forall v, v != 0 -> 0 < form A v.
Definition possemi n (A : 'M[C]_n) := forall v, 0 <= form A v.

Lemma formD n (A B : 'M[C]_n) v : form (A + B) v = form A v + form B v.
Proof. by rewrite /form mulmxDr mulmxDl mxE. Qed.
Lemma formZ n c (A : 'M[C]_n) v : form (c *: A) v = c * form A v.
Proof. by rewrite /form -scalemxAr -scalemxAl mxE. Qed.
Lemma formN n (A : 'M[C]_n) v : form (- A) v = - form A v.
Proof. by rewrite -scaleN1r formZ mulN1r. Qed.
Lemma formB n (A B : 'M[C]_n) v : form (A - B) v = form A v - form B v.
Proof. by rewrite formD formN. Qed.
Lemma form0 n (A : 'M[C]_n) : form A 0 = 0.
Proof. by rewrite /form mulmx0 mxE. Qed.
Lemma form_adj n (A : 'M[C]_n) v : form A^h v = (form A v)^*.
Proof. by rewrite -adjE /form !adjM adjK mulmxA. Qed.
Lemma form_congr m n (A : 'M[C]_n) (B : 'M[C]_(n, m)) v : form (B^h *m A *m B) v = form A (B *m v).
Proof. by rewrite /form adjM !mulmxA. Qed.

Lemma form_eigen n (A Q : 'M[C]_n) v z : A *m v = z *: v ->
  form (Q *m A) v = z * form Q v /\ form (A^h *m Q) v = z^* * form Q v.
Proof.
move=> Av; rewrite /form; split.
  by rewrite !mulmxA -mulmxA Av -scalemxAr mxE.
by rewrite !mulmxA -adjM Av adjZ -!scalemxAl mxE.
Qed.

Lemma form_diag n (d : 'rV[C]_n) v : form (diag_mx d) v = \sum_i d 0 i * `|v i 0| ^+ 2.
Proof.
rewrite /form mxE; apply: eq_bigr => i _; rewrite mxE (bigD1 i) //= big1 => [|j ji]; last first.
  by rewrite !mxE (negPf ji) mulr0.
by rewrite addr0 adjE !mxE eqxx normCK mulrAC mulrC [v i 0 * _]mulrC.
Qed.

Lemma form1 n (v : 'cV[C]_n) : form 1%:M v = \sum_i `|v i 0| ^+ 2.
Proof. by rewrite -diag_const_mx form_diag; apply: eq_bigr => i _; rewrite mxE mul1r. Qed.

Lemma posdef_diag n (d : 'rV[C]_n) : (forall i, 0 < d 0 i) -> posdef (diag_mx d).
Proof.
move=> d0 v /nonzero_entry [i vi]; rewrite form_diag (bigD1 i) //=.
apply: ltr_paddr; last by rewrite mulr_gt0 // exprn_gt0 // normr_gt0.
by apply: sumr_ge0 => j _; rewrite mulr_ge0 ?exprn_ge0 // ltW.
Qed.

Lemma posdef1 n : posdef (1%:M : 'M[C]_n).
Proof. by rewrite -diag_const_mx; apply: posdef_diag => i; rewrite mxE ltr01. Qed.

Lemma posdef_congr m n (A : 'M[C]_n) (B : 'M[C]_(n, m)) :
  posdef A -> (forall v : 'cV_m, B *m v = 0 -> v = 0) -> posdef (B^h *m A *m B).
Proof.
by move=> A0 inj v v0; rewrite form_congr; apply: A0; apply: contra v0 => /eqP /inj ->.
Qed.

(** Cholesky's certificate. *)
Lemma cholesky n (A L : 'M[C]_n) (d : 'rV[C]_n) : A = L^h *m diag_mx d *m L -> L \in unitmx ->
  (forall i, 0 < d 0 i) -> posdef A.
Proof.
move=> -> uL d0; apply: posdef_congr (posdef_diag d0) _ => v /(congr1 (mulmx (invmx L))).
by rewrite mulmxA mulVmx // mul1mx mulmx0.
Qed.

Lemma posdef_inj n (A : 'M[C]_n) : posdef A -> forall v : 'cV_n, A *m v = 0 -> v = 0.
Proof.
move=> A0 v Av; apply/eqP; apply: contraT => /A0; rewrite /form -mulmxA Av mulmx0 mxE.
by rewrite ltxx.
Qed.

Lemma inj_unit n (A : 'M[C]_n) : (forall v : 'cV_n, A *m v = 0 -> v = 0) -> A \in unitmx.
Proof.
move=> inj; rewrite unit_eigenvalue; apply/negP => /eigenP [v]; rewrite scale0r => /inj -> /eqP.
by [].
Qed.

Lemma posdef_unit n (A : 'M[C]_n) : posdef A -> A \in unitmx.
Proof. by move=> A0; apply: inj_unit; apply: posdef_inj. Qed.

Lemma posdef_eigen n (A : 'M[C]_n) z : posdef A -> eigenvalue A z -> 0 < z.
Proof.
move=> A0 /eigenP [v Av v0]; have [e _] := form_eigen 1%:M Av; rewrite mul1mx in e.
by have := A0 v v0; rewrite e pmulr_lgt0 //; apply: posdef1.
Qed.

Theorem lyapunov_stable n (A Q : 'M[C]_n) : posdef Q -> posdef (Q *m A + A^h *m Q) ->
  forall z, eigenvalue A z -> 0 < 'Re z.
Proof.
move=> Q0 N0 z /eigenP [v Av v0]; have [e f] := form_eigen Q Av.
have := N0 v v0; rewrite formD e f -mulrDl pmulr_lgt0 ?Q0 // => zz.
by rewrite ReE divr_gt0 // ltr0n.
Qed.

Corollary symmetric_part_stable n (A : 'M[C]_n) : posdef (A + A^h) -> forall z, eigenvalue A z -> 0 < 'Re z.
Proof. by move=> A0; apply: (@lyapunov_stable _ _ 1%:M); rewrite ?mul1mx ?mulmx1 //; apply: posdef1. Qed.

Theorem stein_stable n (B Q : 'M[C]_n) : posdef Q -> posdef (Q - B^h *m Q *m B) -> rho_lt B 1.
Proof.
move=> Q0 N0 z /eigenP [v Bv v0].
have := N0 v v0; rewrite formB form_congr Bv.
have -> : form Q (z *: v) = `|z| ^+ 2 * form Q v.
  by rewrite /form adjZ -scalemxAl -scalemxAl -scalemxAr !mxE normCK mulrCA mulrA.
rewrite -{1}[form Q v]mul1r -mulrBl pmulr_lgt0 ?Q0 // subr_gt0.
by rewrite -{1}(expr1n _ 2) ltr_pexpn2r ?nnegrE ?ler01.
Qed.

(** Q − B*QB ≻ 0 and ρ(B) < 1 make Q positive. *)
Lemma form_vanishes n (Q : 'M[C]_n) (v : nat -> 'cV[C]_n) :
  (exists2 c, 0 <= c & forall t i, `|v t i 0| <= c) -> mvanishes v -> vanishes (fun t => form Q (v t)).
Proof.
move=> [c c0 vc] van; apply: (@vanishes_ext _ (fun t => \sum_i ((v t i 0)^* * (Q *m v t) i 0))).
  by move=> t; rewrite /form -mulmxA mxE; apply: eq_bigr => i _; rewrite adjE.
apply: vanishes_sum => i; apply: (@vanishes_dominated _ _ (fun t => c * (Q *m v t) i 0)).
  by apply: vanishesZ; apply: (mvanishesMl Q van i 0).
by move=> t; rewrite !normrM norm_conjC (ger0_norm c0) ler_wpmul2r.
Qed.

Lemma orbit_bounded n (B : 'M[C]_n) (v : 'cV[C]_n) : rho_lt B 1 ->
  exists2 c, 0 <= c & forall t i, `|(B ^^ t *m v) i 0| <= c.
Proof.
move=> /powers_geometric g.
suff: forall s : seq 'I_n, exists2 c, 0 <= c & forall t i, i \in s -> `|(B ^^ t *m v) i 0| <= c.
  by move=> /(_ (enum 'I_n)) [c c0 H]; exists c => // t i; apply: H; rewrite mem_enum.
have entry i : exists2 c, 0 <= c & forall t, `|(B ^^ t *m v) i 0| <= c.
  suff: forall s : seq 'I_n, exists2 c, 0 <= c & forall t, `|\sum_(k <- s) (B ^^ t) i k * v k 0| <= c.
    move=> /(_ (index_enum _)) [c c0 H]; exists c => // t; rewrite mxE; exact: H.
  elim=> [|k s [c c0 H]]; first by exists 0 => // t; rewrite big_nil normr0.
  have [e e0 He] := geometric_bounded (g i k); exists (e * `|v k 0| + c).
    by rewrite addr_ge0 // mulr_ge0.
  move=> t; rewrite big_cons; apply: le_trans (ler_norm_add _ _) _.
  by rewrite ler_add // normrM ler_wpmul2r.
elim=> [|k s [c c0 H]]; first by exists 0.
have [e e0 He] := entry k; exists (e + c); first exact: addr_ge0.
move=> t i; rewrite inE => /predU1P [->|/(H t) b].
  by apply: le_trans (He t) _; rewrite ler_addl.
by apply: le_trans b _; rewrite ler_addr.
Qed.

Lemma form_real n (Q : 'M[C]_n) v : Q^h = Q -> form Q v \is Num.real.
Proof. by move=> e; apply/CrealP; rewrite -form_adj e. Qed.

Theorem stein_positive n (B Q : 'M[C]_n) : Num.archimedean_axiom C ->
  Q^h = Q -> rho_lt B 1 -> posdef (Q - B^h *m Q *m B) -> posdef Q.
Proof.
move=> arch herm rho N0; have semi w : form Q (B *m w) <= form Q w.
  have [->|/N0 w0] := eqVneq w 0; first by rewrite mulmx0.
  by move: (ltW w0); rewrite formB form_congr subr_ge0.
move=> v v0; have first : form Q (B *m v) < form Q v.
  by move: (N0 v v0); rewrite formB form_congr subr_gt0.
apply: le_lt_trans first; rewrite real_leNgt ?real0 ?form_real //; apply/negP => neg.
have down t : form Q (B ^^ t *m (B *m v)) <= form Q (B *m v).
  elim: t => [|t IH]; first by rewrite mul1mx.
  by apply: le_trans IH; rewrite mpowS -mulmxA.
have van : vanishes (fun t => form Q (B ^^ t *m (B *m v))).
  apply: form_vanishes; first exact: orbit_bounded.
  by apply: mvanishesMr; apply: powers_vanish.
have [N HN] := van _ (etrans (oppr_gt0 _) neg); have := HN N (leqnn N).
rewrite ltr0_norm ?(le_lt_trans (down N)) // ltr_opp2 => /(le_lt_trans (down N)).
by rewrite ltxx.
Qed.

(** A Q that solves Stein's inequality and is not positive at x: some eigenvalue has |z| ≥ 1. *)
Theorem stein_unstable n (B Q : 'M[C]_n) (x : 'cV[C]_n) : Num.archimedean_axiom C ->
  Q^h = Q -> posdef (Q - B^h *m Q *m B) -> x != 0 -> form Q x <= 0 -> ~ rho_lt B 1.
Proof.
move=> arch herm N0 x0 Qx rho; have := stein_positive arch herm rho N0 x0.
by move=> /lt_le_trans /(_ Qx); rewrite ltxx.
Qed.

Lemma cayley_entry (q x y z : C) : q + y + (x + z) - (q - y + (- x - - z)) = 2%:R * (x + y).
Proof. by ring. Qed.

(** The half plane from the disc: z ↦ (1 − z)/(1 + z). *)
Theorem lyapunov_positive n (A Q : 'M[C]_n) : Num.archimedean_axiom C -> Q^h = Q ->
  (forall z, eigenvalue A z -> 0 < 'Re z) -> posdef (Q *m A + A^h *m Q) -> posdef Q.
Proof.
move=> arch herm stable N0; pose S := 1%:M + A; pose T := 1%:M - A.
have uS : S \in unitmx.
  apply: inj_unit => v; rewrite mulmxDl mul1mx => /eqP; rewrite addr_eq0 => /eqP Av.
  apply/eqP; apply: contraT => v0; have /stable : eigenvalue A (-1).
    by apply/eigenP; exists v => //; rewrite scaleN1r {2}Av opprK.
  by rewrite raddfN /= (Creal_ReP 1 (real1 _)) oppr_gt0 ltr10.
pose B := T *m invmx S.
have BS : B *m S = T by rewrite mulmxKV.
apply: (stein_positive arch herm (B := B)).
  move=> w /eigenP [v Bv v0]; pose u := invmx S *m v.
  have vS : v = S *m u by rewrite mulKVmx.
  have u0 : u != 0 by apply: contra v0 => /eqP e; rewrite vS e mulmx0.
  have Tu : T *m u = w *: (S *m u) by rewrite -vS -Bv -mulmxA.
  have w1 : 1 + w != 0.
    apply: contraTneq u0 => /eqP; rewrite addr_eq0 eq_sym eqr_oppLR => /eqP e.
    move: Tu; rewrite e scaleN1r mulmxBl mulmxDl mul1mx opprD => /addIr /eqP.
    by rewrite -addr_eq0 -mulr2n -scaler_nat scaler_eq0 pnatr_eq0 /= negbK.
  have Au : A *m u = ((1 - w) / (1 + w)) *: u.
    apply: (scalerI w1); rewrite scalerA mulrCA divff // mulr1.
    move: Tu; rewrite mulmxBl mulmxDl mul1mx scalerDr => e.
    have wAu : w *: (A *m u) = u - A *m u - w *: u by rewrite e addrAC subrr add0r.
    by rewrite scalerDl scale1r wAu scalerBl scale1r addrA addrCA subrr addr0.
  have /stable : eigenvalue A ((1 - w) / (1 + w)) by apply/eigenP; exists u.
  rewrite Re_div pmulr_lgt0 ?invr_gt0 ?exprn_gt0 ?normr_gt0 //.
  rewrite !raddfD /= !raddfN /= (Creal_ReP 1 (real1 _)) (Creal_ImP 1 (real1 _)).
  have -> : (1 - 'Re w) * (1 + 'Re w) + (0 - 'Im w) * (0 + 'Im w) = 1 - `|w| ^+ 2.
    by rewrite normC2_Re_Im; ring.
  by rewrite subr_gt0 -[X in _ < X](expr1n _ 2) ltr_pexpn2r ?nnegrE ?ler01.
have -> : Q - B^h *m Q *m B = (invmx S)^h *m (2%:R *: (Q *m A + A^h *m Q)) *m invmx S.
  rewrite /B adjM !mulmxA -!(mulmxA _ _ (invmx S)); set W := (invmx S)^h.
  have WS : W *m S^h = 1%:M by rewrite -adjM mulmxV // adj1.
  have {1}-> : Q = W *m (S^h *m (Q *m S)) *m invmx S.
    by rewrite !mulmxA WS mul1mx mulmxK.
  rewrite -!mulmxA -mulmxBr !mulmxA -mulmxBl -!mulmxA; congr (W *m _); rewrite !mulmxA; congr (_ *m _).
  rewrite /S /T adjD adjB adj1 !(mulmxDl, mulmxDr, mulmxN, mulNmx, mul1mx, mulmx1).
  move: (A^h *m Q) (Q *m A) (A^h *m Q *m A) => b a c.
  by apply/matrixP => i j; rewrite !mxE; apply: cayley_entry.
by apply: posdef_congr => [v v0|v /(congr1 (mulmx S))]; rewrite ?mulKVmx ?mulmx0 // formZ mulr_gt0 ?ltr0n ?N0.
Qed.

Theorem lyapunov_unstable n (A Q : 'M[C]_n) (x : 'cV[C]_n) : Num.archimedean_axiom C ->
  Q^h = Q -> posdef (Q *m A + A^h *m Q) -> x != 0 -> form Q x <= 0 ->
  ~ (forall z, eigenvalue A z -> 0 < 'Re z).
Proof.
move=> arch herm N0 x0 Qx stable; have := lyapunov_positive arch herm stable N0 x0.
by move=> /lt_le_trans /(_ Qx); rewrite ltxx.
Qed.

(** A symmetric real matrix whose diagonal dominates is positive semidefinite (Gershgorin): with w_i = |v_i|²,
    2⟨E⟩v ≥ Σ_i (2E_ii − Σ_{j≠i} |E_ij| − Σ_{j≠i} |E_ji|) w_i. *)
Lemma pair_bound (e a b : C) : e \is Num.real ->
  - (`|e| * (`|a| ^+ 2 + `|b| ^+ 2)) <= e * (a^* * b + b^* * a).
Proof.
move=> re; rewrite -subr_ge0 opprK !normCK.
have /orP[e0|e0] := re.
  rewrite ger0_norm //; have -> : e * (a^* * b + b^* * a) + e * (a * a^* + b * b^*) = e * ((a + b) * (a + b)^*).
    by rewrite rmorphD /=; ring.
  by rewrite mulr_ge0 // -normCK exprn_ge0.
rewrite ler0_norm //; have -> : e * (a^* * b + b^* * a) + - e * (a * a^* + b * b^*) = - e * ((a - b) * (a - b)^*).
  by rewrite rmorphB /=; ring.
by rewrite mulr_ge0 ?oppr_ge0 // -normCK exprn_ge0.
Qed.

Lemma dominant_possemi n (E : 'M[C]_n) : realmx E -> E^T = E ->
  (forall i, \sum_(j | j != i) `|E i j| <= E i i) -> possemi E.
Proof.
move=> real sym dom v; pose w i := `|v i 0| ^+ 2.
have symE i j : E i j = E j i by rewrite -{1}sym mxE.
have realE i j : E i j \is Num.real by apply/CrealP; rewrite -{2}real mxE.
pose f i j := E i j * ((v i 0)^* * v j 0 + (v j 0)^* * v i 0).
have two : form E v *+ 2 = \sum_i \sum_j f i j.
  have e : form E v = \sum_i \sum_j E i j * ((v i 0)^* * v j 0).
    rewrite /form mxE exchange_big; apply: eq_bigr => j _; rewrite mxE mulr_suml; apply: eq_bigr => i _.
    by rewrite adjE mulrAC mulrC.
  rewrite mulr2n {1}e {1}e [X in _ + X]exchange_big -big_split; apply: eq_bigr => i _; rewrite -big_split.
  by apply: eq_bigr => j _ /=; rewrite (symE j i) -mulrDr.
have w0 i : 0 <= w i by rewrite exprn_ge0.
have low : \sum_i (E i i - \sum_(j | j != i) `|E i j|) * w i *+ 2 <= \sum_i \sum_j f i j.
  have swap : \sum_i \sum_(j | j != i) `|E i j| * w j = \sum_i \sum_(j | j != i) `|E i j| * w i.
    rewrite (exchange_big_dep predT) //=; apply: eq_bigr => j _.
    by apply: eq_big => [i|i _]; rewrite 1?eq_sym // symE.
  apply: (@le_trans _ _ (\sum_i (E i i * w i *+ 2 - \sum_(j | j != i) `|E i j| * (w i + w j)))); last first.
    apply: ler_sum => i _; rewrite [X in _ <= X](bigD1 i) //= ler_add //.
      by rewrite /f /w normCK [(v i 0)^* * _]mulrC -mulr2n mulrnAr.
    rewrite -sumrN; apply: ler_sum => j _; exact: pair_bound.
  rewrite le_eqVlt; apply/orP; left; apply/eqP.
  rewrite [RHS]big_split /= sumrN; under [X in _ - X]eq_bigr do under eq_bigr do rewrite mulrDr.
  under [X in _ - X]eq_bigr do rewrite big_split /=.
  rewrite [X in _ - X]big_split /= swap -mulr2n -sumrMnl -sumrN -big_split; apply: eq_bigr => i _ /=.
  by rewrite -mulr_suml mulrBl mulrnBl.
rewrite -(pmulrn_lge0 _ (isT : (0 < 2)%N)) two; apply: le_trans low.
apply: sumr_ge0 => i _; rewrite mulrn_wge0 // mulr_ge0 // subr_ge0.
exact: dom.
Qed.

End Forms.

Notation "A ^h" := (adj A) : ring_scope.
