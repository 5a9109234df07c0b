(** Rational matrices as lists, computed with in binary, and what they mean in a field.

    Numbers are Coq's own fractions (Z over positive); `qden` is their value in a field of characteristic 0.
    Addends over one denominator are added without a reduction, so a problem whose matrices are integers over one
    denominator each (a float problem over a power of 2) meets no gcd. `lmx m n l` is the m×n matrix of a list of
    rows. Products, transposes and sums of lists are those of the matrices. A list A with A = Lᵀ·diag(p)·L + E,
    L triangular with ones on the diagonal, p > 0 and E symmetric with a dominant diagonal, is positive definite:
    so L and p may be rounded.         *)

From Coq Require Import ZArith QArith Qreduction.
From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition q0 : Q := Qmake 0 1.
Definition q1 : Q := Qmake 1 1.
Notation rows := (seq (seq Q)).

(** Entries and sums, by computation. *)
Definition entry (l : rows) i j : Q := nth q0 (nth [::] l i) j.
Definition tabulate m n (f : nat -> nat -> Q) : rows := mkseq (fun i => mkseq (f i) n) m.
Definition qadd (x y : Q) : Q :=
  if Pos.eqb (Qden x) (Qden y) then Qmake (Z.add (Qnum x) (Qnum y)) (Qden x)
  else if Z.eqb (Qnum y) Z0 then x else if Z.eqb (Qnum x) Z0 then y else Qred (Qplus x y).
Definition qplus (x y : Q) : Q :=
  if Pos.eqb (Qden x) (Qden y) then Qmake (Z.add (Qnum x) (Qnum y)) (Qden x) else Qplus x y.
Definition qsum n (f : nat -> Q) : Q := foldr (fun k s => qadd (f k) s) q0 (iota 0 n).
Arguments qadd : simpl never.
Arguments qplus : simpl never.

Definition lmul m p n (a b : rows) : rows :=
  tabulate m n (fun i j => qsum p (fun k => Qmult (entry a i k) (entry b k j))).
Definition ladd m n (a b : rows) : rows := tabulate m n (fun i j => qplus (entry a i j) (entry b i j)).
Definition lscale m n (c : Q) (a : rows) : rows := tabulate m n (fun i j => Qmult c (entry a i j)).
Definition ltr m n (a : rows) : rows := tabulate n m (fun i j => entry a j i).
Definition ldiag n (d : seq Q) : rows :=
  tabulate n n (fun i j => let x := nth q0 d i in if i == j then x else Qmake Z0 (Qden x)).
Definition lone n : rows := tabulate n n (fun i j => if i == j then q1 else q0).

Definition qpos (x : Q) : bool := Z.ltb Z0 (Qnum x).
Definition qle (x y : Q) : bool := Z.leb (Z.mul (Qnum x) (Zpos (Qden y))) (Z.mul (Qnum y) (Zpos (Qden x))).
Definition qabs (x : Q) : Q := Qmake (Z.abs (Qnum x)) (Qden x).
Definition leq_ m n (a b : rows) : bool :=
  all (fun i => all (fun j => Qeq_bool (entry a i j) (entry b i j)) (iota 0 n)) (iota 0 m).

Section Meaning.

Variable C : numFieldType.

Definition zden (z : Z) : C :=
  match z with Z0 => 0 | Zpos p => (Pos.to_nat p)%:R | Zneg p => - (Pos.to_nat p)%:R end.

Lemma pden_gt0 p : 0 < (Pos.to_nat p)%:R :> C.
Proof. by rewrite ltr0n; apply/ssrnat.ltP; apply: Pos2Nat.is_pos. Qed.

Lemma zden_opp z : zden (Z.opp z) = - zden z.
Proof. by case: z => [|p|p] /=; rewrite ?oppr0 ?opprK. Qed.

Lemma zden_nat n : zden (Z.of_nat n) = n%:R.
Proof.
case: n => [|n] //; rewrite -[LHS]/((Pos.to_nat (Pos.of_succ_nat n))%:R).
by rewrite SuccNat2Pos.id_succ.
Qed.

