(** The identities of the chain as the engine proved them: generated from their certificates, not edited.

    Each Module is one certificate, for all dimensions and commutative rings; Chain.v puts X⁻¹ for Xi and builds the
    paper's statements on them.                                                                          *)

From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Certify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Module eq_closed_form_closed_form.
Section eq_closed_form_closed_form.
Variable R : comRingType.
Variables nS nF : nat.
Let tgt (number : nat) : nat := (match number with | 0 => 1 | 1 => 1 | 2 => 1 | 3 => 1 | 4 => 2 | 5 => 2 | 6 => 2 | 7 => 2 | 8 => 2 | _ => 0 end)%N.
Let src (number : nat) : nat := (match number with | 0 => 2 | 1 => 1 | 2 => 1 | 3 => 0 | 4 => 0 | 5 => 2 | 6 => 0 | 7 => 2 | 8 => 2 | _ => 0 end)%N.
Local Notation L := (@Certify.EL tgt src).
Let dim (s : nat) : nat := (match s with | 1 => nS | 2 => nF | _ => 1 end)%N.
Variable gamma : R.
Variable Phi : 'M[R]_(nS, nF).
Variable D : 'M[R]_(nS, nS).
Variable P : 'M[R]_(nS, nS).
Variable r : 'M[R]_(nS, 1).
Variable theta0 : 'M[R]_(nF, 1).
Variable Xi : 'M[R]_(nF, nF).
Fixpoint theta_k (k : nat) {struct k} : 'M[R]_(nF, 1) := match k with 0%N => theta0 | S k => (Xi *m (((gamma) *: (((Phi)^T *m D *m P *m Phi) *m (theta_k k))) + ((Phi)^T *m D *m r))) end.
Fixpoint B_k (k : nat) {struct k} : 'M[R]_(nF, nF) := match k with 0%N => (1%:M : 'M[R]_(nF, nF)) | S k => (((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi))) *m (B_k k)) end.
Fixpoint W_k (k : nat) {struct k} : 'M[R]_(nF, nF) := match k with 0%N => (0 : 'M[R]_(nF, nF)) | S k => ((W_k k) + (B_k k)) end.
Hypothesis symmetric_D : D^T = D.
Hypothesis symmetric_Xi : Xi^T = Xi.
Hypothesis two : GRing.lreg (2%:R : R).
Let sc (k : nat) (number : nat) : R := match number with | 0%N => gamma | _ => 0 end.
Let env (k : nat) (number : nat) : 'M[R]_(dim (tgt number), dim (src number)) := match number return 'M[R]_(dim (tgt number), dim (src number)) with | 0%N => Phi | 1%N => D | 2%N => P | 3%N => r | 4%N => theta0 | 5%N => Xi | 6%N => (theta_k k) | 7%N => (B_k k) | 8%N => (W_k k) | _ => 0 end.
Lemma W_k_telescopes_zero (k : nat) : (((B_k 1%N) *m (W_k k)) + (1%:M : 'M[R]_(nF, nF))) - ((W_k k) + (B_k k)) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 5) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (@Certify.E0 tgt src 2 2)) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EA (@Certify.E0 tgt src 2 2) (@Certify.E1 tgt src 2)))) (@Certify.combine tgt src 2 2 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 5) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (Certify.EA (L 8) (L 7))) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EA (Certify.EA (L 8) (L 7)) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 5) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 7))))) (@Certify.combine tgt src 2 2 [:: Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 5) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (L 8)) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EA (L 8) (L 7)))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj IH I)).
Qed.
Theorem W_k_telescopes (k : nat) : (((B_k 1%N) *m (W_k k)) + (1%:M : 'M[R]_(nF, nF))) = ((W_k k) + (B_k k)).
Proof. exact (Certify.equal_of (W_k_telescopes_zero k)). Qed.
Lemma eq_closed_form_closed_form_zero (k : nat) : (theta_k k) - (((W_k k) *m Xi *m ((Phi)^T *m D *m r)) + ((B_k k) *m theta0)) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (L 4) (Certify.EN (Certify.EA (Certify.EM (Certify.EM (@Certify.E0 tgt src 2 2) (L 5)) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 3))) (Certify.EM (@Certify.E1 tgt src 2) (L 4))))) (@Certify.combine tgt src 2 0 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (L 5) (Certify.EA (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)) (L 6))) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 3)))) (Certify.EN (Certify.EA (Certify.EM (Certify.EM (Certify.EA (L 8) (L 7)) (L 5)) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 3))) (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 5) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 7)) (L 4))))) (@Certify.combine tgt src 2 0 [:: Certify.Entry (Certify.SM (Certify.SN 1) (Certify.SL 0)) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (L 5) (Certify.ET (L 0))) (L 1)) (L 2)) (L 0)) (Certify.EA (L 6) (Certify.EN (Certify.EA (Certify.EM (Certify.EM (L 8) (L 5)) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 3))) (Certify.EM (L 7) (L 4))))) (@Certify.E1 tgt src 0); Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 5) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (L 8)) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EA (L 8) (L 7)))) (Certify.EM (Certify.EM (Certify.EM (L 5) (Certify.ET (L 0))) (L 1)) (L 3))]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj IH (conj (Certify.zero_of (W_k_telescopes k)) I))).
Qed.
Theorem eq_closed_form_closed_form (k : nat) : (theta_k k) = (((W_k k) *m Xi *m ((Phi)^T *m D *m r)) + ((B_k k) *m theta0)).
Proof. exact (Certify.equal_of (eq_closed_form_closed_form_zero k)). Qed.
End eq_closed_form_closed_form.
End eq_closed_form_closed_form.

