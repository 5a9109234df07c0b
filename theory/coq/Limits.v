(** Sequences that vanish, geometrically or at all, and powers of a matrix that do.

    A sequence is *geometric* when |a_t| ≤ c·qᵗ for some q < 1. The workhorse is

        a_{t+1} = z·a_t + b_t,  |z| < 1,  b geometric   ⟹   a geometric            (peel)

    By Cayley–Hamilton Π (M − z_i) = 0 over the eigenvalues z_i of M. Applied to Mᵗ this product
    vanishes, and peeling off one root after the other gives

        all |z_i| < 1   ⟹   Mᵗ is geometric,

    for complex eigenvalues and for M that cannot be diagonalised, without Jordan's form.
    Conversely an eigenvector of a root outside keeps an entry away from zero.

    Limits need one hypothesis: the field is Archimedean (every number is below some 1 + … + 1).  *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Sequences.

Variable C : numFieldType.
Implicit Types (a b : nat -> C) (c q z : C).

Definition vanishes a := forall eps, 0 < eps -> exists N, forall t, (N <= t)%N -> `|a t| < eps.

Definition geometric a :=
  exists c q, [/\ 0 <= c, 0 <= q, q < 1 & forall t, `|a t| <= c * q ^+ t].

Lemma vanishes_ext a b : a =1 b -> vanishes a -> vanishes b.
Proof. by move=> ab va eps /va [N HN]; exists N => t /HN; rewrite ab. Qed.

Lemma geometric_ext a b : a =1 b -> geometric a -> geometric b.
Proof. by move=> ab [c [q [c0 q0 q1 H]]]; exists c, q; split=> // t; rewrite -ab. Qed.

Lemma vanishesD a b : vanishes a -> vanishes b -> vanishes (fun t => a t + b t).
Proof.
move=> va vb eps eps0; have h0 : 0 < eps / 2%:R by rewrite divr_gt0 ?ltr0n.
have [N HN] := va _ h0; have [K HK] := vb _ h0.
exists (maxn N K) => t; rewrite geq_max => /andP [/HN at_ /HK bt].
apply: le_lt_trans (ler_norm_add _ _) _.
by rewrite (splitr eps) ltr_add.
Qed.

Lemma vanishesZ c a : vanishes a -> vanishes (fun t => c * a t).
Proof.
move=> va eps eps0; have h : 0 < 1 + `|c| by rewrite ltr_paddr.
have [N HN] := va _ (divr_gt0 eps0 h); exists N => t /HN at_.
rewrite normrM; apply: (@le_lt_trans _ _ ((1 + `|c|) * `|a t|)).
  by rewrite ler_wpmul2r // ler_addr.
by rewrite mulrC -ltr_pdivl_mulr.
Qed.

Lemma vanishes0 : vanishes (fun=> 0 : C).
Proof. by move=> eps eps0; exists 0%N => t _; rewrite normr0. Qed.

Lemma vanishes_sum (I : finType) (f : I -> nat -> C) :
  (forall i, vanishes (f i)) -> vanishes (fun t => \sum_i f i t).
Proof.
move=> vf; have step (r : seq I) : vanishes (fun t => \sum_(i <- r) f i t).
  elim: r => [|i r IH]; first by apply: vanishes_ext vanishes0 => t; rewrite big_nil.
  by apply: vanishes_ext (vanishesD (vf i) IH) => t; rewrite big_cons.
exact: step.
Qed.

Lemma vanishes_shift a : vanishes (fun t => a t.+1) <-> vanishes a.
Proof.
split=> va eps /va [N HN]; last by exists N => t Nt; apply: HN; apply: leqW.
by exists N.+1 => - [|t] //; apply: HN.
Qed.

Lemma vanishes_dominated a b : vanishes b -> (forall t, `|a t| <= `|b t|) -> vanishes a.
Proof. by move=> vb ab eps /vb [N HN]; exists N => t /HN; apply: le_lt_trans. Qed.

(** Bernoulli: (1 + h)ᵗ ≥ t·h. *)
Lemma bernoulli (h : C) t : 0 <= h -> t%:R * h <= (1 + h) ^+ t.
Proof.
move=> h0; have one : 1 <= 1 + h by rewrite ler_addl.
suff: 1 + t%:R * h <= (1 + h) ^+ t by apply: le_trans; rewrite ler_addr ler01.
elim: t => [|t IH]; first by rewrite mul0r addr0 expr0.
rewrite exprS mulrDl mul1r -addn1 natrD mulrDl mul1r addrA.
apply: ler_add => //; apply: (@le_trans _ _ (h * 1)); first by rewrite mulr1.
by rewrite ler_wpmul2l // exprn_ege1.
Qed.

(** One bound above two numbers below one. *)
Lemma common_bound (p q : C) : 0 <= p -> 0 <= q -> p < 1 -> q < 1 -> exists m, [/\ 0 <= m, p <= m, q <= m & m < 1].
Proof.
move=> p0 q0 p1 q1; have /orP[pq|qp] := real_leVge (ger0_real p0) (ger0_real q0).
  by exists q; split.
by exists p; split.
Qed.

Lemma peel z a b : `|z| < 1 -> geometric b -> (forall t, a t.+1 = z * a t + b t) -> geometric a.
Proof.
move=> z1 [K [q [K0 q0 q1 Hb]]] step.
have [m [m0 zm qm m1]] := common_bound (normr_ge0 z) q0 z1 q1.
pose p := (m + 1) / 2%:R; have two : 0 < 2%:R :> C by rewrite ltr0n.
have mp : 0 < p - m.
  by rewrite subr_gt0 ltr_pdivl_mulr // mulr_natr mulr2n ltr_add2l.
