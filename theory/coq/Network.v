(** Verdicts on a target network that is replaced every T updates of step size α, on a rational problem.

    One replacement multiplies the error by G_T = 1 − S_T A, S_T = Σ_{i<T} α(1 − αX)ⁱ, where the parameters are kept (hot
    start, extra-target-network), and by γS_T Y where they are reset (cold start, extra-cold-start). With Φ = Φ'W as in
    Verdict, G_T·Wᵀ = Wᵀ·R and W·G_T = R'W with R = 1 − α Σ_{i<T} (1 − αX'WWᵀ)ⁱ A'WWᵀ, or its like with γY', so the
    eigenvalues of R are those of G_T with eigenvectors that have values, Φv ≠ 0. Stein's inequality decides R, which Coq computes
    by Horner's rule.                                                                                    *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Rationals Verdict Boundary.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Intertwined.

Variables (R : comRingType) (m n : nat).

Lemma gsum_intertwined (K : 'M[R]_(m, n)) (M : 'M[R]_m) (N : 'M[R]_n) t :
  M *m K = K *m N -> gsum M t *m K = K *m gsum N t.
Proof.
move=> e; elim: t => [|t IH]; first by rewrite !gsum0 mul0mx mulmx0.
by rewrite !gsumSl mulmxDl mulmxDr mul1mx mulmx1 -mulmxA IH !mulmxA e.
Qed.

End Intertwined.

Section Problem.

Variables (S F n : nat) (Phi Hat W V P : rows) (d : seq Q) (gamma alpha : Q) (T : nat) (hot : bool).

Local Notation lX := (lX S n Hat d).
Local Notation lTD := (lTD S F n Hat W P d gamma).

Definition lstep := ladd n n (lone n) (lscale n n (Qopp alpha) (lmul n n n lX (lmul n F n W (ltr n F W)))).
Fixpoint lgsum (step : rows) t : rows :=
  if t is t'.+1 then ladd n n (lone n) (lmul n n n step (lgsum step t')) else tabulate n n (fun _ _ => q0).
Definition lmove := if hot then lTD else lmul n n n (lN S n Hat P d gamma) (lmul n F n W (ltr n F W)).
Definition lR := let r := lmul n n n (lgsum lstep T) lmove in
  if hot then ladd n n (lone n) (lscale n n (Qopp alpha) r) else lscale n n alpha r.

Definition network_stein (Qm : rows) := let r := lR in
  ladd n n Qm (lscale n n (Qopp q1) (lmul n n n (lmul n n n (ltr n n r) Qm) r)).
Definition network_stable_check Qm ql qp nl np := posdef_check n Qm ql qp && posdef_check n (network_stein Qm) nl np.
Definition network_unstable_check Qm x nl np := negative n Qm x && posdef_check n (network_stein Qm) nl np.

Variable C : numClosedFieldType.

Local Notation mPhi := (lmx C S F Phi).
Local Notation mD := (diag_mx (lrow C S d)).
Local Notation mW := (lmx C n F W).
Local Notation mX := (lmx C n n lX).
Local Notation mN := (lmx C n n (lN S n Hat P d gamma)).
Local Notation mR := (lmx C n n lR).
Local Notation a := (qden C alpha).

(** What one replacement does to the error on the problem as it is given. *)
Definition network : 'M[C]_F := let S_T := a *: gsum (1%:M - a *: (mPhi^T *m mD *m mPhi)) T in
  if hot then 1%:M - S_T *m key S F Phi P d gamma C
  else S_T *m (qden C gamma *: (mPhi^T *m mD *m lmx C S S P *m mPhi)).

Lemma lgsumE step t : lmx C n n (lgsum step t) = gsum (lmx C n n step) t.
Proof.
elim: t => [|t IH] /=; first by rewrite gsum0; apply/matrixP => i j; rewrite !mxE tabulateE // qden0.
by rewrite lmx_add lmx_one lmx_mul IH gsumSl.
Qed.

