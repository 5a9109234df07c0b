(** Ties: verdicts of problems that are exactly on the boundary, which no definite Q decides.

    A rational V with independent columns (UV = 1) spans an invariant subspace, NV = EVC; every eigenvalue of C is one
    of the problem. Their sum is the trace of C and their product its determinant:

      TD     tr C ≤ 0     some eigenvalue has Re z ≤ 0       (of x² + 1, say, or of 0)
      chain  |det C| ≥ 1  some eigenvalue has |z| ≥ 1        (of x² − x + 1, say, or of −1)

    An irreducible rational factor with a root on the boundary is even, or its own reciprocal: so every tie is shown
    by the factor's kernel. C comes as a product of triangular lists, whose determinant is that of the diagonals.   *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Rationals Verdict.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Roots.

Variable C : numClosedFieldType.

Lemma coef_sum_roots (r : seq C) : (0 < size r)%N ->
  (\prod_(z <- r) ('X - z%:P))`_(size r).-1 = - \sum_(z <- r) z.
Proof.
case: r => // z r _; elim: r z => [|y r IH] z /=.
  by rewrite !big_seq1 coefB coefX coefC sub0r.
rewrite big_cons [in RHS]big_cons; set q := \prod_(j <- _) _.
have lead : q`_(size r).+1 = 1.
  have := monic_prod_XsubC (y :: r) predT (@id C); rewrite -/q monicE /lead_coef size_prod_XsubC /= => /eqP.
  exact.
by rewrite mulrBl coefB coefXM coefCM lead mulr1 /= IH -opprD addrC.
Qed.

Lemma roots_of n (M : 'M[C]_n) : exists2 r : seq C, size r = n &
  char_poly M = \prod_(z <- r) ('X - z%:P) /\ forall z, eigenvalue M z = (z \in r).
Proof.
have [r Hr] := closed_field_poly_normal (char_poly M); rewrite (eqP (char_poly_monic M)) scale1r in Hr.
exists r; last by split=> // z; rewrite eigenvalue_root_char Hr root_prod_XsubC.
by have := size_char_poly M; rewrite Hr size_prod_XsubC => - [].
Qed.

Lemma trace_unstable n (M : 'M[C]_n.+1) : 'Re (\tr M) <= 0 -> exists2 z, eigenvalue M z & ~~ (0 < 'Re z).
Proof.
move=> tr; apply: eigenvalue_exists => pos; have [r sr [er spec]] := roots_of M.
have sum : \tr M = \sum_(z <- r) z.
  apply: oppr_inj; rewrite -coef_sum_roots ?sr // -er.
  by rewrite -char_poly_trace.
have : 0 < 'Re (\tr M); last by move=> /lt_le_trans /(_ tr); rewrite ltxx.
rewrite sum raddf_sum /=; case: r sr spec {er sum} => // z r _ spec; rewrite big_cons.
apply: ltr_paddr; last by apply: pos; rewrite spec mem_head.
by rewrite big_seq; apply: sumr_ge0 => y yr; rewrite ltW // pos // spec inE yr orbT.
Qed.

Lemma det_unstable n (M : 'M[C]_n.+1) : 1 <= `|\det M| -> exists2 z, eigenvalue M z & ~~ (`|z| < 1).
Proof.
move=> dt; apply: eigenvalue_exists => small; have [r sr [er spec]] := roots_of M.
have prod : `|\det M| = \prod_(z <- r) `|z|.
  have := char_poly_det M; rewrite er -horner_coef0 horner_prod => /(congr1 Num.norm).
  rewrite normrM normrX normrN1 expr1n mul1r normr_prod => <-.
  by apply: eq_bigr => z _; rewrite hornerXsubC sub0r normrN.
have : `|\det M| < 1; last by move=> /(le_lt_trans dt); rewrite ltxx.
rewrite prod; case: r sr spec {er prod} => // z r _ spec; rewrite big_cons.
have z1 : `|z| < 1 by apply: small; rewrite spec mem_head.
have r1 : \prod_(y <- r) `|y| <= 1.
  have {spec} : all (fun y => `|y| <= 1) r by apply/allP => y yr; rewrite ltW // small // spec inE yr orbT.
  elim: r => [|y r IH] /=; first by rewrite big_nil.
  by case/andP => y1 /IH r1; rewrite big_cons mulr_ile1 // prodr_ge0.
by apply: le_lt_trans z1; rewrite -[X in _ <= X]mulr1 ler_wpmul2l.
Qed.

(** An eigenvalue of C with EVC = NV is one of the pencil. *)
Lemma invariant m n (N E : 'M[C]_n) (V : 'M[C]_(n, m)) (U : 'M[C]_(m, n)) (M : 'M[C]_m) z :
  U *m V = 1%:M -> N *m V = E *m V *m M -> eigenvalue M z -> exists2 v : 'cV[C]_n, N *m v = z *: (E *m v) & v != 0.
Proof.
move=> UV inv /eigenP [u Mu u0]; exists (V *m u).
  by rewrite mulmxA inv -mulmxA Mu -scalemxAr mulmxA.
by apply: contra u0 => /eqP e; rewrite -[u]mul1mx -UV -mulmxA e mulmx0.
Qed.

End Roots.

(** Lower triangular l, upper triangular u, and the product of their diagonals. *)
Definition lower m (l : rows) : bool :=
  all (fun i => all (fun j => if (i < j)%N then Qeq_bool (entry l i j) q0 else true) (iota 0 m)) (iota 0 m).
Definition qprod m (f : nat -> Q) : Q := foldr (fun k s => Qmult (f k) s) q1 (iota 0 m).
Definition large m (l u : rows) : bool :=
  [&& lower m l, lower m (ltr m m u) & qle q1 (qabs (qprod m (fun i => Qmult (entry l i i) (entry u i i))))].

Section Meaning.

Variable C : numClosedFieldType.

Lemma qprodE m f : qden C (qprod m f) = \prod_(k < m) qden C (f k).
Proof.
rewrite -(big_mkord xpredT (fun k => qden C (f k))) /index_iota subn0 /qprod.
elim: (iota 0 m) => [|k s IH] /=; first by rewrite big_nil qden1.
by rewrite big_cons qdenM IH.
Qed.

Lemma lowerP m l : lower m l -> \det (lmx C m m l) = \prod_(i < m) qden C (entry l i i).
Proof.
move=> /allP low; rewrite det_trig; first by apply: eq_bigr => i _; rewrite mxE.
apply/is_trig_mxP => i j ij; rewrite mxE; have := low (val i); rewrite mem_iota /= add0n => /(_ (ltn_ord i)).
move=> /allP /(_ (val j)); rewrite mem_iota /= add0n ij => /(_ (ltn_ord j)) /(proj1 (Qeq_bool_iff _ _)).
by move=> /(qden_eq C) ->; rewrite qden0.
Qed.

Lemma largeP m l u : large m l u -> 1 <= `|\det (lmx C m m (lmul m m m l u))|.
Proof.
case/and3P => low up /(qden_le C); rewrite qden1 qden_abs qprodE lmx_mul det_mulmx (lowerP low).
have := lowerP up; rewrite lmx_tr det_tr => ->; rewrite -big_split /=.
under eq_bigr do rewrite qdenM.
by under [in X in _ -> _ <= `|X|]eq_bigr => i _ do rewrite tabulateE //.
Qed.

End Meaning.

Section Problem.

Variables (S F n : nat) (Phi Hat W V P : rows) (d : seq Q) (gamma : Q).
Variable C : numClosedFieldType.

Local Notation lX := (lX S n Hat d).
Local Notation lN := (lN S n Hat P d gamma).
Local Notation lTD := (lTD S F n Hat W P d gamma).

Variables (l : rows) (p : seq Q).
Hypothesis factors : factor_check S F n Phi Hat W V d l p.

Definition invariant_check m (N : rows) (E : option rows) (v u c : rows) : bool :=
  leq_ n m (lmul n n m N v) (if E is Some e then lmul n m m (lmul n n m e v) c else lmul n m m v c) &&
  leq_ m m (lmul m n m u v) (lone m).

Definition td_tie_check m v u c : bool :=
  invariant_check m.+1 lTD None v u c && qle (qsum m.+1 (fun i => entry c i i)) q0.
Definition chain_tie_check m v u a b : bool :=
  invariant_check m.+1 lN (Some lX) v u (lmul m.+1 m.+1 m.+1 a b) && large m.+1 a b.

Lemma trmx_W_inj (u : 'cV[C]_n) : (lmx C n F W)^T *m u = 0 -> u = 0.
Proof.
move=> Wu; have WV : lmx C n F W *m lmx C F n V = 1%:M.
  have e : lmx C S n Hat *m (lmx C n F W *m lmx C F n V) = lmx C S n Hat.
    by rewrite mulmxA -(Phi_factor C factors) -(Hat_factor C factors).
  have := congr1 (fun Z => (lmx C S n Hat)^T *m diag_mx (lrow C S d) *m Z) e.
  rewrite /= mulmxA -(mXE S n Hat d C) => h.
  by rewrite -[LHS](mulKmx (uX C factors)) h mulVmx // (uX C factors).
by rewrite -[u]mul1mx -(trmx1 _ n) -WV trmx_mul -mulmxA Wu mulmx0.
Qed.

Lemma Hat_inj (w : 'cV[C]_n) : lmx C S n Hat *m w = 0 -> w = 0.
Proof.
by move=> Hw; apply: (posdef_inj (@X_posdef _ _ _ _ _ _ _ _ C _ _ factors)); rewrite mXE -!mulmxA Hw !mulmx0.
Qed.

Lemma gram_inj (u : 'cV[C]_n) : lmx C n F W *m ((lmx C n F W)^T *m u) = 0 -> u = 0.
Proof.
move=> Gu; have := @posdef_congr C n F 1%:M (lmx C n F W)^T (@posdef1 C F) trmx_W_inj.
have -> : ((lmx C n F W)^T)^h = lmx C n F W.
  by rewrite /adj -map_trmx trmxK; apply: lmx_real.
by move=> pd; apply: (posdef_inj pd); rewrite mulmx1 -mulmxA.
Qed.

(** Values that TD does not draw in. *)
Theorem td_tie m v u c : td_tie_check m v u c ->
  exists z (w : 'cV[C]_F), [/\ key S F Phi P d gamma C *m w = z *: w, lmx C S F Phi *m w != 0 & ~~ (0 < 'Re z)].
Proof.
case/andP => /andP [/(leqP_ C) inv /(leqP_ C) UV] /(qden_le C) tr.
rewrite (lmx_mul C n n m.+1) (lmx_mul C n m.+1 m.+1) in inv; rewrite lmx_mul lmx_one in UV.
have [z ez neg] : exists2 z, eigenvalue (lmx C m.+1 m.+1 c) z & ~~ (0 < 'Re z).
  apply: trace_unstable; move: tr; rewrite qsumE qden0 /mxtrace => tr; under eq_bigr do rewrite mxE.
  rewrite (Creal_ReP _ _) //; apply: rpred_sum => i _.
  exact: qden_real.
have [w Nw w0] := @invariant _ _ _ _ 1%:M _ _ _ z UV (etrans inv (congr1 (mulmx^~ _) (esym (mul1mx _)))) ez.
rewrite mul1mx in Nw; exists z, ((lmx C n F W)^T *m w); split=> //.
  rewrite (keyE P gamma C factors) -!mulmxA (mulmxA (lmx C n F W)) (mulmxA (_ - _)) -mTDE Nw.
  by rewrite -scalemxAr.
rewrite (Phi_factor C factors) -mulmxA; apply: contra w0 => /eqP /Hat_inj /gram_inj ->.
by [].
Qed.

(** ρ(γΠP) ≥ 1. *)
Theorem chain_tie m v u a b : chain_tie_check m v u a b ->
  forall Xg : 'M[C]_F, generalised S Phi d Xg -> exists2 z, eigenvalue (operator S Phi P d gamma Xg) z & 1 <= `|z|.
Proof.
case/andP => /andP [/(leqP_ C) inv /(leqP_ C) UV] /(largeP C) dt Xg gen.
rewrite (lmx_mul C n n m.+1) (lmx_mul C n m.+1 m.+1) (lmx_mul C n n m.+1) in inv.
rewrite (lmx_mul C m.+1 n) lmx_one in UV.
have [z ez big] := det_unstable dt; have [w Nw w0] := invariant UV inv ez.
have uX := uX C factors; have no : ~ rho_lt (operator S Phi P d gamma Xg) 1.
  move/(operator_rho P gamma factors gen) => /(_ z) small; case/negP: big; apply: small.
  apply/eigenP; exists (lmx C n n lX *m w); first by rewrite mulmxA mulmxKV // Nw.
  by apply: contra w0 => /eqP e; rewrite -[w](mulKmx uX) e mulmx0.
have [y ey ny] := eigenvalue_exists (p := fun y => `|y| < 1) no; exists y => //.
by rewrite real_leNgt ?real1 ?normr_real.
Qed.

End Problem.