have p0 : 0 <= p by rewrite (le_trans m0) // -subr_ge0 ltW.
have p1 : p < 1 by rewrite ltr_pdivr_mulr // mul1r mulr2n ltr_add2r.
pose L := `|a 0%N| + K / (p - m).
have L0 : 0 <= L by rewrite addr_ge0 // divr_ge0 // ltW.
exists L, p; split=> //; elim=> [|t IH].
  by rewrite expr0 mulr1 ler_addl divr_ge0 // ltW.
rewrite step; apply: le_trans (ler_norm_add _ _) _; rewrite normrM.
apply: (@le_trans _ _ (m * (L * p ^+ t) + K * p ^+ t)).
  apply: ler_add; first by apply: ler_pmul.
  apply: le_trans (Hb t) _; rewrite ler_wpmul2l //.
  have qp : q <= p by rewrite (le_trans qm) // -subr_ge0 ltW.
  by rewrite ler_expn2r // nnegrE.
rewrite mulrA -mulrDl exprS mulrA ler_wpmul2r ?exprn_ge0 //.
rewrite -ler_subr_addl [L * p]mulrC -mulrBl.
by rewrite mulrC -ler_pdivr_mulr // ler_addr.
Qed.

(** A geometric sequence vanishes, and is bounded. *)
Lemma geometric_bounded a : geometric a -> exists2 c, 0 <= c & forall t, `|a t| <= c.
Proof.
move=> [c [q [c0 q0 q1 H]]]; exists c => // t; apply: le_trans (H t) _.
by rewrite ler_pimulr // exprn_ile1 // ltW.
Qed.

Lemma geometric_vanishes a : Num.archimedean_axiom C -> geometric a -> vanishes a.
Proof.
move=> arch [c [q [c0 q0 q1 H]]] eps eps0.
move: q0; rewrite le_eqVlt => /predU1P [q0|q0].
  exists 1%N => - [|t] // _; apply: le_lt_trans (H _) _.
  by rewrite -q0 expr0n mulr0.
pose h := q^-1 - 1; have h0 : 0 < h by rewrite subr_gt0 invf_gt1.
have [N HN] := arch (c / (h * eps)); exists N.+1 => t Nt.
have t0 : 0 < t%:R :> C by rewrite ltr0n (leq_trans _ Nt).
apply: le_lt_trans (H t) _.
have qt : q ^+ t <= (t%:R * h)^-1.
  rewrite -[q]invrK exprVn lef_pinv ?posrE ?exprn_gt0 ?invr_gt0 ?mulr_gt0 //.
  by have := bernoulli t (ltW h0); rewrite /h addrCA subrr addr0.
