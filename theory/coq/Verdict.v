(** Verdicts on a rational problem, from certificates that Coq computes with (`theory inspect PROBLEM --coq FILE`).

    The problem is Φ, d, P, γ over the rationals. Φ may have dependent columns: Φ = Φ'W and Φ' = ΦV with the columns of
    Φ' independent (X' = Φ'ᵀDΦ' ≻ 0). Then the nonzero eigenvalues of A = ΦᵀD(1 − γP)Φ = WᵀA'W are those of A'WWᵀ, and
    Π = ΦX⁻ΦᵀD is the same for every X⁻ with ΦX⁻X = Φ, namely Φ'X'⁻¹Φ'ᵀD; the nonzero eigenvalues of γΠP are those of
    N·E⁻¹ with N = γY', E = X'. A symmetric Q decides:

      TD     NᵀQ + QN ≻ 0  with N = A'WWᵀ:     Q ≻ 0 stable,    xᵀQx ≤ 0 for an x ≠ 0 unstable  (Lyapunov)
      chain  EᵀQE − NᵀQN ≻ 0:                  Q ≻ 0 unbiased,  xᵀQx ≤ 0 for an x ≠ 0 biased    (Stein)

    A tie is shown by an eigenvector with a rational eigenvalue on the boundary.                          *)

From Coq Require Import QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Rationals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Spectrum.

Variable C : numClosedFieldType.