Lemma zden_cases z : exists n : nat, z = Z.of_nat n \/ z = Z.opp (Z.of_nat n).
Proof.
by exists (Z.abs_nat z); have [h|h] := Z.abs_spec z; rewrite Zabs2Nat.id_abs; [left | right]; Lia.lia.
Qed.

Lemma zden_sub m n : zden (Z.sub (Z.of_nat m) (Z.of_nat n)) = m%:R - n%:R.
Proof.
have [nm|mn] := leqP n m.
  have := Nat2Z.inj_sub m n (elimT ssrnat.leP nm); rewrite minusE => <-.
  by rewrite zden_nat natrB.
have := Nat2Z.inj_sub n m (elimT ssrnat.leP (ltnW mn)); rewrite minusE => e.
have -> : Z.sub (Z.of_nat m) (Z.of_nat n) = Z.opp (Z.of_nat (n - m)).
  by rewrite e Z.opp_sub_distr Z.add_comm Z.add_opp_r.
by rewrite zden_opp zden_nat natrB ?opprB // ltnW.
Qed.

Lemma zdenD x y : zden (Z.add x y) = zden x + zden y.
Proof.
have [m [->|->]] := zden_cases x; have [n [->|->]] := zden_cases y.
- by rewrite -Nat2Z.inj_add !zden_nat -natrD.
- by rewrite Z.add_opp_r zden_sub zden_opp !zden_nat.
- by rewrite Z.add_comm Z.add_opp_r zden_sub zden_opp !zden_nat addrC.
by rewrite -Z.opp_add_distr -Nat2Z.inj_add !zden_opp !zden_nat -opprD -natrD.
Qed.

Lemma zdenM x y : zden (Z.mul x y) = zden x * zden y.
Proof.
have [m [->|->]] := zden_cases x; have [n [->|->]] := zden_cases y;
  by rewrite ?Z.mul_opp_l ?Z.mul_opp_r -?Nat2Z.inj_mul ?zden_opp !zden_nat ?mulrN ?mulNr ?opprK -natrM.
Qed.

Definition qden (x : Q) : C := zden (Qnum x) / (Pos.to_nat (Qden x))%:R.

Lemma qden_eq x y : Qeq x y -> qden x = qden y.
Proof.
rewrite /Qeq /qden => /(congr1 zden); rewrite !zdenM => e.
have px := lt0r_neq0 (pden_gt0 (Qden x)); have py := lt0r_neq0 (pden_gt0 (Qden y)).
by apply/eqP; rewrite eqr_div //; apply/eqP.
Qed.

Lemma qden_red x : qden (Qred x) = qden x.
Proof. by apply: qden_eq; apply: Qred_correct. Qed.

Lemma qdenD x y : qden (Qplus x y) = qden x + qden y.
Proof.
rewrite /qden /= zdenD !zdenM Pos2Nat.inj_mul -[Nat.mul _ _]/(_ * _)%N natrM.
by rewrite addf_div ?gt_eqF ?pden_gt0.
Qed.

Lemma qdenM x y : qden (Qmult x y) = qden x * qden y.
Proof.
by rewrite /qden /= zdenM Pos2Nat.inj_mul -[Nat.mul _ _]/(_ * _)%N natrM mulf_div.
Qed.

Lemma qden_same x y : Pos.eqb (Qden x) (Qden y) ->
  qden (Qmake (Z.add (Qnum x) (Qnum y)) (Qden x)) = qden x + qden y.
Proof. by move=> /(proj1 (Pos.eqb_eq _ _)) e; rewrite /qden /= zdenD mulrDl e. Qed.

Lemma qden_num0 x : Z.eqb (Qnum x) Z0 -> qden x = 0.
Proof. by move=> /(proj1 (Z.eqb_eq _ _)) e; rewrite /qden e /= mul0r. Qed.

Lemma qaddE x y : qden (qadd x y) = qden x + qden y.
Proof.
rewrite /qadd; case: ifP => [|_]; first exact: qden_same.
case: ifP => [/qden_num0 ->|_]; first by rewrite addr0.
by case: ifP => [/qden_num0 ->|_]; rewrite ?add0r // qden_red qdenD.
Qed.

Lemma qplusE x y : qden (qplus x y) = qden x + qden y.
Proof. by rewrite /qplus; case: ifP => [|_]; [apply: qden_same | apply: qdenD]. Qed.

