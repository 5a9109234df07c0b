(** Powers of a square matrix and partial sums of its geometric series.

    M ^^ t is M multiplied with itself t times, for matrices of every size n ≥ 0
    (MathComp's M ^+ t asks for n ≥ 1), over any commutative ring:

        M ^^ 0 = 1,   M ^^ (t+1) = M · M ^^ t,   Σ_{i<t} Mⁱ (1 − M) = 1 − Mᵗ.       *)

From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Reserved Notation "M ^^ t" (at level 29, left associativity).

Section Powers.

Variable R : comRingType.

Fixpoint mpow n (M : 'M[R]_n) t : 'M[R]_n := if t is t'.+1 then M *m mpow M t' else 1%:M.

Local Notation "M ^^ t" := (mpow M t) : ring_scope.

Variable n : nat.
Implicit Types M N V W : 'M[R]_n.

Lemma mpow0 M : M ^^ 0 = 1%:M. Proof. by []. Qed.
Lemma mpowS M t : M ^^ t.+1 = M *m M ^^ t. Proof. by []. Qed.
Lemma mpow1 M : M ^^ 1 = M. Proof. by rewrite mpowS mulmx1. Qed.

Lemma mpow_comm M N t : M *m N = N *m M -> M *m N ^^ t = N ^^ t *m M.
Proof.
move=> MN; elim: t => [|t IH]; first by rewrite mulmx1 mul1mx.
by rewrite mpowS mulmxA MN -mulmxA IH mulmxA.
Qed.

Lemma mpowSr M t : M ^^ t.+1 = M ^^ t *m M.
Proof. by rewrite mpowS mpow_comm. Qed.

Lemma mpowD M s t : M ^^ (s + t) = M ^^ s *m M ^^ t.
Proof. by elim: s => [|s IH]; rewrite ?mul1mx // addSn !mpowS IH mulmxA. Qed.

Lemma mpow_scale (c : R) M t : (c *: M) ^^ t = c ^+ t *: M ^^ t.
Proof.
elim: t => [|t IH]; first by rewrite expr0 scale1r.
by rewrite !mpowS IH -scalemxAl -scalemxAr scalerA exprS.
Qed.

Lemma mpow_trmx M t : (M ^^ t)^T = M^T ^^ t.
Proof. by elim: t => [|t IH]; rewrite ?trmx1 // mpowS trmx_mul IH -mpowSr. Qed.

Lemma mpow_conj V W M t : W *m V = 1%:M -> V *m W = 1%:M -> (V *m M *m W) ^^ t = V *m M ^^ t *m W.
Proof.
move=> WV VW; elim: t => [|t IH]; first by rewrite mulmx1.
by rewrite !mpowS IH !mulmxA -(mulmxA (V *m M)) WV mulmx1.
Qed.

Lemma mpow_eigen m M (v : 'M[R]_(n, m)) z t : M *m v = z *: v -> M ^^ t *m v = z ^+ t *: v.
Proof.
move=> Mv; elim: t => [|t IH]; first by rewrite mul1mx scale1r.
by rewrite mpowS -mulmxA IH -scalemxAr Mv scalerA exprSr.
Qed.

(** The partial sums W_t = Σ_{i<t} Mⁱ. *)
Definition gsum M t := \sum_(i < t) M ^^ i.

Lemma gsum0 M : gsum M 0 = 0. Proof. by rewrite /gsum big_ord0. Qed.
Lemma gsumS M t : gsum M t.+1 = gsum M t + M ^^ t. Proof. by rewrite /gsum big_ord_recr. Qed.

Lemma gsumSl M t : gsum M t.+1 = 1%:M + M *m gsum M t.
Proof. by rewrite /gsum big_ord_recl mulmx_sumr. Qed.

Lemma gsum_comm M t : M *m gsum M t = gsum M t *m M.
Proof. by rewrite /gsum mulmx_sumr mulmx_suml; apply: eq_bigr => i _; rewrite mpow_comm. Qed.

Lemma gsum_telescopes M t : gsum M t *m (1%:M - M) = 1%:M - M ^^ t.
Proof.
rewrite mulmxBr mulmx1 -gsum_comm; apply/eqP.
by rewrite subr_eq addrAC -gsumSl gsumS addrK.
Qed.

Lemma gsum_telescopes_l M t : (1%:M - M) *m gsum M t = 1%:M - M ^^ t.
Proof. by rewrite -gsum_telescopes mulmxBl mulmxBr mul1mx mulmx1 gsum_comm. Qed.

(** x_{t+1} = M x_t + c, written out. *)
Lemma affine_closed_form m M (c : 'M[R]_(n, m)) (x : nat -> 'M[R]_(n, m)) :
  (forall t, x t.+1 = M *m x t + c) -> forall t, x t = M ^^ t *m x 0%N + gsum M t *m c.
Proof.
move=> step; elim=> [|t IH]; first by rewrite mul1mx gsum0 mul0mx addr0.
by rewrite step IH mulmxDr mulmxA -mpowS -addrA mulmxA gsumSl mulmxDl mul1mx [c + _]addrC.
Qed.

(** ... and its distance from a point that it leaves fixed. *)
Lemma affine_residual m M (c s : 'M[R]_(n, m)) (x : nat -> 'M[R]_(n, m)) :
  s = M *m s + c -> (forall t, x t.+1 = M *m x t + c) ->
  forall t, x t - s = M ^^ t *m (x 0%N - s).
Proof.
move=> fix_s step; elim=> [|t IH]; first by rewrite mul1mx.
by rewrite step {1}fix_s opprD addrACA subrr addr0 -mulmxBr IH mulmxA.
Qed.

End Powers.

Notation "M ^^ t" := (mpow M t) : ring_scope.