(** Eigenvalues are finitely many: what fails for one of them fails for one that can be named. *)
Lemma eigenvalue_exists n (M : 'M[C]_n) (p : pred C) :
  ~ (forall z, eigenvalue M z -> p z) -> exists2 z, eigenvalue M z & ~~ p z.
Proof.
have [r Hr] := closed_field_poly_normal (char_poly M); rewrite (eqP (char_poly_monic M)) scale1r in Hr.
have spec z : eigenvalue M z = (z \in r) by rewrite eigenvalue_root_char Hr root_prod_XsubC.
move=> H; have [/allP all_p|] := boolP (all p r); first by case: H => z; rewrite spec; apply: all_p.
by rewrite -has_predC => /hasP [z zr pz]; exists z; rewrite ?spec.
Qed.

End Spectrum.

Section Problem.

Variables (S F n : nat) (Phi Hat W V P : rows) (d : seq Q) (gamma : Q).

(** What the lists say about the problem, computed. *)
Definition lX := lmul n S n (lmul n S S (ltr S n Hat) (ldiag S d)) Hat.
Definition lY := lmul n S n (lmul n S S (lmul n S S (ltr S n Hat) (ldiag S d)) P) Hat.
Definition lN := lscale n n gamma lY.
Definition lA := ladd n n lX (lscale n n (Qopp gamma) lY).
Definition lTD := lmul n n n lA (lmul n F n W (ltr n F W)).

Definition factor_check l p :=
  [&& leq_ S F Phi (lmul S n F Hat W), leq_ S n Hat (lmul S F n Phi V),
      all (fun i => qpos (nth q0 d i)) (iota 0 S) & posdef_check n lX l p].

Definition lyapunov (N Qm : rows) := ladd n n (lmul n n n (ltr n n N) Qm) (lmul n n n Qm N).
Definition stein (N E Qm : rows) :=
  ladd n n (lmul n n n (lmul n n n (ltr n n E) Qm) E)
           (lscale n n (Qopp q1) (lmul n n n (lmul n n n (ltr n n N) Qm) N)).
Definition negative (Qm x : rows) :=
  [&& leq_ n n Qm (ltr n n Qm), has (fun i => ~~ Qeq_bool (entry x i 0) q0) (iota 0 n) &
      ~~ qpos (entry (lmul 1 n 1 (lmul 1 n n (ltr n 1 x) Qm) x) 0 0)].

Variable C : numClosedFieldType.

Local Notation mPhi := (lmx C S F Phi).
Local Notation mP := (lmx C S S P).
Local Notation mD := (diag_mx (lrow C S d)).
Local Notation g := (qden C gamma).

(** The key matrix of TD and the operator of the chain, of the problem as it is given. *)
Definition key : 'M[C]_F := mPhi^T *m mD *m (1%:M - g *: mP) *m mPhi.
Definition operator (Xg : 'M[C]_F) : 'M[C]_S := g *: (mPhi *m Xg *m mPhi^T *m mD *m mP).
Definition generalised (Xg : 'M[C]_F) := mPhi *m Xg *m (mPhi^T *m mD *m mPhi) = mPhi.

Local Notation mHat := (lmx C S n Hat).
Local Notation mW := (lmx C n F W).
Local Notation mV := (lmx C F n V).
Local Notation mX := (lmx C n n lX).
Local Notation mN := (lmx C n n lN).

Lemma mXE : mX = mHat^T *m mD *m mHat.
Proof. by rewrite !lmx_mul lmx_tr lmx_diag. Qed.
Lemma mNE : mN = g *: (mHat^T *m mD *m mP *m mHat).
Proof. by rewrite lmx_scale !lmx_mul lmx_tr lmx_diag. Qed.
Lemma mAE : lmx C n n lA = mX - mN.
Proof. by rewrite lmx_add !lmx_scale qdenN scaleNr. Qed.
Lemma mTDE : lmx C n n lTD = (mX - mN) *m (mW *m mW^T).
Proof. by rewrite /lTD lmx_mul mAE lmx_mul lmx_tr. Qed.

Variables (l : rows) (p : seq Q).
Hypothesis factors : factor_check l p.

Lemma Phi_factor : mPhi = mHat *m mW.
Proof. by case/and4P: factors => /(leqP_ C) -> _ _ _; rewrite lmx_mul. Qed.
Lemma Hat_factor : mHat = mPhi *m mV.
Proof. by case/and4P: factors => _ /(leqP_ C) e _ _; rewrite {1}e lmx_mul. Qed.
Lemma X_posdef : posdef mX.
Proof. by case/and4P: factors => _ _ _; apply: posdef_checkP. Qed.
Lemma uX : mX \in unitmx. Proof. exact: posdef_unit X_posdef. Qed.

Lemma keyE : key = mW^T *m ((mX - mN) *m mW).
Proof.
rewrite /key Phi_factor trmx_mul mXE mNE !mulmxBr !mulmxBl !mulmx1 !mulmxBr; congr (_ - _).
  by rewrite !mulmxA.
by rewrite -!scalemxAr -!scalemxAl -!scalemxAr !mulmxA.
Qed.

Lemma key_eigen z : z != 0 -> eigenvalue key z = eigenvalue (lmx C n n lTD) z.
Proof. by move=> z0; rewrite keyE eigenvalue_swap // mTDE mulmxA. Qed.

Lemma operatorE Xg : generalised Xg -> operator Xg = mHat *m (invmx mX *m (g *: (mHat^T *m mD *m mP))).
Proof.
move=> gen; have T_inv : mW *m Xg *m mW^T = invmx mX.
  have e : mHat *m (mW *m Xg *m mW^T *m mX) = mHat.
    have := congr1 (fun Z => Z *m mV) gen; rewrite /= -Hat_factor.
    rewrite -!mulmxA -Hat_factor {1 2}Phi_factor trmx_mul mXE !mulmxA => h.
    exact: h.
  have e1 : mW *m Xg *m mW^T *m mX = 1%:M.
    have left := congr1 (fun Z => mHat^T *m mD *m Z) e.
    by rewrite /= mulmxA -mXE in left; rewrite -[LHS](mulKmx uX) left mulVmx // uX.
  by rewrite -[LHS](mulmxK uX) e1 mul1mx.
rewrite /operator {1 2}Phi_factor trmx_mul -T_inv -!scalemxAr !mulmxA.
by [].
Qed.

Lemma operator_rho Xg : generalised Xg -> rho_lt (operator Xg) 1 <-> rho_lt (mN *m invmx mX) 1.
Proof.
move=> gen; rewrite (operatorE gen).
have -> : mN *m invmx mX = (g *: (mHat^T *m mD *m mP)) *m (mHat *m invmx mX).
  by rewrite mNE -!scalemxAl !mulmxA.
by rewrite [mHat *m _]mulmxA; apply: rho_swap; apply: ltr01.
Qed.

Lemma lyapunovE N Qm : lmx C n n (lyapunov N Qm) = lmx C n n Qm *m lmx C n n N + (lmx C n n N)^h *m lmx C n n Qm.
Proof. by rewrite lmx_add !lmx_mul lmx_tr adj_real; [rewrite addrC | apply: lmx_real]. Qed.

Lemma steinE N E Qm : lmx C n n (stein N E Qm) =
  (lmx C n n E)^h *m lmx C n n Qm *m lmx C n n E - (lmx C n n N)^h *m lmx C n n Qm *m lmx C n n N.
Proof.
rewrite lmx_add lmx_scale !lmx_mul !lmx_tr qdenN qden1 scaleN1r !adj_real //; exact: lmx_real.
Qed.

Lemma negativeP Qm x : negative Qm x ->
  [/\ (lmx C n n Qm)^h = lmx C n n Qm, lmx C n 1 x != 0 & form (lmx C n n Qm) (lmx C n 1 x) <= 0].
Proof.
case/and3P => /(leqP_ C) sym /hasP [i]; rewrite mem_iota /= add0n => lin xi neg; split.
- by rewrite adj_real; [rewrite {1}sym lmx_tr trmxK | apply: lmx_real].
- apply/eqP => /matrixP /(_ (Ordinal lin) 0); rewrite !mxE /= => x0; case/negP: xi.
  apply: (proj2 (Qeq_bool_iff _ _)); move: x0; rewrite /qden; case: (entry x i 0) => [[|q|q] r] //=.
    by move/eqP; rewrite mulf_eq0 invr_eq0 !(gt_eqF (pden_gt0 C _)).
  by move/eqP; rewrite mulf_eq0 invr_eq0 oppr_eq0 !(gt_eqF (pden_gt0 C _)).
have -> : form (lmx C n n Qm) (lmx C n 1 x) = qden C (entry (lmul 1 n 1 (lmul 1 n n (ltr n 1 x) Qm) x) 0 0).
  have := congr1 (fun Z : 'M[C]_1 => Z 0 0) (lmx_mul C 1 n 1 (lmul 1 n n (ltr n 1 x) Qm) x).
  by rewrite mxE => ->; rewrite lmx_mul lmx_tr /form adj_real //; apply: lmx_real.
move: neg; rewrite /qpos /qden; case: (entry _ 0 0) => [[|q|q] r] //= _; first by rewrite mul0r.
by rewrite mulNr oppr_le0 divr_ge0 ?(ltW (pden_gt0 C _)).
Qed.

(** The four verdicts. *)
Definition td_stable_check Qm ql qp nl np := posdef_check n Qm ql qp && posdef_check n (lyapunov lTD Qm) nl np.
Definition td_unstable_check Qm x nl np := negative Qm x && posdef_check n (lyapunov lTD Qm) nl np.
Definition unbiased_check Qm ql qp nl np := posdef_check n Qm ql qp && posdef_check n (stein lN lX Qm) nl np.
Definition biased_check Qm x nl np := negative Qm x && posdef_check n (stein lN lX Qm) nl np.

Theorem td_stable Qm ql qp nl np : td_stable_check Qm ql qp nl np ->
  forall z, eigenvalue key z -> z != 0 -> 0 < 'Re z.
Proof.
case/andP => Q0 N0 z ez z0; rewrite key_eigen // in ez.
apply: lyapunov_stable ez; first exact: posdef_checkP Q0.
by rewrite -lyapunovE; apply: posdef_checkP N0.
Qed.

Theorem td_unstable Qm x nl np : Num.archimedean_axiom C -> td_unstable_check Qm x nl np ->
  exists z, [/\ eigenvalue key z, z != 0 & ~~ (0 < 'Re z)].
Proof.
move=> arch /andP [/negativeP [herm x0 Qx] N0].
have N1 : posdef (lmx C n n Qm *m lmx C n n lTD + (lmx C n n lTD)^h *m lmx C n n Qm).
  by rewrite -lyapunovE; apply: posdef_checkP N0.
have [z ez nz] := eigenvalue_exists (p := fun z => 0 < 'Re z) (lyapunov_unstable arch herm N1 x0 Qx).
have z0 : z != 0.
  apply: contraTneq ez => ->; rewrite -unit_eigenvalue; apply: inj_unit => v Nv.
  apply/eqP; apply: contraT => /N1; rewrite formD /form -!mulmxA Nv !mulmx0 mxE add0r.
  have -> : v^h *m ((lmx C n n lTD)^h *m (lmx C n n Qm *m v)) = 0.
    by rewrite mulmxA -adjM Nv /adj map_mx0 trmx0 mul0mx.
  by rewrite mxE ltxx.
by exists z; split=> //; rewrite key_eigen.
Qed.

Lemma pencil (Qc : 'M[C]_n) : posdef (mX^h *m Qc *m mX - mN^h *m Qc *m mN) ->
  posdef (Qc - (mN *m invmx mX)^h *m Qc *m (mN *m invmx mX)).
Proof.
move=> pd; have := posdef_congr pd (B := invmx mX); set U := invmx mX.
have XU : mX *m U = 1%:M by rewrite mulmxV ?uX.
rewrite mulmxBr mulmxBl !mulmxA -!adjM -[_ *m mX *m U]mulmxA XU adj1 mul1mx mulmx1 -!mulmxA adjM => H.
move: (H) => {H}; rewrite !mulmxA -!adjM; apply=> v /(congr1 (mulmx mX)).
by rewrite mulmxA XU mul1mx mulmx0.
Qed.

Theorem unbiased Qm ql qp nl np : unbiased_check Qm ql qp nl np ->
  forall Xg, generalised Xg -> rho_lt (operator Xg) 1.
Proof.
case/andP => Q0 N0 Xg gen; apply/(operator_rho gen); apply: (@stein_stable _ _ _ (lmx C n n Qm)).
  exact: posdef_checkP Q0.
by apply: pencil; rewrite -steinE; apply: posdef_checkP N0.
Qed.

Theorem biased Qm x nl np : Num.archimedean_axiom C -> biased_check Qm x nl np ->
  forall Xg, generalised Xg -> exists2 z, eigenvalue (operator Xg) z & 1 <= `|z|.
Proof.
move=> arch /andP [/negativeP [herm x0 Qx] N0] Xg gen.
have no : ~ rho_lt (operator Xg) 1.
  move/(operator_rho gen); apply: stein_unstable arch herm _ x0 Qx.
  by apply: pencil; rewrite -steinE; apply: posdef_checkP N0.
have [z ez nz] := eigenvalue_exists (p := fun z => `|z| < 1) no; exists z => //.
by rewrite real_leNgt ?real1 ?normr_real.
Qed.

End Problem.
