(** What the theorems ask for exists: the algebraic numbers are a closed field with a norm, and Archimedean. *)

From mathcomp Require Import all_ssreflect all_algebra all_field.
From mathcomp Require Import algebraics_fundamentals.
From theory Require Import Powers Limits.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma algC_archimedean : Num.archimedean_axiom [numDomainType of algC].
Proof.
apply: (@rat_algebraic_archimedean _ (ratr_rmorphism [numFieldType of algC])) => x.
by have [p [_ monic_p] root_p] := minCpolyP x; exists p => //; rewrite root_p.
Qed.

(** So, for matrices of algebraic numbers and without any hypothesis: ρ(M) < 1 ⇔ Mᵗ → 0. *)
Theorem gelfand_algC n (M : 'M[algC]_n) : rho_lt M 1 <-> mvanishes (fun t => M ^^ t).
Proof. exact: gelfand algC_archimedean. Qed.
