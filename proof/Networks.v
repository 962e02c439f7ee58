(* SPDX-License-Identifier: Apache-2.0 *)
(* What statements about networks mean: networks, losses, the objective, classes of networks, margins. *)
From Coq Require Import ZArith Reals List.
From Fathom Require Import Numbers.
Import ListNotations.
Open Scope R_scope.

(* Vectors are lists of reals; what is not listed is 0. `val` is the number m 2^e that a certificate writes. *)
Definition vec := list R.
Fixpoint plus (a b : vec) : vec := match a, b with [], _ => b | _, [] => a | p :: a, q :: b => p + q :: plus a b end.
Definition times (t : R) (a : vec) : vec := map (Rmult t) a.
Fixpoint dot (a b : vec) : R := match a, b with p :: a, q :: b => p * q + dot a b | _, _ => 0 end.
Definition norm (a : vec) : R := sqrt (dot a a).
Definition sum (l : list R) : R := fold_right Rplus 0 l.
Definition total (l : list vec) : vec := fold_right plus [] l.
Definition entry (a : vec) : R := nth 0 a 0.

(* The data: rows x_i with targets y_i, weights c_i, and D_ij, whether gate j is open on row i. *)
Record row := Row { point : vec; target : vec; weight : R; opens : nat -> bool }.

(* --- networks: ReLU, f(x) = c + sum_j w_j relu(<u_j, x> + b_j), of penalty sum_j |w_j||u_j|; gated, f(x_i) = c + sum_j D_ij W_j x_i,
   W_j of o rows, of penalty sum_j |W_j| (Frobenius) --- *)
Definition relu (t : R) : R := Rmax 0 t.
Record neuron := Neuron { outer : vec; inner : vec; shift : R }.
Record network := Network { neurons : list neuron; constant : vec }.
Definition output (f : network) (r : row) : vec :=
  plus (constant f) (total (map (fun j => times (relu (dot (inner j) (point r) + shift j)) (outer j)) (neurons f))).
Definition penalty (f : network) : R := sum (map (fun j => norm (outer j) * norm (inner j)) (neurons f)).
Record gated_neuron := Gated { gate : nat; maps : list vec }.
Record gated_network := GatedNetwork { gated_neurons : list gated_neuron; gated_constant : vec }.
Definition gated_output (f : gated_network) (r : row) : vec :=
  plus (gated_constant f)
    (total (map (fun j => if opens r (gate j) then map (fun w => dot w (point r)) (maps j) else []) (gated_neurons f))).
Definition gated_penalty (f : gated_network) : R := sum (map (fun j => sqrt (sum (map (fun w => dot w w) (maps j)))) (gated_neurons f)).

(* --- the objective (1/N) sum_i c_i l(f_i, y_i) + beta R; losses with constraints are 0 where these hold --- *)
Inductive loss := Squared | Hinge | Huber (D : dyadic) | Absolute | Quantile (T : dyadic) | Equality (residual : dyadic) | Margin
  | Logistic | Softmax.
Definition huber (D r : R) : R := if Rle_dec (Rabs r) D then r * r / 2 else D * Rabs r - D * D / 2.
Definition loss_at (l : loss) (f y : vec) : R :=
  let r := entry y - entry f in
  match l with
  | Squared => let miss := plus f (times (-1) y) in dot miss miss / 2
  | Hinge => Rmax 0 (1 - dot y f)
  | Huber D => huber (val D) r
  | Absolute => Rabs r
  | Quantile T => Rmax (val T * r) ((val T - 1) * r)
  | Equality _ | Margin => 0
  | Logistic => ln (1 + exp (- dot y f))
  | Softmax => ln (sum (map (fun k => exp (nth k f 0)) (seq 0 (List.length y)))) - dot y f
  end.
Definition allowed (l : loss) (f y : vec) : Prop :=
  match l with Equality r => forall k, Rabs (nth k f 0 - nth k y 0) <= val r | Margin => 1 <= dot y f | _ => True end.