apply: (@le_lt_trans _ _ (c * (t%:R * h)^-1)); first by rewrite ler_wpmul2l.
rewrite ltr_pdivr_mulr ?mulr_gt0 // mulrCA [eps * h]mulrC -ltr_pdivr_mulr ?mulr_gt0 //.
have nonneg : 0 <= c / (h * eps) by rewrite divr_ge0 // mulr_ge0 // ltW.
rewrite ger0_norm // in HN; apply: lt_le_trans HN _.
by rewrite ler_nat ltnW.
Qed.

(** |z| ≥ 1 does not vanish, and |z| > 1 is not bounded. *)
Lemma power_stays z (c : C) : c != 0 -> vanishes (fun t => z ^+ t * c) -> `|z| < 1.
Proof.
move=> c0 v; rewrite real_ltNge ?normr_real ?real1 //; apply/negP => z1.
have [|N /(_ N (leqnn N))] := v `|c|; first by rewrite normr_gt0.
rewrite normrM normrX -subr_gt0 -{1}[`|c|]mul1r -mulrBl pmulr_lgt0 ?normr_gt0 //.
by rewrite subr_gt0 => /lt_geF; rewrite exprn_ege1.
Qed.

Lemma power_unbounded z (c : C) : Num.archimedean_axiom C -> c != 0 -> 1 < `|z| ->
  forall bound : C, exists t, `|bound| < `|z ^+ t * c|.
Proof.
move=> arch c0 z1 bound; have c1 : 0 < `|c| by rewrite normr_gt0.
pose h := `|z| - 1; have h0 : 0 < h by rewrite subr_gt0.
have [N HN] := arch (`|bound| / (h * `|c|)); exists N.
have nonneg : 0 <= `|bound| / (h * `|c|) by rewrite divr_ge0 // mulr_ge0 // ltW.
rewrite ger0_norm // in HN.
rewrite ltr_pdivr_mulr ?mulr_gt0 // mulrA in HN; apply: lt_le_trans HN _.
rewrite normrM normrX ler_pmul2r //.
by have := bernoulli N (ltW h0); rewrite /h addrCA subrr addr0.
Qed.

