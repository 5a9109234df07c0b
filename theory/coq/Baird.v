(** claim-baird: Baird's seven states with eight features.

    X is singular, so Π = ΦX⁻ΦᵀD with any X⁻ for which ΦX⁻X = Φ. The features tell all states apart, ΦR = 1 for some R;
    then ΦX⁻ΦᵀDΦ = Φ gives Π = 1, and ρ(γΠP) ≤ γ whatever γ is: the chain is unbiased. TD is stable at γ = 22/25, on the
    boundary at 15/17 (a pair ±iω of A), and unstable at 9/10: certificates as in Verdict and Boundary, whose numbers
    `theory.coq.evidence` found.                                                                  *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Rationals Verdict Boundary.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition Phi : rows := [:: [:: (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (2) 1)]].
Definition P : rows := [:: [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]].
Definition Hat : rows := [:: [:: (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (2) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]].
Definition W : rows := [:: [:: (Qmake (2) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2)]; [:: (Qmake (0) 2); (Qmake (2) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (2) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (2) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (2) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (2) 2); (Qmake (0) 2); (Qmake (1) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (2) 2); (Qmake (4) 2)]].
Definition V : rows := [:: [:: (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]].
Definition d : seq Q := [:: (Qmake (1) 7); (Qmake (1) 7); (Qmake (1) 7); (Qmake (1) 7); (Qmake (1) 7); (Qmake (1) 7); (Qmake (1) 7)].
Definition X_L : rows := [:: [:: (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1); (Qmake (0) 1)]; [:: (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (0) 1); (Qmake (1) 1)]].
Definition X_p : seq Q := [:: (Qmake (64) 128); (Qmake (64) 128); (Qmake (64) 128); (Qmake (64) 128); (Qmake (64) 128); (Qmake (64) 128); (Qmake (9) 128)].
Lemma factors : factor_check 7 8 7 Phi Hat W V d X_L X_p. Proof. by vm_compute. Qed.

(** TD at γ = 22/25. *)
Definition td_stable_Q : rows := [:: [:: (Qmake (557) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (2645) 32)]; [:: (Qmake (529) 32); (Qmake (557) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (2645) 32)]; [:: (Qmake (529) 32); (Qmake (529) 32); (Qmake (557) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (2645) 32)]; [:: (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (557) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (2645) 32)]; [:: (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (557) 32); (Qmake (529) 32); (Qmake (2645) 32)]; [:: (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (529) 32); (Qmake (557) 32); (Qmake (2645) 32)]; [:: (Qmake (2645) 32); (Qmake (2645) 32); (Qmake (2645) 32); (Qmake (2645) 32); (Qmake (2645) 32); (Qmake (2645) 32); (Qmake (127143) 32)]].
Definition td_stable_Q_L : rows := [:: [:: (Qmake (262144) 262144); (Qmake (255385) 262144); (Qmake (255385) 262144); (Qmake (255385) 262144); (Qmake (255385) 262144); (Qmake (255385) 262144); (Qmake (1276926) 262144)]; [:: (Qmake (0) 262144); (Qmake (262144) 262144); (Qmake (129360) 262144); (Qmake (129360) 262144); (Qmake (129360) 262144); (Qmake (129360) 262144); (Qmake (646801) 262144)]; [:: (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (262144) 262144); (Qmake (86617) 262144); (Qmake (86617) 262144); (Qmake (86617) 262144); (Qmake (433086) 262144)]; [:: (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (262144) 262144); (Qmake (65105) 262144); (Qmake (65105) 262144); (Qmake (325526) 262144)]; [:: (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (262144) 262144); (Qmake (52153) 262144); (Qmake (260764) 262144)]; [:: (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (262144) 262144); (Qmake (217494) 262144)]; [:: (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (0) 262144); (Qmake (262144) 262144)]].
Definition td_stable_Q_p : seq Q := [:: (Qmake (17376) 1024); (Qmake (884) 1024); (Qmake (669) 1024); (Qmake (596) 1024); (Qmake (559) 1024); (Qmake (537) 1024); (Qmake (3646786) 1024)].
Definition td_stable_L : rows := [:: [:: (Qmake (128) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (-7) 128)]; [:: (Qmake (0) 128); (Qmake (128) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (-7) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (-7) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (-7) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128); (Qmake (0) 128); (Qmake (-7) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128); (Qmake (-7) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128)]].
Definition td_stable_p : seq Q := [:: (Qmake (139) 256); (Qmake (139) 256); (Qmake (139) 256); (Qmake (139) 256); (Qmake (139) 256); (Qmake (139) 256); (Qmake (131) 256)].
Lemma td_stable_computed : td_stable_check 7 8 7 Hat W P d (Qmake (22) 25) td_stable_Q td_stable_Q_L td_stable_Q_p td_stable_L td_stable_p. Proof. by vm_compute. Qed.

(** TD at γ = 15/17. *)
Definition tie_V : rows := [:: [:: (Qmake (218) 119); (Qmake (139) 119)]; [:: (Qmake (218) 119); (Qmake (139) 119)]; [:: (Qmake (218) 119); (Qmake (139) 119)]; [:: (Qmake (218) 119); (Qmake (139) 119)]; [:: (Qmake (218) 119); (Qmake (139) 119)]; [:: (Qmake (218) 119); (Qmake (139) 119)]; [:: (Qmake (24) 119); (Qmake (-24) 119)]].
Definition tie_U : rows := [:: [:: (Qmake (4) 72); (Qmake (4) 72); (Qmake (4) 72); (Qmake (4) 72); (Qmake (4) 72); (Qmake (4) 72); (Qmake (139) 72)]; [:: (Qmake (4) 72); (Qmake (4) 72); (Qmake (4) 72); (Qmake (4) 72); (Qmake (4) 72); (Qmake (4) 72); (Qmake (-218) 72)]].
Definition tie_C : rows := [:: [:: (Qmake (486) 1666); (Qmake (347) 1666)]; [:: (Qmake (-1180) 1666); (Qmake (-486) 1666)]].
Lemma tie_computed : td_tie_check 7 8 7 Hat W P d (Qmake (15) 17) 1 tie_V tie_U tie_C. Proof. by vm_compute. Qed.

(** TD at γ = 9/10. *)
Definition td_unstable_Q : rows := [:: [:: (Qmake (-6) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-46) 4)]; [:: (Qmake (-9) 4); (Qmake (-6) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-46) 4)]; [:: (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-6) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-46) 4)]; [:: (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-6) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-46) 4)]; [:: (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-6) 4); (Qmake (-9) 4); (Qmake (-46) 4)]; [:: (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-9) 4); (Qmake (-6) 4); (Qmake (-46) 4)]; [:: (Qmake (-46) 4); (Qmake (-46) 4); (Qmake (-46) 4); (Qmake (-46) 4); (Qmake (-46) 4); (Qmake (-46) 4); (Qmake (-2750) 4)]].
Definition td_unstable_x : rows := [:: [:: (Qmake (-1) 32)]; [:: (Qmake (-1) 32)]; [:: (Qmake (-1) 32)]; [:: (Qmake (-1) 32)]; [:: (Qmake (-1) 32)]; [:: (Qmake (-1) 32)]; [:: (Qmake (-32) 32)]].
Definition td_unstable_L : rows := [:: [:: (Qmake (128) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (-33) 128)]; [:: (Qmake (0) 128); (Qmake (128) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (-33) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (-32) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128); (Qmake (2) 128); (Qmake (2) 128); (Qmake (-32) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128); (Qmake (2) 128); (Qmake (-31) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128); (Qmake (-31) 128)]; [:: (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (0) 128); (Qmake (128) 128)]].
Definition td_unstable_p : seq Q := [:: (Qmake (219) 256); (Qmake (219) 256); (Qmake (219) 256); (Qmake (219) 256); (Qmake (219) 256); (Qmake (218) 256); (Qmake (6) 256)].
Lemma td_unstable_computed : td_unstable_check 7 8 7 Hat W P d (Qmake (9) 10) td_unstable_Q td_unstable_x td_unstable_L td_unstable_p. Proof. by vm_compute. Qed.

