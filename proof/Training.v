(* SPDX-License-Identifier: Apache-2.0 *)
(* The lines of a claim of training. *)
From Coq Require Import ZArith List String Ascii Bool.
From Fathom Require Import Numbers Text Data Statement Vectors Rows Certificate Tree Cover Train.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(* What a claim's reader gives: the claim, bounds as numbers of binary64 (None: infinite), and of training its evidence, for those who
   want to see or to compare it. *)
Record verdict := Verdict { claim_of : claim; top : option dyadic; bottom : option dyadic; listed_parts : option (dnetwork * lower_side) }.
(* What is said of a claim, with the data. *)
Record answer := Answer { said : statement; read : dataset; upper_bound : option dyadic; lower_bound : option dyadic;
                          parts_of : option (dnetwork * lower_side) }.
Definition is_free (c : context) : bool := match bias (from_source c) with Free => true | _ => false end.
Definition holds_of (c : context) (claimed : claim) : Prop :=
  claim_holds (is_free c) (Z.to_nat (columns (set c))) (gate_list c) (real_rows (gate_list c) 0 (rows (set c))) claimed.

Definition read_problem (words : list string) : result (bool * (dyadic -> loss) * dyadic * dyadic) :=
  match words with
  | model :: loss :: rest =>
      check String.eqb model "relu" || String.eqb model "gated" else rejected, "the line of the problem";
      do (kind, rest) <- (match rest with
                          | p :: more =>
                              if String.eqb loss "huber" then do p <- number_of p; Good ((fun _ : dyadic => Huber p), more)
                              else if String.eqb loss "quantile" then do p <- number_of p; Good ((fun _ => Quantile p), more)
                              else if String.eqb loss "squared" then Good ((fun _ => Squared), rest)
                              else if String.eqb loss "hinge" then Good ((fun _ => Hinge), rest)
                              else if String.eqb loss "absolute" then Good ((fun _ => Absolute), rest)
                              else if String.eqb loss "logistic" then Good ((fun _ => Logistic), rest)
                              else if String.eqb loss "softmax" then Good ((fun _ => Softmax), rest)
                              else if String.eqb loss "margin" then Good ((fun _ => Margin), rest)
                              else if String.eqb loss "equality" then Good ((fun r => Equality r), rest)
                              else mismatch
                          | [] => mismatch
                          end);
      match rest with
      | [N; beta] => do N <- number_of N; do beta <- number_of beta; Good (String.eqb model "gated", kind, N, beta)
      | _ => mismatch
      end
  | _ => mismatch
  end.

Definition read_neuron (o d : Z) (free : bool) (l : lines) : result (dneuron * lines) :=
  do (found, l) <- numbers_line "neuron" (o + d + (if free then 1 else 0)) l;
  let (w, more) := cut o found [] in
  let (u, b) := cut d more [] in
  Good (DNeuron w u (match b with b :: _ => b | [] => dzero end), l).
Fixpoint chunks (count : nat) (n : Z) (l : list dyadic) : list (list dyadic) :=
  match count with O => [] | S k => let (first, rest) := cut n l [] in first :: chunks k n rest end.
Definition read_gated (o d : Z) (l : lines) : result (dgated * lines) :=
  do (words, l) <- line_of "neuron" l;
  match words with
  | gate :: words =>
      do gate <- index_of gate;
      check gate <? 10000000 else rejected, "there is no such gate";
      do w <- numbers_of (o * d) words;
      Good (DGated (Z.to_nat gate) (chunks (Z.to_nat o) d w), l)
  | [] => mismatch
  end.
Definition count_line (keyword : string) (l : lines) : result (Z * lines) :=
  do (words, l) <- line_of keyword l;
  match words with [count] => do count <- index_of count; Good (count, l) | _ => mismatch end.
(* Without a free bias the constant is 0, and there is none. *)
Definition read_constant (o : Z) (free : bool) (l : lines) : result (list dyadic * lines) :=
  do (c, l) <- numbers_line "constant" o l;
  check free || dnull c else rejected, "the problem has no output constant";
  Good (if free then c else [], l).
Definition read_network (gated free : bool) (o d : Z) (l : lines) : result (dnetwork * lines) :=
  do (count, l) <- count_line "network" l;
  if gated then
    do (found, l) <- many count (read_gated o d) l;
    do (c, l) <- read_constant o free l;
    Good (OnGates found c, l)
  else
    do (found, l) <- many count (read_neuron o d free) l;
    do (c, l) <- read_constant o free l;
    Good (Relu found c, l).

(* The dual point, given output by output, row by row. *)
Fixpoint zip_cons (a : list dyadic) (l : list (list dyadic)) : list (list dyadic) :=
  match a, l with x :: a, row :: l => (x :: row) :: zip_cons a l | _, _ => [] end.
Definition by_rows {A} (rows : list A) (outputs : list (list dyadic)) : list (list dyadic) :=
  fold_right zip_cons (map (fun _ => []) rows) outputs.
