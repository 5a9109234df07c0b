(** Expected updates: X, Y, b as expectations over transitions drawn with μ (eq-td, eq-chain).

    A transition draws s from d, a from μ(·|s), s' from p(·|s, a). With ρ = π(a|s)/μ(a|s) and action coverage,
    μ(a|s) = 0 ⇒ π(a|s) = 0, the ratio turns μ into π: E[ρ f(s, s')] = Σ_s d_s Σ_s' P_π(s, s') f(s, s').          *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Joint Chain.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Expectation.

Variables (K : fieldType) (S N F : nat) (Phi : 'M[K]_(S, F)).
Variables (d : 'rV[K]_S) (mu pi : 'I_S -> 'I_N -> K) (p reward : 'I_S -> 'I_N -> 'I_S -> K) (gamma : K).

Hypothesis coverage : forall s a, mu s a = 0 -> pi s a = 0.
Hypothesis pi_sums : forall s, \sum_a pi s a = 1.
Hypothesis p_sums : forall s a, \sum_s' p s a s' = 1.

Definition ratio s a := pi s a / mu s a.
Definition phi s : 'cV[K]_F := (row s Phi)^T.
Definition P_pi : 'M[K]_S := \matrix_(s, s') \sum_a pi s a * p s a s'.
Definition r_pi : 'cV[K]_S := \col_s \sum_a pi s a * \sum_s' p s a s' * reward s a s'.

(** The expectation of a matrix that depends on the transition. *)
Definition E m n (f : 'I_S -> 'I_N -> 'I_S -> 'M[K]_(m, n)) : 'M[K]_(m, n) :=
  \sum_s \sum_a \sum_s' (d 0 s * mu s a * p s a s') *: f s a s'.

Local Notation D := (diag_mx d).

Lemma ratioK s a : mu s a * ratio s a = pi s a.
Proof.
rewrite /ratio mulrCA; have [m0|m0] := eqVneq (mu s a) 0; last by rewrite divff // mulr1.
by rewrite (coverage m0) mul0r.
Qed.

Lemma E_ratio m n (f : 'I_S -> 'I_N -> 'I_S -> 'M[K]_(m, n)) :
  E (fun s a s' => ratio s a *: f s a s') = \sum_s \sum_a \sum_s' (d 0 s * pi s a * p s a s') *: f s a s'.
Proof.
apply: eq_bigr => s _; apply: eq_bigr => a _; apply: eq_bigr => s' _.
by rewrite scalerA -ratioK mulrAC !mulrA.
Qed.

Lemma ED m n (f g : 'I_S -> 'I_N -> 'I_S -> 'M[K]_(m, n)) :
  E (fun s a s' => f s a s' + g s a s') = E f + E g.
Proof.
rewrite /E -big_split; apply: eq_bigr => s _; rewrite -big_split; apply: eq_bigr => a _.
by rewrite -big_split; apply: eq_bigr => s' _; rewrite scalerDr.
Qed.

Lemma EMr m n q (f : 'I_S -> 'I_N -> 'I_S -> 'M[K]_(m, n)) (v : 'M[K]_(n, q)) :
  E (fun s a s' => f s a s' *m v) = E f *m v.
Proof.
rewrite /E mulmx_suml; apply: eq_bigr => s _; rewrite mulmx_suml; apply: eq_bigr => a _.
by rewrite mulmx_suml; apply: eq_bigr => s' _; rewrite scalemxAl.
Qed.

Lemma EZ m n c (f : 'I_S -> 'I_N -> 'I_S -> 'M[K]_(m, n)) : E (fun s a s' => c *: f s a s') = c *: E f.
Proof.
rewrite /E scaler_sumr; apply: eq_bigr => s _; rewrite scaler_sumr; apply: eq_bigr => a _.
by rewrite scaler_sumr; apply: eq_bigr => s' _; rewrite !scalerA mulrC.
Qed.

Lemma X_expected : E (fun s a s' => ratio s a *: (phi s *m (phi s)^T)) = X Phi D.
Proof.
rewrite E_ratio; apply/matrixP => i j; rewrite summxE /X -mulmxA mxE; apply: eq_bigr => s _.
rewrite mul_diag_mx !mxE summxE; under eq_bigr do rewrite summxE; under eq_bigr => a _ do under eq_bigr do rewrite mxE.
under eq_bigr => a _ do rewrite -mulr_suml -mulr_sumr p_sums mulr1.
rewrite -mulr_suml -mulr_sumr pi_sums mulr1 mxE big_ord1 !mxE.
by rewrite mulrCA.
Qed.

Lemma Y_expected : E (fun s a s' => ratio s a *: (phi s *m (phi s')^T)) = Y Phi D P_pi.
Proof.
rewrite E_ratio; apply/matrixP => i j; rewrite summxE /Y -!mulmxA mxE; apply: eq_bigr => s _.
rewrite mul_diag_mx !mxE summxE; under eq_bigr do rewrite summxE.
rewrite exchange_big !mulr_sumr; apply: eq_bigr => s' _; rewrite mxE mulr_suml !mulr_sumr.
apply: eq_bigr => a _; rewrite !mxE big_ord1 !mxE.
by rewrite mulrCA !mulrA.
Qed.

Lemma b_expected : E (fun s a s' => ratio s a *: (reward s a s' *: phi s)) = b Phi D r_pi.
Proof.
rewrite E_ratio; apply/matrixP => i j; rewrite summxE /b -mulmxA mxE; apply: eq_bigr => s _.
rewrite mul_diag_mx !mxE !mulr_sumr summxE; apply: eq_bigr => a _; rewrite summxE !mulr_sumr.
apply: eq_bigr => s' _; rewrite !mxE.
by rewrite !mulrA mulrC !mulrA.
Qed.

(** eq-chain: E[ρ(R + γφ'ᵀθ_prev − φᵀθ)φ] = b + γYθ_prev − Xθ; so the expected update is the paper's. *)
Theorem eq_chain alpha (theta prev : 'cV[K]_F) :
  theta + alpha *: E (fun s a s' => ratio s a *:
     (reward s a s' *: phi s + gamma *: (phi s *m ((phi s')^T *m prev)) - phi s *m ((phi s)^T *m theta))) =
  theta + alpha *: (b Phi D r_pi + gamma *: (Y Phi D P_pi *m prev) - X Phi D *m theta).
Proof.
congr (_ + _ *: _); rewrite -b_expected -Y_expected -X_expected -!EMr -EZ -scaleN1r -EZ -!ED.
apply: eq_bigr => s _; apply: eq_bigr => a _; apply: eq_bigr => s' _; congr (_ *: _).
rewrite !scalerDr -!scalemxAl !mulmxA !scalerA mulN1r scalerN; congr (_ + _ *: _ + _).
  by rewrite mulrC.
by rewrite scaleNr.
Qed.

(** eq-td: the same with one head, E[ρδφ] = b − Aθ. *)
Theorem eq_td alpha (theta : 'cV[K]_F) :
  theta + alpha *: E (fun s a s' => ratio s a *:
     (reward s a s' *: phi s + gamma *: (phi s *m ((phi s')^T *m theta)) - phi s *m ((phi s)^T *m theta))) =
  theta + alpha *: (b Phi D r_pi - A Phi D P_pi gamma *m theta).
Proof. by rewrite eq_chain /A mulmxBl -scalemxAl opprB addrA. Qed.

End Expectation.
