(** The projection Π = ΦX⁻¹ΦᵀD: eigenvalues 0 and 1 with multiplicities S − F and F, diagonalisable (prop-8).

    Π = Φ·L with L = X⁻¹ΦᵀD and LΦ = 1, so by Sylvester X^F·χ(Π) = X^S·(X − 1)^F. Π² = Π is annihilated by X(X − 1),
    whose roots are simple, so Π is diagonalisable.                                               *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Joint Chain.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Projection.

Variables (K : fieldType) (S F : nat) (Phi : 'M[K]_(S.+1, F)) (D : 'M[K]_S.+1).
Hypothesis uX : X Phi D \in unitmx.

Let Lp := invmx (X Phi D) *m Phi^T *m D.

Lemma LPhi : Lp *m Phi = 1%:M.
Proof. by rewrite /Lp -[_ *m Phi^T *m D]mulmxA -mulmxA mulVmx. Qed.

Lemma PhiL : Pi Phi D = Phi *m Lp.
Proof. by rewrite /Pi /Lp !mulmxA. Qed.

Lemma rank_Pi : \rank (Pi Phi D) = F.
Proof.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  by rewrite PhiL; apply: leq_trans (mulmx_max_rank _ _) _.
have : (\rank (Lp *m Pi Phi D *m Phi) <= \rank (Pi Phi D))%N.
  by apply: leq_trans (mxrankM_maxl _ _) (mxrankM_maxr _ _).
by rewrite PhiL mulmxA LPhi mul1mx LPhi mxrank1.
Qed.

Lemma F_le_S : (F <= S.+1)%N.
Proof. by rewrite -{1}rank_Pi rank_leq_row. Qed.

Theorem prop_8 :
  [/\ Pi Phi D *m Pi Phi D = Pi Phi D, \rank (Pi Phi D) = F,
      char_poly (Pi Phi D) = 'X^(S.+1 - F) * ('X - 1) ^+ F,
      (forall z, eigenvalue (Pi Phi D) z -> z = 0 \/ z = 1) & diagonalizable (Pi Phi D)].
Proof.
have chi : char_poly (Pi Phi D) = 'X^(S.+1 - F) * ('X - 1) ^+ F.
  apply: (@mulfI _ 'X^F); first by rewrite monic_neq0 // monicXn.
  rewrite PhiL sylvester LPhi mulrA -exprD subnKC ?F_le_S //; congr (_ * _).
  by rewrite /char_poly /char_poly_mx map_mx1 -raddfB /= det_scalar.
split=> // [||z|]; first exact: Pi_idempotent.
- exact: rank_Pi.
- move=> /eigenvalueP [v Pv v0]; have := congr1 (mulmx v) (Pi_idempotent uX).
  rewrite mulmxA Pv -scalemxAl Pv scalerA => /eqP; rewrite -subr_eq0 -scalerBl scaler_eq0 (negPf v0) orbF.
  by rewrite -[Z in _ - Z]mulr1 -mulrBr mulf_eq0 subr_eq0 => /orP[/eqP|/eqP]; [left | right].
apply/diagonalizableP; exists [:: 0; 1]; first by rewrite /= inE eq_sym oner_eq0.
apply: mxminpoly_min; rewrite !big_cons big_nil mulr1 rmorphM !rmorphB /= !horner_mx_X !horner_mx_C.
by rewrite raddf0 subr0 mulrBr mulr1 -[_ * _]/(_ *m _) Pi_idempotent // subrr.
Qed.

End Projection.