Lemma qden0 : qden q0 = 0. Proof. by rewrite /qden mul0r. Qed.
Lemma qden1 : qden q1 = 1. Proof. by rewrite /qden /= Pos2Nat.inj_1 divr1. Qed.
Lemma qdenN x : qden (Qopp x) = - qden x. Proof. by rewrite /qden /= zden_opp mulNr. Qed.

Lemma qden_gt0 x : qpos x -> 0 < qden x.
Proof.
rewrite /qpos /qden; case: x => [[|p|p] q] //= _.
by rewrite divr_gt0 ?pden_gt0.
Qed.

Lemma zden_ge0 z : Z.leb Z0 z -> 0 <= zden z.
Proof. by case: z => [|p|p] //= _; rewrite ler0n. Qed.

Lemma qden_le x y : qle x y -> qden x <= qden y.
Proof.
move=> /Zle_bool_imp_le /Zle_minus_le_0 /(proj2 (Z.leb_le _ _)) /zden_ge0.
rewrite /Z.sub zdenD zden_opp !zdenM subr_ge0 /qden => h.
by rewrite ler_pdivr_mulr ?pden_gt0 // mulrAC ler_pdivl_mulr ?pden_gt0.
Qed.

Lemma qden_abs x : qden (qabs x) = `|qden x|.
Proof.
rewrite /qden /= normrM normfV (ger0_norm (ler0n _ _)); congr (_ / _).
by case: (Qnum x) => [|p|p] /=; rewrite ?normr0 ?normrN ?(ger0_norm (ler0n _ _)).
Qed.

Lemma qden_real x : qden x \is Num.real.
Proof.
rewrite rpredM ?rpredV ?realn // /zden; case: (Qnum x) => [|p|p]; rewrite ?rpredN ?realn ?real0 //.
Qed.

Lemma qsumE n f : qden (qsum n f) = \sum_(k < n) qden (f k).
Proof.
rewrite -(big_mkord xpredT (fun k => qden (f k))) /index_iota subn0 /qsum.
elim: (iota 0 n) => [|k s IH] /=; first by rewrite big_nil qden0.
by rewrite big_cons qaddE IH.
Qed.

Definition lmx m n (l : rows) : 'M[C]_(m, n) := \matrix_(i, j) qden (entry l i j).

Lemma tabulateE m n f i j : (i < m)%N -> (j < n)%N -> entry (tabulate m n f) i j = f i j.
Proof. by move=> im jn; rewrite /entry /tabulate nth_mkseq // nth_mkseq. Qed.

Lemma lmx_mul m p n a b : lmx m n (lmul m p n a b) = lmx m p a *m lmx p n b.
Proof.
apply/matrixP => i j; rewrite !mxE tabulateE // qsumE; apply: eq_bigr => k _.
by rewrite !mxE qdenM.
Qed.

Lemma lmx_add m n a b : lmx m n (ladd m n a b) = lmx m n a + lmx m n b.
Proof. by apply/matrixP => i j; rewrite !mxE tabulateE // qplusE. Qed.

Lemma lmx_scale m n c a : lmx m n (lscale m n c a) = qden c *: lmx m n a.
Proof. by apply/matrixP => i j; rewrite !mxE tabulateE // qdenM. Qed.

Lemma lmx_tr m n a : lmx n m (ltr m n a) = (lmx m n a)^T.
Proof. by apply/matrixP => i j; rewrite !mxE tabulateE. Qed.

Definition lrow n (d : seq Q) : 'rV[C]_n := \row_i qden (nth q0 d i).

Lemma lmx_diag n d : lmx n n (ldiag n d) = diag_mx (lrow n d).
Proof.
apply/matrixP => i j; rewrite !mxE tabulateE // -val_eqE; case: eqP => // _.
by rewrite qden_num0.
Qed.

Lemma lmx_one n : lmx n n (lone n) = 1%:M.
Proof.
by apply/matrixP => i j; rewrite !mxE tabulateE // -val_eqE; case: eqP => _; rewrite ?qden1 ?qden0.
Qed.

Lemma leqP_ m n a b : leq_ m n a b -> lmx m n a = lmx m n b.
Proof.
move=> /allP ab; apply/matrixP => i j; rewrite !mxE; apply: qden_eq; apply: (proj1 (Qeq_bool_iff _ _)).
have := ab (val i); rewrite mem_iota /= add0n => /(_ (ltn_ord i)) /allP /(_ (val j)).
by rewrite mem_iota /= add0n => /(_ (ltn_ord j)).
Qed.

End Meaning.

(** Positive definite by Lᵀ·diag(p)·L and a remainder whose diagonal dominates. *)
Definition dominant n (e : rows) : bool :=
  all (fun i => qle (qsum n (fun j => if j == i then q0 else qabs (entry e i j))) (entry e i i)) (iota 0 n).
Definition remainder n (a l : rows) (p : seq Q) : rows :=
  ladd n n a (lscale n n (Qopp q1) (lmul n n n (lmul n n n (ltr n n l) (ldiag n p)) l)).
Definition posdef_check n (a l : rows) (p : seq Q) : bool :=
  [&& (let e := remainder n a l p in leq_ n n e (ltr n n e) && dominant n e),
      all (fun i => all (fun j => if (i < j)%N then true else Qeq_bool (entry l i j) (if i == j then q1 else q0))
                        (iota 0 n)) (iota 0 n) &
      all (fun i => qpos (nth q0 p i)) (iota 0 n)].

Section Definite.

Variable C : numClosedFieldType.

Lemma lmx_real m n l : realmx (lmx C m n l).
Proof. by apply/matrixP => i j; rewrite !mxE conj_Creal ?qden_real. Qed.

Lemma dominantP n e : leq_ n n e (ltr n n e) -> dominant n e -> possemi (lmx C n n e).
Proof.
move=> /(leqP_ C) sym /allP dom; apply: dominant_possemi.
- exact: lmx_real.
- by rewrite {2}sym lmx_tr.
move=> i; have := dom (val i); rewrite mem_iota /= add0n => /(_ (ltn_ord i)) /(qden_le C).
rewrite qsumE mxE; apply: le_trans; rewrite [X in _ <= X](bigD1 i) //= eqxx qden0 add0r.
apply: ler_sum => j ji; have -> : (val j == val i) = false by rewrite val_eqE (negPf ji).
by rewrite mxE qden_abs.
Qed.

Lemma posdef_checkP n a l p : posdef_check n a l p -> posdef (lmx C n n a).
Proof.
move=> /and3P [/andP [sym dom] /allP tri /allP pos].
have low i j : (i < n)%N -> (j < n)%N -> ~~ (i < j)%N ->
    qden C (entry l i j) = (if i == j then 1 else 0).
  move=> lin ljn nij; have := tri i; rewrite mem_iota /= add0n => /(_ lin) /allP /(_ j).
  rewrite mem_iota /= add0n (negPf nij) => /(_ ljn) /(proj1 (Qeq_bool_iff _ _)) /(qden_eq C) ->.
  by case: eqP => _; rewrite ?qden0 ?qden1.
have trig : is_trig_mx (lmx C n n l)^T.
  apply/is_trig_mxP => i j ij; rewrite !mxE low //; last by rewrite -leqNgt ltnW.
  by rewrite gtn_eqF.
have square : posdef ((lmx C n n l)^T *m diag_mx (lrow C n p) *m lmx C n n l).
  apply: (@cholesky _ _ _ (lmx C n n l) (lrow C n p)); first by rewrite adj_real //; apply: lmx_real.
  - rewrite -unitmx_tr unitmxE (det_trig trig) unitfE prodf_seq_neq0.
    apply/allP => i _ /=; rewrite !mxE low ?ltnn // eqxx oner_eq0.
    by [].
  move=> i; rewrite mxE; apply: qden_gt0; apply: pos; rewrite mem_iota /= add0n.
  exact: ltn_ord.
have rest v := dominantP sym dom v; move=> v v0; have := rest v; rewrite /remainder lmx_add lmx_scale.
rewrite qdenN qden1 scaleN1r !lmx_mul lmx_tr lmx_diag formB subr_ge0; apply: lt_le_trans.
exact: square.
Qed.

End Definite.