Lemma mstepE : lmx C n n lstep = 1%:M - a *: (mX *m (mW *m mW^T)).
Proof. by rewrite lmx_add lmx_one lmx_scale !(lmx_mul C n n n) (lmx_mul C n F n) lmx_tr qdenN scaleNr. Qed.

(** Both starts as one: G_T = c − S_T WᵀZW with c = 1 and Z = A', or c = 0 and Z = −γY'. *)
Local Notation c := (hot%:R : C).
Local Notation Z := (if hot then mX - mN else - mN).

Lemma mRE : mR = c%:M - a *: (gsum (1%:M - a *: (mX *m (mW *m mW^T))) T *m (Z *m (mW *m mW^T))).
Proof.
rewrite /lR /lmove; case: hot.
  by rewrite lmx_add lmx_one lmx_scale (lmx_mul C n n n) lgsumE mstepE mTDE qdenN scaleNr.
rewrite lmx_scale !(lmx_mul C n n n) (lmx_mul C n F n) lmx_tr lgsumE mstepE.
by rewrite mulNmx mulmxN scalerN opprK raddf0 add0r.
Qed.

Variables (l : rows) (p : seq Q).
Hypothesis factors : factor_check S F n Phi Hat W V d l p.

Lemma XE : mPhi^T *m mD *m mPhi = mW^T *m (mX *m mW).
Proof. by rewrite (Phi_factor C factors) trmx_mul mXE !mulmxA. Qed.

Lemma YE : qden C gamma *: (mPhi^T *m mD *m lmx C S S P *m mPhi) = mW^T *m (mN *m mW).
Proof. by rewrite (Phi_factor C factors) trmx_mul mNE -scalemxAl -scalemxAr !mulmxA. Qed.

Lemma networkE : network = c%:M - a *: (gsum (1%:M - a *: (mW^T *m (mX *m mW))) T *m (mW^T *m (Z *m mW))).
Proof.
rewrite /network XE; case: hot; first by rewrite (keyE P gamma C factors) -scalemxAl.
by rewrite YE -scalemxAl mulNmx !mulmxN scalerN opprK raddf0 add0r.
Qed.

Lemma network_right : network *m mW^T = mW^T *m mR.
Proof.
rewrite mRE networkE mulmxBl mulmxBr mul_scalar_mx mul_mx_scalar -scalemxAl -scalemxAr; congr (_ - _ *: _).
move: Z => Z0; rewrite -[LHS]mulmxA.
have -> : mW^T *m (Z0 *m mW) *m mW^T = mW^T *m (Z0 *m (mW *m mW^T)) by rewrite !mulmxA.
rewrite [LHS]mulmxA (@gsum_intertwined _ _ _ mW^T _ (1%:M - a *: (mX *m (mW *m mW^T)))); first by rewrite -mulmxA.
by rewrite mulmxBl mulmxBr mul1mx mulmx1 -scalemxAl -scalemxAr !mulmxA.
Qed.

