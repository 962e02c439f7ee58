(* SPDX-License-Identifier: Apache-2.0 *)
(* What statements about the limits of flows mean. *)
From Coq Require Import ZArith Reals List.
From Fathom Require Import Networks.
Import ListNotations.
Open Scope R_scope.

(* --- limits of flows: f(x) = sum_j w_j s(<u_j, x>), s(t) = max(t, a t), is a KKT point of the largest margin, up to R, S and K: every
   y_i f(x_i) is at least m, multipliers l_i >= 0 are small beyond m, and W, the u_j (or both the u_j and the w_j), is nearly sum_i l_i g_i,
   g_i a Clarke gradient of y_i f(x_i), whose slopes c_ji stand beside neuron j --- *)
Definition leaky (a t : R) : R := Rmax t (a * t).
Definition slope_at (a K : R) (u x : vec) (c : R) : Prop :=
  (0 < dot u x /\ c = 1) \/ (dot u x < 0 /\ c = a) \/ (Rabs (dot u x) <= K * (norm u * norm x) /\ a <= c <= 1).
Definition kkt_point (both : bool) (a R_ S_ K : R) (rows : list row) (f : list (neuron * list R)) (l : list R) (m length_of_W : R) : Prop :=
  let p r := entry (target r) * sum (map (fun j => entry (outer (fst j)) * leaky a (dot (inner (fst j)) (point r))) f) in
  let force q := fst q * entry (target (snd q)) in (* l_i y_i *)
  let of_u (j : neuron * list R) := plus (inner (fst j)) (times (- entry (outer (fst j)))
             (total (map (fun q => times (force (fst q) * snd q) (point (snd (fst q)))) (combine (combine l rows) (snd j))))) in
  let of_w j := entry (outer (fst j)) - sum (map (fun q => force q * leaky a (dot (inner (fst j)) (point (snd q)))) (combine l rows)) in
  let squares (u : neuron * list R -> vec) (w : neuron * list R -> R) := sum (map (fun j => dot (u j) (u j) + if both then w j * w j else 0) f) in
  0 < m /\ (forall r, In r rows -> m <= p r) /\ (exists r, In r rows /\ p r = m) /\
  (forall t, In t l -> 0 <= t) /\ 0 < sum l /\ sum (map (fun q => fst q * (p (snd q) - m)) (combine l rows)) <= S_ * m * sum l /\
  (forall j, In j f -> Forall2 (fun c r => slope_at a K (inner (fst j)) (point r) c) (snd j) rows) /\
  length_of_W = sqrt (squares (fun j => inner (fst j)) (fun j => entry (outer (fst j)))) /\ sqrt (squares of_u of_w) <= R_ * length_of_W.