Module eq_geometric_geometric.
Section eq_geometric_geometric.
Variable R : comRingType.
Variables nS nF : nat.
Let tgt (number : nat) : nat := (match number with | 0 => 1 | 1 => 1 | 2 => 1 | 3 => 2 | 4 => 2 | 5 => 2 | _ => 0 end)%N.
Let src (number : nat) : nat := (match number with | 0 => 2 | 1 => 1 | 2 => 1 | 3 => 2 | 4 => 2 | 5 => 2 | _ => 0 end)%N.
Local Notation L := (@Certify.EL tgt src).
Let dim (s : nat) : nat := (match s with | 1 => nS | 2 => nF | _ => 1 end)%N.
Variable gamma : R.
Variable Phi : 'M[R]_(nS, nF).
Variable D : 'M[R]_(nS, nS).
Variable P : 'M[R]_(nS, nS).
Variable Xi : 'M[R]_(nF, nF).
Fixpoint B_k (k : nat) {struct k} : 'M[R]_(nF, nF) := match k with 0%N => (1%:M : 'M[R]_(nF, nF)) | S k => (((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi))) *m (B_k k)) end.
Fixpoint W_k (k : nat) {struct k} : 'M[R]_(nF, nF) := match k with 0%N => (0 : 'M[R]_(nF, nF)) | S k => ((W_k k) + (B_k k)) end.
Hypothesis symmetric_D : D^T = D.
Hypothesis symmetric_Xi : Xi^T = Xi.
Hypothesis H_Xi_X_1 : (Xi *m ((Phi)^T *m D *m Phi)) = (1%:M : 'M[R]_(nF, nF)).
Hypothesis two : GRing.lreg (2%:R : R).
Let sc (k : nat) (number : nat) : R := match number with | 0%N => gamma | _ => 0 end.
Let env (k : nat) (number : nat) : 'M[R]_(dim (tgt number), dim (src number)) := match number return 'M[R]_(dim (tgt number), dim (src number)) with | 0%N => Phi | 1%N => D | 2%N => P | 3%N => Xi | 4%N => (B_k k) | 5%N => (W_k k) | _ => 0 end.
Lemma W_k_telescopes_zero (k : nat) : (((B_k 1%N) *m (W_k k)) + (1%:M : 'M[R]_(nF, nF))) - ((W_k k) + (B_k k)) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (@Certify.E0 tgt src 2 2)) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EA (@Certify.E0 tgt src 2 2) (@Certify.E1 tgt src 2)))) (@Certify.combine tgt src 2 2 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (Certify.EA (L 5) (L 4))) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EA (Certify.EA (L 5) (L 4)) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 4))))) (@Certify.combine tgt src 2 2 [:: Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (L 5)) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EA (L 5) (L 4)))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj IH I)).
Qed.
Theorem W_k_telescopes (k : nat) : (((B_k 1%N) *m (W_k k)) + (1%:M : 'M[R]_(nF, nF))) = ((W_k k) + (B_k k)).
Proof. exact (Certify.equal_of (W_k_telescopes_zero k)). Qed.
Lemma B_k_commutes_zero (k : nat) : (((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi))) *m (B_k k)) - ((B_k k) *m ((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi)))) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EM (@Certify.E1 tgt src 2) (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0))))))) (@Certify.combine tgt src 2 2 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 4))) (Certify.EN (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 4)) (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0))))))) (@Certify.combine tgt src 2 2 [:: Certify.Entry (Certify.SM (Certify.SN 1) (Certify.SL 0)) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (L 3) (Certify.ET (L 0))) (L 1)) (L 2)) (L 0)) (Certify.EA (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 4)) (Certify.EN (Certify.EM (L 4) (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0))))))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj IH I)).
Qed.
Theorem B_k_commutes (k : nat) : (((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi))) *m (B_k k)) = ((B_k k) *m ((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi)))).
Proof. exact (Certify.equal_of (B_k_commutes_zero k)). Qed.
Lemma W_k_commutes_zero (k : nat) : ((B_k 1%N) *m (W_k k)) - ((W_k k) *m (B_k 1%N)) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (@Certify.E0 tgt src 2 2)) (Certify.EN (Certify.EM (@Certify.E0 tgt src 2 2) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2))))) (@Certify.combine tgt src 2 2 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (Certify.EA (L 5) (L 4))) (Certify.EN (Certify.EM (Certify.EA (L 5) (L 4)) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2))))) (@Certify.combine tgt src 2 2 [:: Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (L 5)) (Certify.EN (Certify.EM (L 5) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2))))) (@Certify.E1 tgt src 2); Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 4)) (Certify.EN (Certify.EM (L 4) (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0))))))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj IH (conj (Certify.zero_of (B_k_commutes k)) I))).
Qed.
Theorem W_k_commutes (k : nat) : ((B_k 1%N) *m (W_k k)) = ((W_k k) *m (B_k 1%N)).
Proof. exact (Certify.equal_of (W_k_commutes_zero k)). Qed.
Lemma eq_geometric_geometric_zero (k : nat) : ((W_k k) *m Xi *m (((Phi)^T *m D *m Phi) + (- ((gamma) *: (((Phi)^T *m D *m P *m Phi)))))) - ((1%:M : 'M[R]_(nF, nF)) + (- (B_k k))) = 0.
Proof.
(have claim_holds : Certify.same (Certify.EA (Certify.EM (Certify.EM (L 5) (L 3)) (Certify.EA (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 0)) (Certify.EN (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))))) (Certify.EN (Certify.EA (@Certify.E1 tgt src 2) (Certify.EN (L 4))))) (@Certify.combine tgt src 2 2 [:: Certify.Entry (Certify.SN 1) (L 5) (Certify.EA (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 0))) (Certify.EN (@Certify.E1 tgt src 2))) (@Certify.E1 tgt src 2); Certify.Entry (Certify.SO (Certify.SN 1)) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (L 5)) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EA (L 5) (L 4)))) (@Certify.E1 tgt src 2); Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2)) (L 5)) (Certify.EN (Certify.EM (L 5) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (@Certify.E1 tgt src 2))))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj (Certify.zero_of H_Xi_X_1) (conj (Certify.zero_of (W_k_telescopes k)) (conj (Certify.zero_of (W_k_commutes k)) I)))).
Qed.
Theorem eq_geometric_geometric (k : nat) : ((W_k k) *m Xi *m (((Phi)^T *m D *m Phi) + (- ((gamma) *: (((Phi)^T *m D *m P *m Phi)))))) = ((1%:M : 'M[R]_(nF, nF)) + (- (B_k k))).
Proof. exact (Certify.equal_of (eq_geometric_geometric_zero k)). Qed.
End eq_geometric_geometric.
End eq_geometric_geometric.

Module prop_2_bias.
Section prop_2_bias.
Variable R : comRingType.
Variables nS nF : nat.
Let tgt (number : nat) : nat := (match number with | 0 => 1 | 1 => 1 | 2 => 1 | 3 => 1 | 4 => 2 | 5 => 2 | 6 => 2 | 7 => 2 | 8 => 2 | _ => 0 end)%N.
Let src (number : nat) : nat := (match number with | 0 => 2 | 1 => 1 | 2 => 1 | 3 => 0 | 4 => 0 | 5 => 0 | 6 => 2 | 7 => 0 | 8 => 2 | _ => 0 end)%N.
Local Notation L := (@Certify.EL tgt src).
Let dim (s : nat) : nat := (match s with | 1 => nS | 2 => nF | _ => 1 end)%N.
Variable gamma : R.
Variable Phi : 'M[R]_(nS, nF).
Variable D : 'M[R]_(nS, nS).
Variable P : 'M[R]_(nS, nS).
Variable r : 'M[R]_(nS, 1).
Variable theta0 : 'M[R]_(nF, 1).
Variable theta_pi : 'M[R]_(nF, 1).
Variable Xi : 'M[R]_(nF, nF).
Fixpoint theta_k (k : nat) {struct k} : 'M[R]_(nF, 1) := match k with 0%N => theta0 | S k => (Xi *m (((gamma) *: (((Phi)^T *m D *m P *m Phi) *m (theta_k k))) + ((Phi)^T *m D *m r))) end.
Fixpoint B_k (k : nat) {struct k} : 'M[R]_(nF, nF) := match k with 0%N => (1%:M : 'M[R]_(nF, nF)) | S k => (((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi))) *m (B_k k)) end.
Hypothesis symmetric_D : D^T = D.
Hypothesis symmetric_Xi : Xi^T = Xi.
Hypothesis H_Xi_X_1 : (Xi *m ((Phi)^T *m D *m Phi)) = (1%:M : 'M[R]_(nF, nF)).
Hypothesis H_A_theta_pi_b : ((((Phi)^T *m D *m Phi) + (- ((gamma) *: (((Phi)^T *m D *m P *m Phi))))) *m theta_pi) = ((Phi)^T *m D *m r).
Hypothesis two : GRing.lreg (2%:R : R).
Let sc (k : nat) (number : nat) : R := match number with | 0%N => gamma | _ => 0 end.
Let env (k : nat) (number : nat) : 'M[R]_(dim (tgt number), dim (src number)) := match number return 'M[R]_(dim (tgt number), dim (src number)) with | 0%N => Phi | 1%N => D | 2%N => P | 3%N => r | 4%N => theta0 | 5%N => theta_pi | 6%N => Xi | 7%N => (theta_k k) | 8%N => (B_k k) | _ => 0 end.
Lemma prop_2_bias_zero (k : nat) : ((theta_k k) + (- theta_pi)) - ((B_k k) *m (theta0 + (- theta_pi))) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (Certify.EA (L 4) (Certify.EN (L 5))) (Certify.EN (Certify.EM (@Certify.E1 tgt src 2) (Certify.EA (L 4) (Certify.EN (L 5)))))) (@Certify.combine tgt src 2 0 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EA (Certify.EM (L 6) (Certify.EA (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)) (L 7))) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 3)))) (Certify.EN (L 5))) (Certify.EN (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 6) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 8)) (Certify.EA (L 4) (Certify.EN (L 5)))))) (@Certify.combine tgt src 2 0 [:: Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EM (L 6) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 0))) (Certify.EN (@Certify.E1 tgt src 2))) (L 5); Certify.Entry (Certify.SO (Certify.SN 1)) (L 6) (Certify.EA (Certify.EM (Certify.EA (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 0)) (Certify.EN (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0))))) (L 5)) (Certify.EN (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 3)))) (@Certify.E1 tgt src 0); Certify.Entry (Certify.SM (Certify.SN 1) (Certify.SL 0)) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (L 6) (Certify.ET (L 0))) (L 1)) (L 2)) (L 0)) (Certify.EA (Certify.EA (L 7) (Certify.EN (L 5))) (Certify.EN (Certify.EM (L 8) (Certify.EA (L 4) (Certify.EN (L 5)))))) (@Certify.E1 tgt src 0)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj (Certify.zero_of H_Xi_X_1) (conj (Certify.zero_of H_A_theta_pi_b) (conj IH I)))).
Qed.
Theorem prop_2_bias (k : nat) : ((theta_k k) + (- theta_pi)) = ((B_k k) *m (theta0 + (- theta_pi))).
Proof. exact (Certify.equal_of (prop_2_bias_zero k)). Qed.
End prop_2_bias.
End prop_2_bias.