Definition read_dual (c : context) (o : Z) (l : lines) : result (dyadic * list (list dyadic) * lines) :=
  let n := row_count (set c) in
  do (found, l) <- numbers_line "dual" (1 + o * n) l;
  match found with
  | s :: v =>
      check dle dzero s else rejected, "the scale of the dual point is negative";
      Good (s, by_rows (rows (set c)) (chunks (Z.to_nat o) n (dtimes s v)), l)
  | [] => mismatch
  end.

Fixpoint multipliers (words : list string) (made : list (Z * dyadic)) : result (list (Z * dyadic)) :=
  match words with
  | [] => Good (rev' made)
  | i :: mu :: rest => do i <- index_of i; do mu <- number_of mu; multipliers rest ((i, mu) :: made)
  | _ => mismatch
  end.
Definition read_push (l : lines) : result (list (Z * dyadic) * lines) :=
  do (words, l) <- line_of "push" l;
  match words with
  | count :: words =>
      do count <- index_of count;
      check 2 * count =? length_of words else rejected, "there are not so many multipliers";
      do found <- multipliers words [];
      Good (found, l)
  | [] => mismatch
  end.
Definition read_pushes (l : lines) : result (list (Z * dyadic) * list (Z * dyadic) * lines) :=
  do (up, l) <- read_push l;
  do (down, l) <- read_push l;
  Good (up, down, l).
Definition gates_listed (c : context) : Z := match gate_list c with Orientations l => length_of l | Patterns l => length_of l end.

(* A tree in preorder; the path to it has so many rows. *)
Fixpoint triples (words : list string) (made : list entry_of) : result (list entry_of) :=
  match words with
  | [] => Good (rev' made)
  | i :: j :: theta :: rest => do i <- index_of i; do j <- index_of j; do theta <- number_of theta; triples rest ((i, j, theta) :: made)
  | _ => mismatch
  end.
Fixpoint read_tree (fuel : lines) (lifted : bool) (n depth : Z) (l : lines) : result (tree * lines) :=
  match fuel with
  | [] => mismatch
  | _ :: fuel =>
      if next_is "split" l then
        do (j, l) <- count_line "split" l;
        do (above, l) <- read_tree fuel lifted n (depth + 1) l;
        do (below, l) <- read_tree fuel lifted n (depth + 1) l;
        Good (Split j above below, l)
      else
        do (words, l) <- line_of "leaf" l;
        match words with
        | count :: words =>
            do count <- index_of count;
            check 3 * count =? length_of words else rejected, "there are not so many entries";
            do entries <- triples words [];
            do (weights, l) <- numbers_line "weights" (n + 1 + depth + (if lifted then 1 else 0)) l;
            let (gamma, more) := cut (n + 1) weights [] in
            let (nu, lift) := cut depth more [] in
            Good (Leaf entries gamma nu lift, l)
        | [] => mismatch
        end
  end.
Definition read_price (keyword : string) (l : lines) : result (dyadic * lines) :=
  do (P, l) <- numbers_line keyword 1 l;
  match P with P :: _ => check dle dzero P else rejected, "a price is negative"; Good (P, l) | [] => mismatch end.
Definition read_two (n : Z) (l : lines) : result (tree * tree * lines) :=
  do (above, l) <- read_tree l false n 0 l;
  do (below, l) <- read_tree l false n 0 l;
  Good (above, below, l).
Definition read_direction (free : bool) (n : Z) (l : lines) : result (direction * lines) :=
  if next_is "exact" l then do (P, l) <- read_price "exact" l; Good (Exact P, l)
  else if next_is "kinks" l then
    do (P, l) <- read_price "kinks" l;
    check free else rejected, "kinks are for free biases";
    do (found, l) <- many n (read_two n) l;
    Good (Kinks P found, l)
  else
    do (P, l) <- read_price "side" l;
    do (above, l) <- read_tree l free n 0 l;
    do (Q, l) <- read_price "side" l;
    do (below, l) <- read_tree l free n 0 l;
    Good (Sides P Q above below, l).
Definition read_corner (free : bool) (n : Z) (l : lines) : result (new_corner * lines) :=
  do (words, l) <- line_of "corner" l;
  match words with
  | [i; j; a; b] =>
      do i <- index_of i; do j <- index_of j; do a <- number_of a; do b <- number_of b;
      do (e, l) <- read_direction free n l;
      Good (NewCorner (i, j) (a, b) e, l)
  | _ => mismatch
  end.
Fixpoint read_cone (fuel : lines) (o : Z) (l : lines) : result (cone_tree * lines) :=
  match fuel with
  | [] => mismatch
  | _ :: fuel =>
      if next_is "bisect" l then
        do (k, l) <- count_line "bisect" l;
        do (first, l) <- read_cone fuel o l;
        do (second, l) <- read_cone fuel o l;
        Good (Bisect k first second, l)
      else do (p, l) <- numbers_line "piece" o l; Good (Piece p, l)
  end.
Definition read_cones (o : Z) (l : lines) : result (cone_tree * lines) := read_cone l o l.
(* "cover outputs K" and its like: fan, differences, K. *)
Definition read_mode (l : lines) : result (option (bool * bool * Z) * lines) :=
  let fan := next_is "fan" l in
  if fan || next_is "cover" l then
    do (words, l) <- line_of (if fan then "fan" else "cover") l;
    match words with
    | [kind; count] =>
        check String.eqb kind "outputs" || String.eqb kind "differences" else rejected, "the line of a cover";
        do count <- index_of count;
        Good (Some (fan, String.eqb kind "differences", count), l)
    | _ => mismatch
    end
  else Good (None, l).
Definition read_outputs (free : bool) (n o : Z) (l : lines) : result (list direction * combination * lines) :=
  do (mode, l) <- read_mode l;
  match mode with
  | None => do (axes, l) <- many o (read_direction free n) l; Good (axes, Summed, l)
  | Some (fan, differences, count) =>
      let k := o - (if differences then 1 else 0) in
      check 0 <? k else rejected, "there are no axes";
      check k <? 32 else uncovered, "there are too many cones of axes";
      do (axes, l) <- many k (read_direction free n) l;
      do (corners, l) <- many count (read_corner free n) l;
      do (cones, l) <- many (2 ^ (k - (if fan then 0 else 1))) (read_cones o) l;
      Good (axes, Covered fan differences corners cones, l)
  end.
(* The dual point, s and v row by row, and perhaps a line. *)
Definition read_point (c : context) (o : Z) (l : lines) : result (dyadic * list (list dyadic) * option (list dyadic * list dyadic) * lines) :=
  let n := row_count (set c) in
  do (found, l) <- numbers_line "dual" (1 + o * n) l;
  do (along, l) <- (if next_is "along" l then do (a, l) <- numbers_line "along" (columns (set c) + n) l; Good (Some (cut (columns (set c)) a []), l) else Good (None, l));
  match found with
  | s :: v => check dle dzero s else rejected, "the scale of the dual point is negative"; Good (s, by_rows (rows (set c)) (chunks (Z.to_nat o) n v), along, l)
  | [] => mismatch
  end.

Definition read_lower (c : context) (kind : string) (gated : bool) (o : Z) (l : lines) : result (lower_side * lines) :=
  if String.eqb kind "none" then Good (Without, l) else
  let relu_only := String.eqb kind "trees" || String.eqb kind "plane" || String.eqb kind "orthant" in
  check negb (gated && relu_only) else rejected, "this evidence is for relu networks";
  if relu_only then
    do (s, vs, along, l) <- read_point c o l;
    if String.eqb kind "plane" then Good (WithPlane s vs along, l) else
    if String.eqb kind "orthant" then do (w, l) <- numbers_line "orthant" (row_count (set c)) l; Good (WithOrthant s vs w, l) else
    do (m, l) <- (if is_free c then numbers_line "centre" (columns (set c)) l else Good ([], l));
    do (axes, how, l) <- read_outputs (is_free c) (row_count (set c)) o l;
    Good (WithTrees s vs m along axes how, l)
  else
  let all := String.eqb kind "cones" in
  check String.eqb kind "gates" || all else rejected, "there is no such evidence";
  do (s, ws, l) <- read_dual c o l;
  do l <- (if next_is "along" l then do (_, l) <- numbers_line "along" (columns (set c) + row_count (set c)) l; Good l else Good l);
  if gated then Good (WithGates all s ws [], l) else
  do (found, l) <- many (gates_listed c) (many o read_pushes) l;
  Good (WithGates all s ws found, l).

Definition claim_train (c : context) (l : lines) : result (verdict * lines) :=
  let free := is_free c in
  let d := columns (set c) in
  let o := Z.of_nat (outputs_of (rows (set c))) in
  do (words, l) <- line_of "problem" l;
  do (gated, kind, N, beta) <- read_problem words;
  do (words, l) <- line_of "bound" l;
  do (evidence, claimed) <- (match words with
                             | [evidence; U; L] => do U <- number_of U; do L <- number_of L; Good (evidence, (U, L))
                             | _ => mismatch
                             end);
  do (f, l) <- read_network gated free o d l;
  do (loss, l) <- (match kind dzero with
                   | Equality _ => do (r, l) <- numbers_line "residual" 1 l; Good (kind (match r with r :: _ => r | [] => dzero end), l)
                   | loss => Good (loss, l)
                   end);
  do (p, l) <- read_lower c evidence gated o l;
  match check_train (gate_list c) free (Z.to_nat d) (rows (set c)) loss N beta f p claimed with
  | Some (U, L) =>
      match loss with
      | Margin =>
          check dlt dzero U && dlt dzero beta && (0 <? row_count (set c)) else rejected, "a network without neurons has no margin";
          let (high, low) := as_margin beta U L in
          Good (Verdict (Largest (is_gated f) N beta (evidence_of p) (dlisted f) high low) high (Some low) (Some (f, p)), l)
      | _ => Good (Verdict (Train (is_gated f) loss N beta (evidence_of p) (dlisted f) U L) (Some U) (Some L) (Some (f, p)), l)
      end
  | None => Bad rejected "what is claimed is not proved"
  end.