(** Values move by W·G_T = R'W. *)
Lemma network_left : exists M : 'M[C]_n, mW *m network = M *m mW.
Proof.
pose M := c%:M - a *: (gsum (1%:M - a *: (mW *m mW^T *m mX)) T *m (mW *m mW^T *m Z)).
exists M; rewrite /M networkE mulmxBl mulmxBr mul_scalar_mx mul_mx_scalar -scalemxAl -scalemxAr; congr (_ - _ *: _).
move: Z => Z0; rewrite [LHS]mulmxA -(@gsum_intertwined _ _ _ mW (1%:M - a *: (mW *m mW^T *m mX))).
  by rewrite -!mulmxA.
by rewrite mulmxBl mulmxBr mul1mx mulmx1 -scalemxAl -scalemxAr !mulmxA.
Qed.

Lemma steinR Qm : lmx C n n (network_stein Qm) = lmx C n n Qm - mR^h *m lmx C n n Qm *m mR.
Proof.
rewrite /network_stein lmx_add lmx_scale !(lmx_mul C n n n) lmx_tr qdenN qden1 scaleN1r adj_real //.
exact: lmx_real.
Qed.

Theorem network_stable Qm ql qp nl np : network_stable_check Qm ql qp nl np ->
  forall z (v : 'cV[C]_F), network *m v = z *: v -> mPhi *m v != 0 -> `|z| < 1.
Proof.
case/andP => Q0 N0 z v Gv Pv.
have rho : rho_lt mR 1.
  apply: (@stein_stable _ _ _ (lmx C n n Qm)); first exact: posdef_checkP Q0.
  by rewrite -steinR; apply: posdef_checkP N0.
apply: rho; have [M left] := network_left.
have w0 : mW *m v != 0.
  by apply: contra Pv => /eqP e; rewrite (Phi_factor C factors) -mulmxA e mulmx0.
have uG : mW *m mW^T \in unitmx by apply: inj_unit => u; rewrite -mulmxA; apply: (gram_inj factors).
have MG : M *m (mW *m mW^T) = mW *m mW^T *m mR by rewrite mulmxA -left -!mulmxA network_right.
have Mw : M *m (mW *m v) = z *: (mW *m v) by rewrite mulmxA -left -mulmxA Gv -scalemxAr.
apply/eigenP; exists (invmx (mW *m mW^T) *m (mW *m v)).
  by rewrite -[LHS](mulKmx uG) [X in _ *m X = _]mulmxA -MG -[X in _ *m X = _]mulmxA mulKVmx // Mw -scalemxAr.
by apply: contra w0 => /eqP e; rewrite -[mW *m v](mulKVmx uG) e mulmx0.
Qed.

Theorem network_unstable Qm x nl np : Num.archimedean_axiom C -> network_unstable_check Qm x nl np ->
  exists z (v : 'cV[C]_F), [/\ network *m v = z *: v, mPhi *m v != 0 & 1 <= `|z|].
Proof.
move=> arch /andP [/(negativeP C) [herm x0 Qx] N0].
have no : ~ rho_lt mR 1.
  by apply: stein_unstable arch herm _ x0 Qx; rewrite -steinR; apply: posdef_checkP N0.
have [z /eigenP [u Ru u0] nz] := eigenvalue_exists (p := fun z => `|z| < 1) no.
exists z, (mW^T *m u); split.
- by rewrite mulmxA network_right -mulmxA Ru -scalemxAr.
- by rewrite (Phi_factor C factors) -mulmxA; apply: contra u0 => /eqP /(Hat_inj factors) /(gram_inj factors) ->.
by rewrite real_leNgt ?real1 ?normr_real.
Qed.

(** A tie, as of the chain: an invariant subspace with |det| ≥ 1. *)
Definition network_tie_check m v u x y : bool :=
  invariant_check n m.+1 lR None v u (lmul m.+1 m.+1 m.+1 x y) && large m.+1 x y.

Theorem network_tie m v u x y : network_tie_check m v u x y ->
  exists z (w : 'cV[C]_F), [/\ network *m w = z *: w, mPhi *m w != 0 & 1 <= `|z|].
Proof.
case/andP => /andP [/(leqP_ C) inv /(leqP_ C) UV] /(largeP C) dt.
rewrite (lmx_mul C n n m.+1) (lmx_mul C n m.+1 m.+1) in inv; rewrite lmx_mul lmx_one in UV.
have [z ez big] := det_unstable dt.
have [w Rw w0] := @invariant _ _ _ _ 1%:M _ _ _ z UV (etrans inv (congr1 (mulmx^~ _) (esym (mul1mx _)))) ez.
rewrite mul1mx in Rw; exists z, (mW^T *m w); split.
- by rewrite mulmxA network_right -mulmxA Rw -scalemxAr.
- by rewrite (Phi_factor C factors) -mulmxA; apply: contra w0 => /eqP /(Hat_inj factors) /(gram_inj factors) ->.
by rewrite real_leNgt ?real1 ?normr_real.
Qed.

End Problem.
