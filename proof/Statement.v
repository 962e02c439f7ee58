(* SPDX-License-Identifier: Apache-2.0 *)
(* What an accepted certificate says. A reader who believes Networks.v, this file, what its kind of claim needs besides (Directions.v: cones;
   Averages.v: infinite width and kernels; Flows.v: limits), and Data.v's reading of the data, need not read another file: Check.v proves that
   whatever is accepted `holds`. *)
From Coq Require Import ZArith Reals List String.
From Fathom Require Import Numbers Data.
From Fathom Require Export Networks Directions Averages Flows.
Import ListNotations.
Open Scope R_scope.

Inductive zero_reason := ByPairs | AtOrigin (i : nat) | EqualRows (a b : nat).
Inductive claim :=
  | Train (gated : bool) (l : loss) (N beta : dyadic) (by_ : evidence) (listed : nat) (upper lower : dyadic)
  | Largest (gated : bool) (N beta : dyadic) (by_ : evidence) (listed : nat) (upper : option dyadic) (lower : dyadic)
  | Units (counts : list Z) (M : Z) (upper lower : dyadic)
  | Neurons (gains : list dyadic) (M : Z) (upper lower : dyadic)
  | WideMargin (plane : bool) (upper lower : dyadic)
  | LinearMargin (upper lower : dyadic)
  | ZeroMargin (why : zero_reason)
  | Cones (count : nat)
  | EmptyCone (pattern : list bool)
  | SpikeFree
  | SpikeShown (least : option dyadic)
  | ConeDimension (pattern : list bool) (k : nat)
  | Faces (count : nat)
  | Spectrum (k : kernel) (factor : dyadic) (which : spectral_end) (upper lower : dyadic)
  | Limit (both : bool) (slope : option dyadic) (R_ S_ K : dyadic) (listed : nat) (upper lower : dyadic).