(** ΦR = 1. *)
Definition right_inverse : rows := [:: [:: (Qmake (1) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2)]; [:: (Qmake (0) 2); (Qmake (1) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2); (Qmake (0) 2); (Qmake (0) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (1) 2); (Qmake (0) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (2) 2)]; [:: (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2); (Qmake (0) 2)]].

(** Features that tell all states apart make Π the identity, whatever X⁻ is. *)
Lemma complete_features (K : fieldType) S F (Phi : 'M[K]_(S, F)) (D : 'M[K]_S) (R : 'M[K]_(F, S)) (Xg : 'M[K]_F) :
  Phi *m R = 1%:M -> Phi *m Xg *m (Phi^T *m D *m Phi) = Phi -> Phi *m Xg *m Phi^T *m D = 1%:M.
Proof.
move=> PR gen; rewrite -[LHS]mulmx1 -PR !mulmxA.
by move: gen; rewrite !mulmxA => ->.
Qed.

Definition lstochastic n (P : rows) : bool :=
  all (fun i => all (fun j => qle q0 (entry P i j)) (iota 0 n) && Qeq_bool (qsum n (entry P i)) q1) (iota 0 n).

Section Baird.

Variable C : numClosedFieldType.

Lemma lstochasticP n l : lstochastic n l -> stochastic (lmx C n n l).
Proof.
move=> /allP H; have row (i : 'I_n) := H (val i); split=> [i j|i]; have := row i; rewrite mem_iota /= add0n.
  case/(_ (ltn_ord i))/andP => /allP /(_ (val j)); rewrite mem_iota /= add0n => /(_ (ltn_ord j)) /(qden_le C).
  by rewrite qden0 mxE.
case/(_ (ltn_ord i))/andP => _ /(proj1 (Qeq_bool_iff _ _)) /(qden_eq C); rewrite qsumE qden1 => <-.
by apply: eq_bigr => j _; rewrite mxE.
Qed.

Lemma P_stochastic : stochastic (lmx C 7 7 P).
Proof. by apply: lstochasticP; vm_compute. Qed.

Local Notation mPhi := (lmx C 7 8 Phi).
Local Notation mD := (diag_mx (lrow C 7 d)).

Hypothesis arch : Num.archimedean_axiom C.

Theorem claim_baird :
  [/\ forall z, eigenvalue (key 7 8 Phi P d (Qmake 22 25) C) z -> z != 0 -> 0 < 'Re z,
      exists z (w : 'cV[C]_8), [/\ key 7 8 Phi P d (Qmake 15 17) C *m w = z *: w, mPhi *m w != 0 & ~~ (0 < 'Re z)],
      exists z, [/\ eigenvalue (key 7 8 Phi P d (Qmake 9 10) C) z, z != 0 & ~~ (0 < 'Re z)] &
      forall (Xg : 'M[C]_8) gamma, 0 <= gamma -> mPhi *m Xg *m (mPhi^T *m mD *m mPhi) = mPhi ->
        rho_le (gamma *: (mPhi *m Xg *m mPhi^T *m mD *m lmx C 7 7 P)) gamma].
Proof.
split; [exact: (td_stable factors td_stable_computed) | exact: (td_tie C factors tie_computed) | |].
  exact: (td_unstable factors arch td_unstable_computed).
move=> Xg gamma g0 gen; have PR : mPhi *m lmx C 8 7 right_inverse = 1%:M.
  have check : leq_ 7 7 (lmul 7 8 7 Phi right_inverse) (lone 7) by vm_compute.
  by have := leqP_ C check; rewrite lmx_mul lmx_one.
rewrite (complete_features PR gen) mul1mx => z /eigenP [v zv v0].
have [g00|gn0] := eqVneq gamma 0.
  move: zv; rewrite g00 scale0r mul0mx => /esym/eqP; rewrite scaler_eq0 (negPf v0) orbF => /eqP ->.
  by rewrite normr0.
have : eigenvalue (lmx C 7 7 P) (z / gamma).
  by apply/eigenP; exists v => //; apply: (scalerI gn0); rewrite scalemxAl zv scalerA mulrCA divff // mulr1.
move/(stochastic_rho P_stochastic); rewrite normrM normfV (ger0_norm g0).
by rewrite ler_pdivr_mulr ?mul1r // lt0r gn0.
Qed.

End Baird.