Record problem := Problem { loss_of : loss; divisor : R; beta : R; data : list row }.
Definition objective (P : problem) (f : row -> vec) (size : R) : R :=
  sum (map (fun r => weight r * loss_at (loss_of P) (f r) (target r)) (data P)) / divisor P + beta P * size.
Definition feasible (P : problem) (f : row -> vec) : Prop := forall r, In r (data P) -> allowed (loss_of P) (f r) (target r).

(* --- gates: orientations v_j, open where <x_i, v_j> > 0, or patterns --- *)
Inductive gates := Orientations (l : list (list dyadic)) | Patterns (l : list (list bool)).
Definition gate_count (g : gates) : nat := match g with Orientations l => List.length l | Patterns l => List.length l end.
Definition is_open (g : gates) (x : vec) (i j : nat) : bool :=
  match g with
  | Orientations l => if Rlt_dec 0 (dot x (map val (nth j l []))) then true else false
  | Patterns l => nth i (nth j l []) false
  end.
(* u lies in the closed cone of gate j. *)
Definition in_cone (rows : list row) (j : nat) (u : vec) : Prop :=
  forall r, In r rows -> if opens r j then 0 <= dot (point r) u else dot (point r) u <= 0.
(* --- the networks that a bound speaks of: o outputs, d columns; biases and constants are 0 unless they are free; those of gates have
   their neurons in the cones of these, and prices by gates and by cones are those of neurons that feed one output each --- *)
Inductive evidence := NoBound | ByGates | ByCones | ByTrees.
Definition feeds_one (w : vec) : Prop := forall k l, nth k w 0 <> 0 -> nth l w 0 <> 0 -> k = l.
Definition unbiased (free : bool) (f : network) : Prop := free = true \/ (constant f = [] /\ forall j, In j (neurons f) -> shift j = 0).
Definition shaped (o d : nat) (f : network) : Prop :=
  (List.length (constant f) <= o)%nat /\ forall j, In j (neurons f) -> List.length (outer j) = o /\ List.length (inner j) = d.
Definition in_class (free : bool) (o d : nat) (g : gates) (rows : list row) (by_ : evidence) (f : network) : Prop :=
  shaped o d f /\ unbiased free f /\
  (by_ = ByGates -> forall j, In j (neurons f) -> exists k, (k < gate_count g)%nat /\ in_cone rows k (inner j)) /\
  (by_ = ByGates \/ by_ = ByCones -> forall j, In j (neurons f) -> feeds_one (outer j)).
Definition gated_shaped (o d m : nat) (free : bool) (f : gated_network) : Prop :=
  (free = true \/ gated_constant f = []) /\ (List.length (gated_constant f) <= o)%nat /\
  forall j, In j (gated_neurons f) -> (gate j < m)%nat /\ List.length (maps j) = o /\ forall w, In w (maps j) -> List.length w = d.
(* F is the output of such a network, m the number of its neurons, R its penalty. *)
Definition realised (gated free : bool) (o d : nat) (g : gates) (rows : list row) (by_ : evidence) (m : nat) (F : row -> vec) (size : R) : Prop :=
  if gated then exists f, gated_shaped o d (gate_count g) free f /\ m = List.length (gated_neurons f) /\ F = gated_output f /\ size = gated_penalty f
  else exists f, in_class free o d g rows by_ f /\ m = List.length (neurons f) /\ F = output f /\ size = penalty f.

(* --- margins: of `some` scores on the rows the least is at least `lower`, and of `any` at most `upper` (None: infinite) --- *)
Definition margin_within (some any : (row -> R) -> Prop) (rows : list row) (lower : R) (upper : option dyadic) : Prop :=
  (exists s, some s /\ forall r, In r rows -> lower <= s r) /\
  match upper with Some most => forall s, any s -> exists r, In r rows /\ s r <= val most | None => True end.