Definition claim_holds (free : bool) (d : nat) (g : gates) (rows : list row) (c : claim) : Prop :=
  match c with
  | Train gated l N beta by_ listed upper lower =>
      let P := Problem l (val N) (val beta) rows in
      (by_ = ByCones -> all_cones rows (gate_count g)) /\ exists o, (forall r, In r rows -> List.length (target r) = o) /\
      let network := realised gated free o d g rows by_ in
      (exists F size, network listed F size /\ feasible P F /\ objective P F size <= val upper) /\
      (forall m F size, network m F size -> feasible P F -> val lower <= objective P F size)
  | Largest gated N beta by_ listed upper lower => (* least y_i f(x_i) of networks of penalty at most 1; the loss margin, answered so *)
      (by_ = ByCones -> all_cones rows (gate_count g)) /\ exists o, (forall r, In r rows -> List.length (target r) = o) /\
      let scores m s := exists F size, realised gated free o d g rows by_ m F size /\ size <= 1 /\ forall r, s r = dot (target r) (F r) in
      margin_within (scores listed) (fun s => exists m, scores m s) rows (val lower) upper
  | Units counts M upper lower => (* the first layer; gates weigh k_j / M *)
      let s := score (map (fun k => IZR k / IZR M) counts) (fun _ r => point r) in margin_within s s rows (val lower) (Some upper)
  | Neurons gains M upper lower => (* both layers of a_j relu(<v_j, x>), weighing 1 / M *)
      let v j := match g with Orientations l => map val (nth j l []) | _ => [] end in
      let s := score (map (fun _ => 1 / IZR M) gains) (fun j r => dot (v j) (point r) :: times (val (nth j gains dzero)) (point r)) in
      margin_within s s rows (val lower) (Some upper)
  | WideMargin _ upper lower => all_cones rows (gate_count g) /\
      forall E : average rows, margin_within (wide_score rows E) (wide_score rows E) rows (val lower) (Some upper)
  | LinearMargin upper lower =>
      let linear s := exists w, norm w <= 1 /\ forall r, s r = entry (target r) * dot (point r) w in margin_within linear linear rows (val lower) (Some upper)
  | ZeroMargin (EqualRows a b) => (* no function has every y_i f(x_i) > 0 *)
      (exists r s, nth_error rows a = Some r /\ nth_error rows b = Some s /\ point r = point s /\ entry (target r) = - entry (target s)) /\
      forall f : vec -> R, ~ forall r, In r rows -> 0 < entry (target r) * f (point r)
  | ZeroMargin why => (* no network has, nor has infinite width *)
      (forall i, why = AtOrigin i -> exists r, nth_error rows i = Some r /\ norm (point r) = 0) /\
      (forall f, unbiased false f -> ~ forall r, In r rows -> 0 < dot (target r) (output f r)) /\
      forall (E : average rows) s, wide_score rows E s -> ~ forall r, In r rows -> 0 < s r
  | Cones count => count = gate_count g /\ all_cones rows count
  | Faces count => count = gate_count g /\ all_sets (fun _ => True) rows count
  | EmptyCone pattern => ~ exists u, in_pattern d rows pattern u
  | ConeDimension pattern k => (exists u, in_pattern d rows pattern u) /\ exists b, List.length b = k /\ basis_of (in_pattern d rows pattern) b
  | SpikeFree => (* every (Au)_+ is Av for some |v| <= |u| *)
      forall u, exists v, norm v <= norm u /\ forall r, In r rows -> dot (point r) v = relu (dot (point r) u)
  | SpikeShown least => (* (Au)_+ = Av for some u only with |v| >= least |u|, or for no v *)
      exists u, 0 < norm u /\ forall v, (forall r, In r rows -> dot (point r) v = relu (dot (point r) u)) ->
                match least with Some q => val q * norm u <= norm v | None => False end
  | Spectrum k factor which upper lower => (* at infinite width some sides assume that there is an average *)
      let form := kernel_form (kernel_at k (val factor)) rows in
      let vector v := List.length v = List.length rows in
      let drawn := match k with FirstLayerGates _ _ => True | _ => inhabited (average rows) end in
      match which with
      | Least => (exists v, vector v /\ 0 < dot v v /\ form v <= val upper * dot v v) /\
                 (0 < val lower \/ drawn -> forall v, vector v -> val lower * dot v v <= form v)
      | Greatest => (exists v, vector v /\ 0 < dot v v /\ val lower * dot v v <= form v) /\ (forall v, vector v -> form v <= val upper * dot v v)
      | Null => drawn -> (forall v, vector v -> 0 <= form v) /\
          exists v, vector v /\ 0 < dot v v /\ forall r, In r rows -> kernel_row (kernel_at k (val factor)) rows v r = 0
      end
  | Limit both slope R_ S_ K listed upper lower => (* the margin of the network is m / |W|, of both layers m / |W|^2 *)
      exists f l m W, List.length f = listed /\ List.length l = List.length rows /\
        kkt_point both (match slope with Some a => val a | None => 0 end) (val R_) (val S_) (val K) rows f l m W /\
        val lower <= m / (if both then W * W else W) <= val upper
  end.

(* A statement: the SHA-256 of the data, and that of a file of labels, where there is one; how the data is read; gates; the claim. *)
Record statement := Statement { hash : string; labels_hash : option string; about : source; listed_gates : gates; claimed : claim }.
Fixpoint real_rows (g : gates) (i : nat) (l : list drow) : list row :=
  match l with
  | [] => []
  | r :: rest => let x := map val (dpoint r) in Row x (map val (dtarget r)) (val (dweight r)) (is_open g x i) :: real_rows g (S i) rest
  end.
Definition holds (bytes labels : string) (s : statement) : Prop :=
  exists read, dataset_of (about s) bytes labels = Text.Good read /\
    claim_holds (match bias (about s) with Free => true | _ => false end) (Z.to_nat (columns read)) (listed_gates s)
      (real_rows (listed_gates s) 0 (rows read)) (claimed s).
