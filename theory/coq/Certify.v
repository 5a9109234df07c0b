(** Certificates by reflection: a claim is a combination of hypotheses, and Coq computes that it is.

    Letters, scalars and spaces are natural numbers; the letter x is an arrow src x → tgt x. A formula is
    a tree `expr t s` of matrices s → t, typed by construction; `eden` is what it means in MathComp's
    notation, for matrices of every size over any commutative ring.

    A tree is flattened to two lists, of what is added and what is subtracted; an item is a sorted list
    of scalars and a word of letters, each transposed or not. Trees mean the same when the one's plus
    with the other's minus is a permutation of the reverse. No coefficients are computed with.

    A certificate of e = 0 is a list of entries c·l·h·r such that e and their sum mean the same, and every
    h, a matrix or a scalar, is zero. Theorem `cert` says that it is enough.                                             *)

From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** Scalars. *)
Inductive sexpr :=
  | SL of nat | SN of nat | SA of sexpr & sexpr | SO of sexpr | SM of sexpr & sexpr.

Definition monos := seq (seq nat).

Definition smul (p q : monos) : monos := [seq sort leq (a ++ b) | a <- p, b <- q].

Fixpoint snorm e : monos * monos :=
  match e with
  | SL x => ([:: [:: x]], [::])
  | SN n => (nseq n [::], [::])
  | SA a b => let: (p, n) := snorm a in let: (q, m) := snorm b in (p ++ q, n ++ m)
  | SO a => let: (p, n) := snorm a in (n, p)
  | SM a b => let: (p, n) := snorm a in let: (q, m) := snorm b in
              (smul p q ++ smul n m, smul p m ++ smul n q)
  end.

Section Scalars.

Variables (R : comRingType) (sc : nat -> R).

Fixpoint sden e : R :=
  match e with
  | SL x => sc x
  | SN n => n%:R
  | SA a b => sden a + sden b
  | SO a => - sden a
  | SM a b => sden a * sden b
  end.

Definition mono (m : seq nat) : R := \prod_(x <- m) sc x.
Definition sval (p : monos) : R := \sum_(m <- p) mono m.

Lemma mono_sort a b : mono (sort leq (a ++ b)) = mono a * mono b.
Proof. by rewrite /mono (perm_big _ (permEl (perm_sort _ _))) big_cat. Qed.

Lemma sval_cat p q : sval (p ++ q) = sval p + sval q.
Proof. exact: big_cat. Qed.

Lemma sval_mul p q : sval (smul p q) = sval p * sval q.
Proof.
rewrite /sval /smul big_allpairs_dep mulr_suml; apply: eq_bigr => a _; rewrite mulr_sumr.
by apply: eq_bigr => b _; rewrite mono_sort.
Qed.

Lemma snormP e : sden e = sval (snorm e).1 - sval (snorm e).2.
Proof.
elim: e => [x|n|a IHa b IHb|a IHa|a IHa b IHb] /=.
- by rewrite /sval big_seq1 big_nil subr0 /mono big_seq1.
- rewrite {2}/sval big_nil subr0 /sval; elim: n => [|n IH] /=; first by rewrite big_nil.
  by rewrite big_cons -IH /mono big_nil mulrS.
- move: IHa IHb; case: (snorm a) (snorm b) => [p n] [q m] /= -> ->.
  by rewrite !sval_cat opprD addrACA.
- by move: IHa; case: (snorm a) => [p n] /= ->; rewrite opprB.
- move: IHa IHb; case: (snorm a) (snorm b) => [p n] [q m] /= -> ->.
  by rewrite !sval_cat !sval_mul mulrBl !mulrBr opprB opprD addrACA -!addrA; congr (_ + _).
Qed.

End Scalars.

Section Matrices.

Variables tgt src : nat -> nat.

Inductive expr : nat -> nat -> Type :=
  | EL x : expr (tgt x) (src x)
  | E1 t : expr t t
  | E0 t s : expr t s
  | EM t m s of expr t m & expr m s : expr t s
  | EA t s of expr t s & expr t s : expr t s
  | EN t s of expr t s : expr t s
  | EZ t s of sexpr & expr t s : expr t s
  | ET t s of expr t s : expr s t.

Definition letter := (nat * bool)%type. (* which, and transposed? *)
Definition to (l : letter) := if l.2 then src l.1 else tgt l.1.
Definition from (l : letter) := if l.2 then tgt l.1 else src l.1.
Definition flip (l : letter) : letter := (l.1, ~~ l.2).

