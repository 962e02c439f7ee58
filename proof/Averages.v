(* SPDX-License-Identifier: Apache-2.0 *)
(* What statements about margins of listed gates and of infinite width, and about tangent kernels, mean. *)
From Coq Require Import ZArith Reals List.
From Fathom Require Import Networks Directions.
Import ListNotations.
Open Scope R_scope.

(* --- margins of listed gates --- *)
(* sum_j rho_j D_ij y_i <z_j, w_j> over listed gates, |w_j| <= 1. *)
Definition score (rho : list R) (z : nat -> row -> vec) (s : row -> R) : Prop :=
  exists w, (forall j, norm (w j) <= 1) /\ forall r,
    s r = sum (map (fun j => nth j rho 0 * if opens r j then entry (target r) * dot (z j r) (w j) else 0) (seq 0 (List.length rho))).

(* --- infinite width: gates u at random, those of normal entries being an example. Two half-spaces have in common what their angle says --- *)
Definition half (r s : row) : R := (PI - acos (dot (point r) (point s) / (norm (point r) * norm (point s)))) / (2 * PI).
Definition arc (r s : row) : R := (* the mean of relu(<x, u>) relu(<z, u>), |x||z| sin t + (pi - t) <x, z> over 2 pi [Cho and Saul 2009] *)
  sqrt (dot (point r) (point r) * dot (point s) (point s) - dot (point r) (point s) * dot (point r) (point s)) / (2 * PI) + dot (point r) (point s) * half r s.
Definition side (r : row) (u : vec) : R := if Rlt_dec 0 (dot (point r) u) then 1 else 0.
Record average (rows : list row) := Average {
  integrable : (vec -> R) -> Prop;
  mean : (vec -> R) -> R;
  of_one : integrable (fun _ => 1) /\ mean (fun _ => 1) = 1;
  of_sum : forall f g, integrable f -> integrable g -> integrable (fun u => f u + g u) /\ mean (fun u => f u + g u) = mean f + mean g;
  of_multiple : forall t f, integrable f -> integrable (fun u => t * f u) /\ mean (fun u => t * f u) = t * mean f;
  of_order : forall f g, integrable f -> integrable g -> (forall u, off rows u -> f u <= g u) -> mean f <= mean g;
  of_null : forall f g, (forall u, off rows u -> f u = g u) -> integrable f -> integrable g /\ mean g = mean f;
  of_mirror : forall f, integrable f -> integrable (fun u => f (times (-1) u)) /\ mean (fun u => f (times (-1) u)) = mean f;
  of_part : forall r f, In r rows -> integrable f -> integrable (fun u => side r u * f u);
  of_pair : forall r s, In r rows -> In s rows -> 0 < dot (point r) (point r) -> 0 < dot (point s) (point s) ->
            mean (fun u => side r u * side s u) = half r s;
  of_product : forall r s, In r rows -> In s rows ->
    integrable (fun u => relu (dot (point r) u) * relu (dot (point s) u)) /\ mean (fun u => relu (dot (point r) u) * relu (dot (point s) u)) = arc r s }.
(* The scores y_i E_u 1[<x_i, u> > 0] <x_i, v(u)>, |v(u)| <= 1. *)
Definition feature (v : vec -> vec) (r : row) (u : vec) : R := if Rlt_dec 0 (dot (point r) u) then dot (point r) (v u) else 0.
Definition wide_score (rows : list row) (E : average rows) (s : row -> R) : Prop :=
  exists v, (forall u, norm (v u) <= 1) /\ forall r, In r rows -> integrable _ E (feature v r) /\ s r = entry (target r) * mean _ E (feature v r).

(* --- tangent kernels H_rs, v'Hv, an entry of Hv --- *)
Inductive kernel := FirstLayerWide | BothLayersWide | FirstLayerGates (counts : list Z) (M : Z).
Definition kernel_at (k : kernel) (factor : R) (r s : row) : R :=
  factor * match k with
  | FirstLayerWide => dot (point r) (point s) * half r s
  | BothLayersWide => dot (point r) (point s) * half r s + arc r s
  | FirstLayerGates counts M => dot (point r) (point s) *
      sum (map (fun j => if opens r j then if opens s j then IZR (nth j counts 0%Z) / IZR M else 0 else 0) (seq 0 (List.length counts)))
  end.
Definition kernel_row (h : row -> row -> R) (rows : list row) (v : vec) (r : row) : R :=
  sum (map (fun q => fst q * h r (snd q)) (combine v rows)).
Definition kernel_form (h : row -> row -> R) (rows : list row) (v : vec) : R :=
  sum (map (fun p => fst p * kernel_row h rows v (snd p)) (combine v rows)).
Inductive spectral_end := Least | Greatest | Null.
