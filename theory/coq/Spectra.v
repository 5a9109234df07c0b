(** Spectra that agree: similar matrices, AB and BA, 1 − αM, block-triangular matrices, transitions.

    - χ(V M V⁻¹) = χ(M), with multiplicities (lemma-1).
    - Xⁿ·χ(AB) = Xᵐ·χ(BA) for A : m×n and B : n×m (Sylvester), from two products of block matrices:
      [X A; B 1]·[1 0; −B 1] = [X − AB  A; 0 1]   and   [X A; B 1]·[1 −A; 0 X] = [X 0; B X − BA].
      So the nonzero spectra of AB and BA agree, and ρ(AB) < r ⇔ ρ(BA) < r.
    - The eigenvalues of a + bM are a + bz.
    - A nonnegative matrix with rows that sum to one has |z| ≤ 1: look at the largest entry of an
      eigenvector.                                                                                *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section CharacteristicPolynomials.

Variable R : comRingType.

Lemma char_poly_similar n (V W M : 'M[R]_n) : V *m W = 1%:M -> char_poly (V *m M *m W) = char_poly M.
Proof.
move=> VW; rewrite /char_poly.
have -> : char_poly_mx (V *m M *m W) = map_mx polyC V *m char_poly_mx M *m map_mx polyC W.
  rewrite /char_poly_mx !map_mxM mulmxBr mulmxBl; congr (_ - _).
  by rewrite scalar_mxC -mulmxA -map_mxM VW map_mx1 mulmx1.
rewrite !det_mulmx mulrC mulrA -det_mulmx -map_mxM.
by rewrite (mulmx1C VW) map_mx1 det1 mul1r.
Qed.

Theorem sylvester m n (A : 'M[R]_(m, n)) (B : 'M[R]_(n, m)) :
  'X^n * char_poly (A *m B) = 'X^m * char_poly (B *m A).
Proof.
pose a := map_mx polyC A; pose b := map_mx polyC B.
pose L := block_mx ('X%:M : 'M_m) a b (1%:M : 'M_n).
have first : L *m block_mx 1%:M 0 (- b) 1%:M = block_mx (char_poly_mx (A *m B)) a 0 1%:M.
  rewrite mulmx_block !mulmx1 !mul1mx !mulmx0 !add0r subrr mulmxN.
  by rewrite /char_poly_mx map_mxM.
have second : L *m block_mx 1%:M (- a) 0 'X%:M = block_mx 'X%:M 0 b (char_poly_mx (B *m A)).
  rewrite mulmx_block !mulmx1 !mulmx0 !addr0 mul1mx !mulmxN -scalar_mxC.
  by rewrite addNr addrC /char_poly_mx map_mxM.
have /(congr1 determinant) := first; have /(congr1 determinant) := second.
rewrite !det_mulmx !det_ublock !det_lblock !det1 !mulr1 mul1r !det_scalar -/(char_poly _) -/(char_poly _).
by move=> <- <-; rewrite mulrC.
Qed.

(** A block-triangular determinant is the product of its blocks'. *)
Lemma char_poly_lblock m n (A : 'M[R]_m) (B : 'M[R]_(n, m)) (D : 'M[R]_n) :
  char_poly (block_mx A 0 B D) = char_poly A * char_poly D.
Proof.
rewrite /char_poly /char_poly_mx map_block_mx scalar_mx_block opp_block_mx add_block_mx map_mx0 subr0.
by rewrite det_lblock.
Qed.

End CharacteristicPolynomials.

Section Eigenvalues.

Variable C : numClosedFieldType.

Lemma eigenvalue_similar n (V W M : 'M[C]_n) z : V *m W = 1%:M -> eigenvalue (V *m M *m W) z = eigenvalue M z.
Proof. by move=> VW; rewrite !eigenvalue_root_char char_poly_similar. Qed.

Lemma eigenvalue_swap m n (A : 'M[C]_(m, n)) (B : 'M[C]_(n, m)) z :
  z != 0 -> eigenvalue (A *m B) z = eigenvalue (B *m A) z.
Proof.
move=> z0; have := congr1 (fun p => root p z) (sylvester A B).
by rewrite /root !hornerM !hornerXn !mulf_eq0 !expf_eq0 (negPf z0) !andbF /= !eigenvalue_root_char.
Qed.

Lemma rho_swap m n (A : 'M[C]_(m, n)) (B : 'M[C]_(n, m)) r :
  0 < r -> rho_lt (A *m B) r <-> rho_lt (B *m A) r.
Proof.
move=> r0; split=> rho z e; have [->|z0] := eqVneq z 0; rewrite ?normr0 //.
  by apply: rho; rewrite eigenvalue_swap.
by apply: rho; rewrite -eigenvalue_swap.
Qed.

Lemma eigenvalue_affine n (M : 'M[C]_n) a b z :
  eigenvalue M z -> eigenvalue (a%:M + b *: M) (a + b * z).
Proof.
move=> /eigenP [v Mv v0]; apply/eigenP; exists v => //.
by rewrite mulmxDl mul_scalar_mx -scalemxAl Mv scalerA -scalerDl.
Qed.

Lemma eigenvalue_affine_inv n (M : 'M[C]_n) a b w : b != 0 ->
  eigenvalue (a%:M + b *: M) w -> exists2 z, eigenvalue M z & w = a + b * z.
Proof.
move=> b0 /(eigenvalue_affine (- a / b) b^-1) e; exists (- a / b + b^-1 * w); last first.
  by rewrite mulrDr mulrCA divff // mulr1 mulrA divff // mul1r addrA subrr add0r.
move: e; rewrite scalerDr scalerA mulVf // scale1r addrA scale_scalar_mx -raddfD /=.
by rewrite mulNr [b^-1 * a]mulrC addNr raddf0 add0r.
Qed.

Lemma unit_eigenvalue n (M : 'M[C]_n) : (M \in unitmx) = ~~ eigenvalue M 0.
Proof.
rewrite eigenvalue_root_char unitmxE unitfE; congr (~~ _).
have := char_poly_det M; rewrite -horner_coef0 /root => ->.
by rewrite mulf_eq0 signr_eq0.
Qed.

(** The largest of finitely many nonnegative numbers. *)
Lemma largest n (f : 'I_n.+1 -> C) : (forall i, 0 <= f i) -> exists i, forall j, f j <= f i.
Proof.
move=> f0; suff: forall s : seq 'I_n.+1, exists i, forall j, j \in s -> f j <= f i.
  by move=> /(_ (enum 'I_n.+1)) [i H]; exists i => j; apply: H; rewrite mem_enum.
elim=> [|k s [i H]]; first by exists 0.
have /orP[ki|ik] := real_leVge (ger0_real (f0 k)) (ger0_real (f0 i)).
  by exists i => j; rewrite inE => /predU1P[-> //|]; apply: H.
by exists k => j; rewrite inE => /predU1P[-> //|/H ji]; apply: le_trans ik.
Qed.

Definition stochastic n (P : 'M[C]_n) := (forall i j, 0 <= P i j) /\ (forall i, \sum_j P i j = 1).

Lemma stochastic_const n (P : 'M[C]_n) : stochastic P -> P *m const_mx 1 = const_mx 1 :> 'cV_n.
Proof.
move=> [_ one]; apply/colP => i; rewrite !mxE -[RHS](one i).
by apply: eq_bigr => j _; rewrite mxE mulr1.
Qed.

(** |Pv| ≤ max |v|: rows are averages. *)
Lemma stochastic_norm n (P : 'M[C]_n) (v : 'cV_n) c :
  stochastic P -> (forall j, `|v j 0| <= c) -> forall i, `|(P *m v) i 0| <= c.
Proof.
move=> [P0 P1] vc i; rewrite mxE -[c]mul1r -(P1 i) mulr_suml.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
by rewrite normrM (ger0_norm (P0 i j)) ler_wpmul2l.
Qed.

Lemma stochastic_rho n (P : 'M[C]_n) : stochastic P -> rho_le P 1.
Proof.
case: n P => [|n] P stoch z /eigenP [v Pv v0].
  by case/negP: v0; apply/eqP/colP => - [].
have [i vi] := largest (fun i => normr_ge0 (v i 0)).
have vi0 : 0 < `|v i 0|.
  have [j vj] := nonzero_entry v0; rewrite (lt_le_trans _ (vi j)) // normr_gt0.
  exact: vj.
have := stochastic_norm stoch vi i; rewrite Pv mxE normrM.
by rewrite -{2}[`|v i 0|]mul1r ler_pmul2r.
Qed.

Lemma stochastic_one n (P : 'M[C]_n.+1) : stochastic P -> eigenvalue P 1.
Proof.
move=> stoch; apply/eigenP; exists (const_mx 1); first by rewrite stochastic_const // scale1r.
by apply/eqP => /colP /(_ 0) /eqP; rewrite !mxE oner_eq0.
Qed.

End Eigenvalues.