Definition word := seq letter.
Definition terms := seq (seq nat * word).

(** Does a word lead from s to t? *)
Fixpoint path t s (w : word) := if w is l :: w' then (t == to l) && path (from l) s w' else t == s.

Fixpoint back (w : word) : word := if w is l :: w' then rcons (back w') (flip l) else [::].

Definition tmul t m (p q : terms) : terms :=
  [seq (sort leq (a.1 ++ b.1), a.2 ++ b.2) | a <- [seq a <- p | path t m a.2], b <- q].
Definition tscale (p : monos) (q : terms) : terms := [seq (sort leq (a ++ b.1), b.2) | a <- p, b <- q].
Definition tback t s (p : terms) : terms := [seq (a.1, back a.2) | a <- [seq a <- p | path t s a.2]].

Fixpoint norm t s (e : expr t s) : terms * terms :=
  match e with
  | EL x => ([:: ([::], [:: (x, false)])], [::])
  | E1 _ => ([:: ([::], [::])], [::])
  | E0 _ _ => ([::], [::])
  | EM t m _ a b => let: (p, n) := norm a in let: (q, k) := norm b in
      (tmul t m p q ++ tmul t m n k, tmul t m p k ++ tmul t m n q)
  | EA _ _ a b => let: (p, n) := norm a in let: (q, m) := norm b in (p ++ q, n ++ m)
  | EN _ _ a => let: (p, n) := norm a in (n, p)
  | EZ _ _ c a => let: (p, n) := snorm c in let: (q, m) := norm a in
      (tscale p q ++ tscale n m, tscale p m ++ tscale n q)
  | ET t s a => let: (p, n) := norm a in (tback t s p, tback t s n)
  end.

Definition same t s (a b : expr t s) :=
  let: (p, n) := norm a in let: (q, m) := norm b in perm_eq (p ++ m) (q ++ n).

Variables (R : comRingType) (dim : nat -> nat) (sc : nat -> R).
Variable env : forall x, 'M[R]_(dim (tgt x), dim (src x)).

Fixpoint eden t s (e : expr t s) : 'M[R]_(dim t, dim s) :=
  match e with
  | EL x => env x
  | E1 _ => 1%:M
  | E0 _ _ => 0
  | EM _ _ _ a b => eden a *m eden b
  | EA _ _ a b => eden a + eden b
  | EN _ _ a => - eden a
  | EZ _ _ c a => sden sc c *: eden a
  | ET _ _ a => (eden a)^T
  end.

(** A matrix of the wrong type stands for zero. *)
Definition cast t t' s (A : 'M[R]_(dim t', dim s)) : 'M[R]_(dim t, dim s) :=
  if @eqP _ t' t is ReflectT e then ecast u ('M[R]_(dim u, dim s)) e A else 0.