Module prop_2_bias_gamma.
Section prop_2_bias_gamma.
Variable R : comRingType.
Variables nS nF : nat.
Let tgt (number : nat) : nat := (match number with | 0 => 1 | 1 => 1 | 2 => 1 | 3 => 1 | 4 => 2 | 5 => 2 | 6 => 2 | 7 => 2 | 8 => 2 | _ => 0 end)%N.
Let src (number : nat) : nat := (match number with | 0 => 2 | 1 => 1 | 2 => 1 | 3 => 0 | 4 => 0 | 5 => 0 | 6 => 2 | 7 => 0 | 8 => 2 | _ => 0 end)%N.
Local Notation L := (@Certify.EL tgt src).
Let dim (s : nat) : nat := (match s with | 1 => nS | 2 => nF | _ => 1 end)%N.
Variable gamma : R.
Variable Phi : 'M[R]_(nS, nF).
Variable D : 'M[R]_(nS, nS).
Variable P : 'M[R]_(nS, nS).
Variable r : 'M[R]_(nS, 1).
Variable theta0 : 'M[R]_(nF, 1).
Variable theta_pi : 'M[R]_(nF, 1).
Variable Xi : 'M[R]_(nF, nF).
Fixpoint theta_k (k : nat) {struct k} : 'M[R]_(nF, 1) := match k with 0%N => theta0 | S k => (Xi *m (((gamma) *: (((Phi)^T *m D *m P *m Phi) *m (theta_k k))) + ((Phi)^T *m D *m r))) end.
Fixpoint R_k (k : nat) {struct k} : 'M[R]_(nF, nF) := match k with 0%N => (1%:M : 'M[R]_(nF, nF)) | S k => (Xi *m ((Phi)^T *m D *m P *m Phi) *m (R_k k)) end.
Fixpoint gamma_k (k : nat) {struct k} : R := match k with 0%N => 1%:R | S k => (gamma * (gamma_k k)) end.
Hypothesis symmetric_D : D^T = D.
Hypothesis symmetric_Xi : Xi^T = Xi.
Hypothesis H_Xi_X_1 : (Xi *m ((Phi)^T *m D *m Phi)) = (1%:M : 'M[R]_(nF, nF)).
Hypothesis H_A_theta_pi_b : ((((Phi)^T *m D *m Phi) + (- ((gamma) *: (((Phi)^T *m D *m P *m Phi))))) *m theta_pi) = ((Phi)^T *m D *m r).
Hypothesis two : GRing.lreg (2%:R : R).
Let sc (k : nat) (number : nat) : R := match number with | 0%N => gamma | 1%N => (gamma_k k) | _ => 0 end.
Let env (k : nat) (number : nat) : 'M[R]_(dim (tgt number), dim (src number)) := match number return 'M[R]_(dim (tgt number), dim (src number)) with | 0%N => Phi | 1%N => D | 2%N => P | 3%N => r | 4%N => theta0 | 5%N => theta_pi | 6%N => Xi | 7%N => (theta_k k) | 8%N => (R_k k) | _ => 0 end.
Lemma prop_2_bias_gamma_zero (k : nat) : ((theta_k k) + (- theta_pi)) - (((gamma_k k)) *: ((R_k k) *m (theta0 + (- theta_pi)))) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (Certify.EA (L 4) (Certify.EN (L 5))) (Certify.EN (Certify.EZ (Certify.SN 1) (Certify.EM (@Certify.E1 tgt src 2) (Certify.EA (L 4) (Certify.EN (L 5))))))) (@Certify.combine tgt src 2 0 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EA (Certify.EM (L 6) (Certify.EA (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)) (L 7))) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 3)))) (Certify.EN (L 5))) (Certify.EN (Certify.EZ (Certify.SM (Certify.SL 0) (Certify.SL 1)) (Certify.EM (Certify.EM (Certify.EM (L 6) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0))) (L 8)) (Certify.EA (L 4) (Certify.EN (L 5))))))) (@Certify.combine tgt src 2 0 [:: Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 2) (Certify.EA (Certify.EM (L 6) (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 0))) (Certify.EN (@Certify.E1 tgt src 2))) (L 5); Certify.Entry (Certify.SO (Certify.SN 1)) (L 6) (Certify.EA (Certify.EM (Certify.EA (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 0)) (Certify.EN (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0))))) (L 5)) (Certify.EN (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 3)))) (@Certify.E1 tgt src 0); Certify.Entry (Certify.SM (Certify.SN 1) (Certify.SL 0)) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (L 6) (Certify.ET (L 0))) (L 1)) (L 2)) (L 0)) (Certify.EA (Certify.EA (L 7) (Certify.EN (L 5))) (Certify.EN (Certify.EZ (Certify.SL 1) (Certify.EM (L 8) (Certify.EA (L 4) (Certify.EN (L 5))))))) (@Certify.E1 tgt src 0)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj (Certify.zero_of H_Xi_X_1) (conj (Certify.zero_of H_A_theta_pi_b) (conj IH I)))).
Qed.
Theorem prop_2_bias_gamma (k : nat) : ((theta_k k) + (- theta_pi)) = (((gamma_k k)) *: ((R_k k) *m (theta0 + (- theta_pi)))).
Proof. exact (Certify.equal_of (prop_2_bias_gamma_zero k)). Qed.
End prop_2_bias_gamma.
End prop_2_bias_gamma.

