(* SPDX-License-Identifier: Apache-2.0 *)
(* What statements about the directions of the data mean: sets of active rows, cones, a basis of the space that one spans. *)
From Coq Require Import ZArith Reals List.
From Fathom Require Import Networks.
Import ListNotations.
Open Scope R_scope.

Definition opens_as (rows : list row) (j : nat) (u : vec) : Prop := forall r, In r rows -> (opens r j = true <-> 0 < dot (point r) u).
(* u lies on no hyperplane <x_i, u> = 0 of a row other than 0. *)
Definition off (rows : list row) (u : vec) : Prop := forall r, In r rows -> dot (point r) (point r) <> 0 -> dot (point r) u <> 0.
(* Gates 0 .. m - 1 are, each once, all sets of rows with <x_i, u> > 0 that such u have. *)
Definition all_sets (such : vec -> Prop) (rows : list row) (m : nat) : Prop :=
  (forall k, (k < m)%nat -> exists v, such v /\ opens_as rows k v) /\
  (forall j k, (j < k < m)%nat -> exists r, In r rows /\ opens r j <> opens r k) /\
  (forall u, such u -> exists k, (k < m)%nat /\ opens_as rows k u).
Definition all_cones (rows : list row) : nat -> Prop := all_sets (off rows) rows.
Definition in_pattern (d : nat) (rows : list row) (pattern : list bool) (u : vec) : Prop :=
  List.length u = d /\ forall i r, nth_error rows i = Some r -> if nth i pattern false then 0 < dot (point r) u else dot (point r) u <= 0.
(* b is a basis of the space that the points of a set span. *)
Definition same (a b : vec) : Prop := forall y, dot a y = dot b y.
Definition combination (c : list R) (b : list vec) : vec := total (map (fun p => times (fst p) (snd p)) (combine c b)).
Definition independent (b : list vec) : Prop :=
  forall c, List.length c = List.length b -> same (combination c b) [] -> forall t, In t c -> t = 0.
Definition basis_of (inside : vec -> Prop) (b : list vec) : Prop :=
  independent b /\ (forall v, In v b -> exists t u w, inside u /\ inside w /\ same v (times t (plus u (times (-1) w)))) /\
  forall u, inside u -> exists c, List.length c = List.length b /\ same u (combination c b).