Lemma cast_id t s (A : 'M[R]_(dim t, dim s)) : cast t A = A.
Proof. by rewrite /cast; case: eqP => // e; rewrite eq_axiomK. Qed.

Lemma cast_ne t t' s (A : 'M[R]_(dim t', dim s)) : t != t' -> cast t A = 0.
Proof. by move=> ne; rewrite /cast; case: eqP => // e; case/negP: ne; rewrite e. Qed.

Definition lden (l : letter) : 'M[R]_(dim (to l), dim (from l)) :=
  let: (x, b) := l return 'M[R]_(dim (to l), dim (from l)) in
  match b return 'M[R]_(dim (to (x, b)), dim (from (x, b))) with true => (env x)^T | false => env x end.

Fixpoint wden t s (w : word) : 'M[R]_(dim t, dim s) :=
  if w is l :: w' then cast t (lden l *m wden (from l) s w') else cast t (1%:M : 'M_(dim s, dim s)).

Lemma wden_bad t s w : ~~ path t s w -> wden t s w = 0.
Proof.
elim: w t => [|l w IH] t /=; first by move=> ts; apply: cast_ne.
case: eqP => [->|/eqP tl _] /=; last exact: cast_ne.
by move=> /IH ->; rewrite mulmx0 cast_id.
Qed.

Lemma wden_cat t m s w v : path t m w -> wden t s (w ++ v) = wden t m w *m wden m s v.
Proof.
elim: w t => [|l w IH] t /=; first by move=> /eqP ->; rewrite cast_id mul1mx.
by move=> /andP[/eqP -> /IH ->]; rewrite !cast_id mulmxA.
Qed.

Lemma to_flip l : to (flip l) = from l. Proof. by case: l => x []. Qed.
Lemma from_flip l : from (flip l) = to l. Proof. by case: l => x []. Qed.

Lemma path_cat t m s w v : path t m w -> path m s v -> path t s (w ++ v).
Proof.
elim: w t => [|l w IH] t /=; first by move=> /eqP ->.
by move=> /andP[-> /IH H] /H.
Qed.

Lemma path_back t s w : path t s w -> path s t (back w).
Proof.
elim: w t => [|l w IH] t /=; first by move=> /eqP ->.
move=> /andP[/eqP -> /IH H]; rewrite -cats1; apply: path_cat H _ => /=.
by rewrite to_flip from_flip !eqxx.
Qed.

Lemma wden_flip l : wden (from l) (to l) [:: flip l] = (lden l)^T.
Proof. by case: l => x [] /=; rewrite !cast_id mulmx1 ?trmxK. Qed.

Lemma wden_back t s w : path t s w -> wden s t (back w) = (wden t s w)^T.
Proof.
elim: w t => [|l w IH] t /=; first by move=> /eqP ->; rewrite cast_id trmx1.
move=> /andP[/eqP -> p]; rewrite cast_id trmx_mul -IH // -cats1.
by rewrite (@wden_cat _ (from l)) ?wden_flip // path_back.
Qed.

Definition tval t s (p : terms) : 'M[R]_(dim t, dim s) := \sum_(a <- p) mono sc a.1 *: wden t s a.2.

Lemma tval_cat t s p q : tval t s (p ++ q) = tval t s p + tval t s q.
Proof. exact: big_cat. Qed.

Lemma tval_filter t s p : tval t s [seq a <- p | path t s a.2] = tval t s p.
Proof.
rewrite /tval big_filter big_mkcond; apply: eq_bigr => a _.
by case: ifP => // /negbT bad; rewrite wden_bad // scaler0.
Qed.

Lemma tval_mul t m s p q : tval t s (tmul t m p q) = tval t m p *m tval m s q.
Proof.
rewrite -(tval_filter t m p) /tval /tmul big_allpairs_dep mulmx_suml !big_filter.
apply: eq_bigr => a pa; rewrite mulmx_sumr; apply: eq_bigr => b _ /=.
by rewrite mono_sort (wden_cat _ _ pa) -scalemxAl -scalemxAr scalerA.
Qed.

Lemma tval_scale t s p q : tval t s (tscale p q) = sval sc p *: tval t s q.
Proof.
rewrite /tval /tscale big_allpairs_dep /sval scaler_suml; apply: eq_bigr => a _.
by rewrite scaler_sumr; apply: eq_bigr => b _ /=; rewrite mono_sort scalerA.
Qed.

Lemma tval_back t s p : tval s t (tback t s p) = (tval t s p)^T.
Proof.
rewrite -[in RHS](tval_filter t s p) /tval /tback big_map !big_filter linear_sum.
by apply: eq_bigr => a pa; rewrite linearZ wden_back.
Qed.

Lemma normP t s (e : expr t s) : eden e = tval t s (norm e).1 - tval t s (norm e).2.
Proof.
elim: e => {t s} [x|t|t s|t m s a IHa b IHb|t s a IHa b IHb|t s a IHa|t s c a IHa|t s a IHa] /=.
- by rewrite /tval big_seq1 big_nil subr0 /mono big_nil scale1r /= !cast_id mulmx1.
- by rewrite /tval big_seq1 big_nil subr0 /mono big_nil scale1r /= cast_id.
- by rewrite /tval !big_nil subr0.
- move: IHa IHb; case: (norm a) (norm b) => [p n] [q k] /= -> ->.
  rewrite !tval_cat !tval_mul mulmxBl !mulmxBr.
  move: (tval t m p *m _) (tval t m p *m _) (tval t m n *m _) (tval t m n *m _) => w x y z.
  by rewrite opprB opprD addrACA.
- move: IHa IHb; case: (norm a) (norm b) => [p n] [q m] /= -> ->.
  by rewrite !tval_cat opprD addrACA.
- by move: IHa; case: (norm a) => [p n] /= ->; rewrite opprB.
- have := snormP sc c; move: IHa; case: (snorm c) (norm a) => [p n] [q m] /= -> ->.
  rewrite !tval_cat !tval_scale scalerBl !scalerBr.
  move: (_ *: tval t s q) (_ *: tval t s m) (_ *: tval t s q) (_ *: tval t s m) => w x y z.
  by rewrite opprB opprD addrACA.
- by move: IHa; case: (norm a) => [p n] /= ->; rewrite !tval_back linearB.
Qed.

Theorem sameP t s (a b : expr t s) : same a b -> eden a = eden b.
Proof.
rewrite !normP /same; case: (norm a) (norm b) => [p n] [q m] /= pq.
have /eqP : tval t s (p ++ m) = tval t s (q ++ n) by apply: perm_big.
by rewrite !tval_cat => e; apply/eqP; rewrite subr_eq addrAC -subr_eq opprK.
Qed.

(** Coefficient, left, what is zero, right; or coefficient, a relation among scalars that is zero, left, right. *)
Inductive entry t s :=
  | Entry m n of sexpr & expr t m & expr m n & expr n s
  | Relation m of sexpr & sexpr & expr t m & expr m s.

Definition entry_expr t s (x : entry t s) : expr t s :=
  match x with Entry _ _ c l h r => EZ c (EM (EM l h) r) | Relation _ c h l r => EZ (SM c h) (EM l r) end.
Definition entry_zero t s (x : entry t s) : Prop :=
  match x with Entry _ _ c l h r => eden h = 0 | Relation _ c h l r => sden sc h = 0 end.

Fixpoint combine t s (xs : seq (entry t s)) : expr t s :=
  if xs is x :: xs' then EA (entry_expr x) (combine xs') else E0 t s.
Fixpoint all_zero t s (xs : seq (entry t s)) : Prop :=
  if xs is x :: xs' then entry_zero x /\ all_zero xs' else True.

Theorem cert t s (e : expr t s) xs : same e (combine xs) -> all_zero xs -> eden e = 0.
Proof.
move=> /sameP -> {e}; elim: xs => [|[m n c l h r|m c h l r] xs IH] //= [h0 /IH ->].
  by rewrite h0 mulmx0 mul0mx scaler0 addr0.
by rewrite h0 mulr0 scale0r addr0.
Qed.

End Matrices.

(** What generated files say in one word. *)
Lemma zero_of (V : zmodType) (a b : V) : a = b -> a - b = 0.
Proof. by move=> ->; rewrite subrr. Qed.

Lemma equal_of (V : zmodType) (a b : V) : a - b = 0 -> a = b.
Proof. exact: subr0_eq. Qed.

Lemma zero_tr (R : comRingType) m n (A : 'M[R]_(m, n)) : A = 0 -> A^T = 0.
Proof. by move=> ->; rewrite trmx0. Qed.

(** An equation among scalars is one between multiples of the 1×1 identity. *)
Lemma scalar_zero (R : comRingType) (c : R) : c *: (1%:M : 'M[R]_1) = 0 -> c = 0.
Proof. by move=> /matrixP /(_ 0 0); rewrite !mxE mulr1. Qed.

(** Fractions, in a ring in which some numbers are units. *)
Lemma unit_zero (R : comUnitRingType) (q : R) : q \is a GRing.unit -> q * q^-1 - 1%:R = 0.
Proof. by move=> unit; rewrite divrr // subrr. Qed.

Lemma unit_product (R : comUnitRingType) (a b : nat) :
  (a%:R : R) \is a GRing.unit -> (b%:R : R) \is a GRing.unit -> ((a * b)%N%:R : R) \is a GRing.unit.
Proof. by move=> ua ub; rewrite natrM unitrM ua. Qed.

Lemma split_zero (R : comUnitRingType) (a b : nat) :
  (a%:R : R) \is a GRing.unit -> (b%:R : R) \is a GRing.unit -> ((a * b)%N%:R : R)^-1 - a%:R^-1 * b%:R^-1 = 0.
Proof. by move=> ua ub; rewrite natrM invrM // [b%:R^-1 * _]mulrC subrr. Qed.

(** A 1×1 matrix is its own transpose, so z + zᵀ = 0 says 2z = 0. *)
Lemma symmetrised (R : comRingType) (z : 'M[R]_1) : GRing.lreg (2%:R : R) -> z + z^T = 0 -> z = 0.
Proof.
move=> two /matrixP /(_ 0 0); rewrite !mxE => zz; apply/matrixP => i j; rewrite !ord1 mxE.
by apply: two; rewrite mulr0 mulr_natl mulr2n.
Qed.