Module eq_zp_zp.
Section eq_zp_zp.
Variable R : comRingType.
Variables nS nF : nat.
Let tgt (number : nat) : nat := (match number with | 0 => 1 | 1 => 1 | 2 => 1 | 3 => 2 | 4 => 2 | 5 => 1 | _ => 0 end)%N.
Let src (number : nat) : nat := (match number with | 0 => 2 | 1 => 1 | 2 => 1 | 3 => 2 | 4 => 2 | 5 => 1 | _ => 0 end)%N.
Local Notation L := (@Certify.EL tgt src).
Let dim (s : nat) : nat := (match s with | 1 => nS | 2 => nF | _ => 1 end)%N.
Variable gamma : R.
Variable Phi : 'M[R]_(nS, nF).
Variable D : 'M[R]_(nS, nS).
Variable P : 'M[R]_(nS, nS).
Variable Xi : 'M[R]_(nF, nF).
Fixpoint B_k (k : nat) {struct k} : 'M[R]_(nF, nF) := match k with 0%N => (1%:M : 'M[R]_(nF, nF)) | S k => (((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi))) *m (B_k k)) end.
Fixpoint Z_k (k : nat) {struct k} : 'M[R]_(nS, nS) := match k with 0%N => (1%:M : 'M[R]_(nS, nS)) | S k => ((gamma) *: ((Phi *m Xi *m (Phi)^T *m D) *m P *m (Z_k k))) end.
Hypothesis symmetric_D : D^T = D.
Hypothesis symmetric_Xi : Xi^T = Xi.
Hypothesis two : GRing.lreg (2%:R : R).
Let sc (k : nat) (number : nat) : R := match number with | 0%N => gamma | _ => 0 end.
Let env (k : nat) (number : nat) : 'M[R]_(dim (tgt number), dim (src number)) := match number return 'M[R]_(dim (tgt number), dim (src number)) with | 0%N => Phi | 1%N => D | 2%N => P | 3%N => Xi | 4%N => (B_k k) | 5%N => (Z_k k) | _ => 0 end.
Lemma Phi_B_k_Z_k_Phi_zero (k : nat) : (Phi *m (B_k k)) - ((Z_k k) *m Phi) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (L 0) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EM (@Certify.E1 tgt src 1) (L 0)))) (@Certify.combine tgt src 1 2 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (L 0) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 4))) (Certify.EN (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (Certify.EM (L 0) (L 3)) (Certify.ET (L 0))) (L 1)) (L 2)) (L 5))) (L 0)))) (@Certify.combine tgt src 1 2 [:: Certify.Entry (Certify.SM (Certify.SN 1) (Certify.SL 0)) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (L 0) (L 3)) (Certify.ET (L 0))) (L 1)) (L 2)) (Certify.EA (Certify.EM (L 0) (L 4)) (Certify.EN (Certify.EM (L 5) (L 0)))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj IH I)).
Qed.
Theorem Phi_B_k_Z_k_Phi (k : nat) : (Phi *m (B_k k)) = ((Z_k k) *m Phi).
Proof. exact (Certify.equal_of (Phi_B_k_Z_k_Phi_zero k)). Qed.
Lemma eq_zp_zp_zero (k : nat) : (B_k k.+1) - (((gamma) *: (Xi *m (Phi)^T *m D *m P)) *m (Z_k k) *m Phi) = 0.
Proof.
(have claim_holds : Certify.same (Certify.EA (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 4)) (Certify.EN (Certify.EM (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (L 3) (Certify.ET (L 0))) (L 1)) (L 2))) (L 5)) (L 0)))) (@Certify.combine tgt src 2 2 [:: Certify.Entry (Certify.SM (Certify.SN 1) (Certify.SL 0)) (Certify.EM (Certify.EM (Certify.EM (L 3) (Certify.ET (L 0))) (L 1)) (L 2)) (Certify.EA (Certify.EM (L 0) (L 4)) (Certify.EN (Certify.EM (L 5) (L 0)))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj (Certify.zero_of (Phi_B_k_Z_k_Phi k)) I)).
Qed.
Theorem eq_zp_zp (k : nat) : (B_k k.+1) = (((gamma) *: (Xi *m (Phi)^T *m D *m P)) *m (Z_k k) *m Phi).
Proof. exact (Certify.equal_of (eq_zp_zp_zero k)). Qed.
End eq_zp_zp.
End eq_zp_zp.

Module eq_zp_values_move_by_gamma_Pi_P.
Section eq_zp_values_move_by_gamma_Pi_P.
Variable R : comRingType.
Variables nS nF : nat.
Let tgt (number : nat) : nat := (match number with | 0 => 1 | 1 => 1 | 2 => 1 | 3 => 2 | 4 => 2 | 5 => 1 | _ => 0 end)%N.
Let src (number : nat) : nat := (match number with | 0 => 2 | 1 => 1 | 2 => 1 | 3 => 2 | 4 => 2 | 5 => 1 | _ => 0 end)%N.
Local Notation L := (@Certify.EL tgt src).
Let dim (s : nat) : nat := (match s with | 1 => nS | 2 => nF | _ => 1 end)%N.
Variable gamma : R.
Variable Phi : 'M[R]_(nS, nF).
Variable D : 'M[R]_(nS, nS).
Variable P : 'M[R]_(nS, nS).
Variable Xi : 'M[R]_(nF, nF).
Fixpoint B_k (k : nat) {struct k} : 'M[R]_(nF, nF) := match k with 0%N => (1%:M : 'M[R]_(nF, nF)) | S k => (((gamma) *: (Xi *m ((Phi)^T *m D *m P *m Phi))) *m (B_k k)) end.
Fixpoint Z_k (k : nat) {struct k} : 'M[R]_(nS, nS) := match k with 0%N => (1%:M : 'M[R]_(nS, nS)) | S k => ((gamma) *: ((Phi *m Xi *m (Phi)^T *m D) *m P *m (Z_k k))) end.
Hypothesis symmetric_D : D^T = D.
Hypothesis symmetric_Xi : Xi^T = Xi.
Hypothesis two : GRing.lreg (2%:R : R).
Let sc (k : nat) (number : nat) : R := match number with | 0%N => gamma | _ => 0 end.
Let env (k : nat) (number : nat) : 'M[R]_(dim (tgt number), dim (src number)) := match number return 'M[R]_(dim (tgt number), dim (src number)) with | 0%N => Phi | 1%N => D | 2%N => P | 3%N => Xi | 4%N => (B_k k) | 5%N => (Z_k k) | _ => 0 end.
Lemma Phi_B_k_Z_k_Phi_zero (k : nat) : (Phi *m (B_k k)) - ((Z_k k) *m Phi) = 0.
Proof.
elim: k => [|k IH].
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (L 0) (@Certify.E1 tgt src 2)) (Certify.EN (Certify.EM (@Certify.E1 tgt src 1) (L 0)))) (@Certify.combine tgt src 1 2 [:: ]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc 0%N) (env 0%N) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero I).
- (have claim_holds : Certify.same (Certify.EA (Certify.EM (L 0) (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (L 3) (Certify.EM (Certify.EM (Certify.EM (Certify.ET (L 0)) (L 1)) (L 2)) (L 0)))) (L 4))) (Certify.EN (Certify.EM (Certify.EZ (Certify.SL 0) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (Certify.EM (L 0) (L 3)) (Certify.ET (L 0))) (L 1)) (L 2)) (L 5))) (L 0)))) (@Certify.combine tgt src 1 2 [:: Certify.Entry (Certify.SM (Certify.SN 1) (Certify.SL 0)) (Certify.EM (Certify.EM (Certify.EM (Certify.EM (L 0) (L 3)) (Certify.ET (L 0))) (L 1)) (L 2)) (Certify.EA (Certify.EM (L 0) (L 4)) (Certify.EN (Certify.EM (L 5) (L 0)))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj IH I)).
Qed.
Theorem Phi_B_k_Z_k_Phi (k : nat) : (Phi *m (B_k k)) = ((Z_k k) *m Phi).
Proof. exact (Certify.equal_of (Phi_B_k_Z_k_Phi_zero k)). Qed.
Lemma eq_zp_values_move_by_gamma_Pi_P_zero (k : nat) : (Phi *m (B_k k)) - ((Z_k k) *m Phi) = 0.
Proof.
(have claim_holds : Certify.same (Certify.EA (Certify.EM (L 0) (L 4)) (Certify.EN (Certify.EM (L 5) (L 0)))) (@Certify.combine tgt src 1 2 [:: Certify.Entry (Certify.SN 1) (@Certify.E1 tgt src 1) (Certify.EA (Certify.EM (L 0) (L 4)) (Certify.EN (Certify.EM (L 5) (L 0)))) (@Certify.E1 tgt src 2)]) by vm_compute);
  (have cert_zero := @Certify.cert tgt src R dim (sc k) (env k) _ _ _ _ claim_holds);
  lazy beta iota delta [Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src] in cert_zero; exact (cert_zero (conj (Certify.zero_of (Phi_B_k_Z_k_Phi k)) I)).
Qed.
Theorem eq_zp_values_move_by_gamma_Pi_P (k : nat) : (Phi *m (B_k k)) = ((Z_k k) *m Phi).
Proof. exact (Certify.equal_of (eq_zp_values_move_by_gamma_Pi_P_zero k)). Qed.
End eq_zp_values_move_by_gamma_Pi_P.
End eq_zp_values_move_by_gamma_Pi_P.