(** Matrices, entry by entry. *)
Definition mvanishes m n (u : nat -> 'M[C]_(m, n)) := forall i j, vanishes (fun t => u t i j).
Definition mgeometric m n (u : nat -> 'M[C]_(m, n)) := forall i j, geometric (fun t => u t i j).
Definition converges m n (u : nat -> 'M[C]_(m, n)) (l : 'M[C]_(m, n)) := mvanishes (fun t => u t - l).

Lemma mvanishes_ext m n (u v : nat -> 'M[C]_(m, n)) : u =1 v -> mvanishes u -> mvanishes v.
Proof. by move=> uv vu i j; apply: vanishes_ext (vu i j) => t; rewrite uv. Qed.

Lemma converges_ext m n (u v : nat -> 'M[C]_(m, n)) l : u =1 v -> converges u l -> converges v l.
Proof. by move=> uv; apply: mvanishes_ext => t; rewrite uv. Qed.

Lemma mvanishesD m n (u v : nat -> 'M[C]_(m, n)) :
  mvanishes u -> mvanishes v -> mvanishes (fun t => u t + v t).
Proof. by move=> vu vv i j; apply: vanishes_ext (vanishesD (vu i j) (vv i j)) => t; rewrite mxE. Qed.

Lemma mvanishesMl m n p (A : 'M[C]_(p, m)) (u : nat -> 'M[C]_(m, n)) :
  mvanishes u -> mvanishes (fun t => A *m u t).
Proof.
move=> vu i j; apply: vanishes_ext (vanishes_sum (fun k => vanishesZ (A i k) (vu k j))) => t.
by rewrite mxE.
Qed.

Lemma mvanishesMr m n p (A : 'M[C]_(n, p)) (u : nat -> 'M[C]_(m, n)) :
  mvanishes u -> mvanishes (fun t => u t *m A).
Proof.
move=> vu i j; apply: vanishes_ext (vanishes_sum (fun k => vanishesZ (A k j) (vu i k))) => t.
by rewrite mxE; apply: eq_bigr => k _; rewrite mulrC.
Qed.

Lemma mvanishes_shift m n (u : nat -> 'M[C]_(m, n)) : mvanishes (fun t => u t.+1) <-> mvanishes u.
Proof. by split=> v i j; apply/(vanishes_shift (fun t => u t i j)); apply: v. Qed.

Lemma mgeometric_vanishes m n (u : nat -> 'M[C]_(m, n)) :
  Num.archimedean_axiom C -> mgeometric u -> mvanishes u.
Proof. by move=> arch gu i j; apply: geometric_vanishes. Qed.

(** Vanishing against every vector is vanishing. *)
Lemma mvanishes_all m n (u : nat -> 'M[C]_(m, n)) :
  (forall v : 'cV[C]_n, mvanishes (fun t => u t *m v)) -> mvanishes u.
Proof.
move=> H i j; apply: vanishes_ext (H (delta_mx j 0) i 0) => t.
rewrite mxE (bigD1 j) //= big1 => [|k kj]; first by rewrite mxE !eqxx mulr1 addr0.
by rewrite mxE (negPf kj) mulr0.
Qed.

Lemma converges_unique m n (u : nat -> 'M[C]_(m, n)) k l : converges u k -> converges u l -> k = l.
Proof.
move=> uk ul; apply/matrixP => i j; apply/eqP; rewrite -subr_eq0 -normr_eq0.
apply/negPn/negP => nz; have d0 : 0 < `|k i j - l i j| by rewrite lt_neqAle eq_sym nz normr_ge0.
have h0 : 0 < `|k i j - l i j| / 2%:R by rewrite divr_gt0 ?ltr0n.
have [N HN] := uk i j _ h0; have [K HK] := ul i j _ h0.
have:= HN (maxn N K) (leq_maxl _ _); have:= HK (maxn N K) (leq_maxr _ _).
rewrite !mxE => a b; set x := u _ i j in a b.
have /(le_lt_trans (ler_dist_add x (k i j) (l i j))) : `|k i j - x| + `|x - l i j| < `|k i j - l i j|.
  by rewrite [`|k i j - x|]distrC [X in _ < X]splitr ltr_add.
by rewrite ltxx.
Qed.

End Sequences.

Section Powers.

Variable C : numClosedFieldType.

(** ρ(M) < r: every eigenvalue is smaller than r in absolute value. *)
Definition rho_lt n (M : 'M[C]_n) (r : C) := forall z, eigenvalue M z -> `|z| < r.
Definition rho_le n (M : 'M[C]_n) (r : C) := forall z, eigenvalue M z -> `|z| <= r.


Lemma prod_comm n' (M : 'M[C]_n'.+1) r :
  (\prod_(z <- r) (M - z%:M)) *m M = M *m \prod_(z <- r) (M - z%:M).
Proof.
elim: r => [|z r IH]; first by rewrite big_nil mulmx1 mul1mx.
by rewrite big_cons -[_ * _]/(_ *m _) -mulmxA IH !mulmxA mulmxBl mulmxBr scalar_mxC.
Qed.

Lemma peel_roots n' (M : 'M[C]_n'.+1) m (V : 'M[C]_(n'.+1, m)) (r : seq C) :
  all (fun z => `|z| < 1) r ->
  mgeometric (fun t => (\prod_(z <- r) (M - z%:M)) *m (M ^^ t *m V)) -> mgeometric (fun t => M ^^ t *m V).
Proof.
elim: r => [_|z r IH /= /andP[z1 r1]] H.
  by move=> i j; apply: geometric_ext (H i j) => t; rewrite big_nil mul1mx.
apply: IH => // i j; apply: (peel z1 (H i j)) => t.
rewrite big_cons -[_ * \prod_(_ <- _) _]/(_ *m _); set P := \prod_(_ <- _) _.
rewrite mpowS -!mulmxA [P *m (M *m _)]mulmxA prod_comm -mulmxA mulmxBl mul_scalar_mx !mxE.
by rewrite addrC subrK.
Qed.

Theorem powers_geometric n (M : 'M[C]_n) : rho_lt M 1 -> mgeometric (fun t => M ^^ t).
Proof.
case: n M => [|n'] M rho; first by move=> [].
have [r Hr] := closed_field_poly_normal (char_poly M).
rewrite (eqP (char_poly_monic M)) scale1r in Hr.
suff H : mgeometric (fun t => M ^^ t *m 1%:M).
  by move=> i j; apply: geometric_ext (H i j) => t; rewrite mulmx1.
apply: (@peel_roots _ _ _ _ r).
  by apply/allP => z zr; apply: rho; rewrite eigenvalue_root_char Hr root_prod_XsubC.
have zero : \prod_(z <- r) (M - z%:M) = 0.
  have := Cayley_Hamilton M; rewrite Hr rmorph_prod /= => {1}<-.
  by apply: eq_bigr => z _; rewrite rmorphB /= horner_mx_X horner_mx_C.
move=> i j; exists 0, 0; split=> // [|t]; first exact: ltr01.
by rewrite zero mul0mx mxE normr0 mul0r.
Qed.

Theorem powers_vanish n (M : 'M[C]_n) : Num.archimedean_axiom C -> rho_lt M 1 -> mvanishes (fun t => M ^^ t).
Proof. by move=> arch /powers_geometric; apply: mgeometric_vanishes. Qed.

(** Eigenvalues by column vectors. *)
Lemma char_poly_trmx n (M : 'M[C]_n) : char_poly M^T = char_poly M.
Proof.
rewrite /char_poly -[in RHS]det_tr; congr (\det _); apply/matrixP => i j.
by rewrite !mxE eq_sym.
Qed.

Lemma eigenvalue_trmx n (M : 'M[C]_n) z : eigenvalue M^T z = eigenvalue M z.
Proof. by rewrite !eigenvalue_root_char char_poly_trmx. Qed.

Lemma eigenP n (M : 'M[C]_n) z : reflect (exists2 v : 'cV[C]_n, M *m v = z *: v & v != 0) (eigenvalue M z).
Proof.
rewrite -eigenvalue_trmx; apply: (iffP eigenvalueP) => [] [v Mv v0].
  by exists v^T; rewrite ?trmx_eq0 // -[M]trmxK -trmx_mul Mv linearZ.
by exists v^T; rewrite ?trmx_eq0 // -trmx_mul Mv linearZ.
Qed.

Lemma nonzero_entry m (v : 'cV[C]_m) : v != 0 -> exists i, v i 0 != 0.
Proof.
move=> v0; apply/existsP; rewrite -negb_forall; apply: contra v0 => /forallP v0.
by apply/eqP/colP => i; rewrite mxE; apply/eqP.
Qed.

Theorem vanish_rho n (M : 'M[C]_n) : mvanishes (fun t => M ^^ t) -> rho_lt M 1.
Proof.
move=> van z /eigenP [v Mv /nonzero_entry [i vi]].
apply: (power_stays vi); apply: vanishes_ext (mvanishesMr v van i 0) => t.
by rewrite (mpow_eigen t Mv) mxE.
Qed.

(** Gelfand's fact as the paper uses it: ρ(M) < 1 ⇔ Mᵗ → 0. *)
Theorem gelfand n (M : 'M[C]_n) : Num.archimedean_axiom C -> rho_lt M 1 <-> mvanishes (fun t => M ^^ t).
Proof. by move=> arch; split; [apply: powers_vanish | apply: vanish_rho]. Qed.

(** The rate: every q > ρ(M) bounds the powers, |Mᵗ| ≤ c·qᵗ. *)
Theorem powers_rate n (M : 'M[C]_n) q : 0 < q -> rho_lt M q ->
  forall i j, exists2 c, 0 <= c & forall t, `|(M ^^ t) i j| <= c * q ^+ t.
Proof.
move=> q0 rho; have rho1 : rho_lt (q^-1 *: M) 1.
  move=> z /eigenP [v Mv v0]; have := rho (q * z); rewrite normrM gtr0_norm //.
  rewrite gtr_pmulr //; apply; apply/eigenP; exists v => //.
  by rewrite -scalerA -Mv -scalemxAl scalerA divff ?scale1r ?gt_eqF.
move=> i j; have [c c0 H] := geometric_bounded (powers_geometric rho1 i j); exists c => // t.
have := H t; rewrite mpow_scale mxE normrM normrX normfV gtr0_norm // exprVn.
by rewrite mulrC ler_pdivr_mulr ?exprn_gt0.
Qed.

End Powers.

