(* SPDX-License-Identifier: Apache-2.0 *)
(* Bytes to lines, words and numbers. Nothing here is proved: a certificate is evidence, however it is read; what is read of
   the data is part of what a statement means (Data.v). Functions that walk over a whole file are tail-recursive. *)
From Coq Require Import ZArith List String Ascii Bool.
From Fathom Require Import Numbers.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(* Exit code and reason of what is not accepted. *)
Inductive result (A : Type) := Good (a : A) | Bad (code : Z) (why : string).
Arguments Good {A}. Arguments Bad {A}.
Definition bind {A B} (a : result A) (f : A -> result B) : result B :=
  match a with Good x => f x | Bad code why => Bad code why end.
Notation "'do' x <- a ; b" := (bind a (fun x => b)) (at level 200, x pattern, a at level 100, b at level 200).
Definition need {A} (holds : bool) (code : Z) (why : string) (a : unit -> result A) : result A :=
  if holds then a tt else Bad code why.
Notation "'check' h 'else' c , w ; b" := (need h c w (fun _ => b)) (at level 200, h at level 100, c at level 9, w at level 9, b at level 200).
Definition rejected := 4.
Definition unreadable := 5.
Definition uncovered := 6.
Fixpoint traverse {A B} (f : A -> result B) (l : list A) (made : list B) : result (list B) :=
  match l with
  | [] => Good (rev' made)
  | a :: rest => do b <- f a; traverse f rest (b :: made)
  end.

Fixpoint rev_onto (s after : string) : string :=
  match s with EmptyString => after | String c rest => rev_onto rest (String c after) end.
Fixpoint split_onto (mark : ascii) (s word : string) (found : list string) : list string :=
  match s with
  | EmptyString => rev' (rev_onto word "" :: found)
  | String c rest => if Ascii.eqb c mark then split_onto mark rest "" (rev_onto word "" :: found)
                     else split_onto mark rest (String c word) found
  end.
Definition split (mark : ascii) (s : string) : list string := split_onto mark s "" [].

Definition newline := ascii_of_nat 10.
Definition code (c : ascii) : Z := Z.of_N (N_of_ascii c).
Definition blank (c : ascii) : bool := let k := code c in (k =? 32) || (k =? 9) || (k =? 13).
Definition white (c : ascii) : bool := blank c || (code c =? 10).
Fixpoint skip (p : ascii -> bool) (s : string) : string :=
  match s with String c rest => if p c then skip p rest else s | EmptyString => s end.
Definition strip_end (p : ascii -> bool) (s : string) : string := rev_onto (skip p (rev_onto s "")) "".
Definition strip (p : ascii -> bool) (s : string) : string := strip_end p (skip p s).
Fixpoint has (mark : ascii) (s : string) : bool :=
  match s with String c rest => if Ascii.eqb c mark then true else has mark rest | EmptyString => false end.
Fixpoint size_onto (s : string) (k : Z) : Z := match s with String _ rest => size_onto rest (k + 1) | EmptyString => k end.
Definition size (s : string) : Z := size_onto s 0.

Definition digit (base : Z) (c : ascii) : option Z :=
  let k := code c in
  let v := if (48 <=? k) && (k <=? 57) then k - 48 else if (97 <=? k) && (k <=? 102) then k - 87 else 99 in
  if v <? base then Some v else None.
(* The digits at the beginning of s: the number (behind `so_far`), how many, and what follows. *)
Fixpoint digits (base : Z) (s : string) (so_far count : Z) : Z * Z * string :=
  match s with
  | String c rest => match digit base c with
                     | Some v => digits base rest (base * so_far + v) (count + 1)
                     | None => (so_far, count, s)
                     end
  | EmptyString => (so_far, count, s)
  end.
(* 1 to 18 decimal digits and nothing else. *)
Definition index (word : string) : option Z :=
  match digits 10 word 0 0 with (v, k, "") => if (1 <=? k) && (k <=? 18) then Some v else None | _ => None end.
Definition sign_of (s : string) (plus : bool) : Z * string :=
  match s with
  | String c rest => if Ascii.eqb c "-" then (-1, rest) else if plus && Ascii.eqb c "+" then (1, rest) else (1, s)
  | EmptyString => (1, s)
  end.
(* m or mpe: m 2^e, m hexadecimal, |e| <= 4000. *)
Definition number (word : string) : option dyadic :=
  let (sign, word) := sign_of word false in
  let '(m, count, rest) := digits 16 word 0 0 in
  if count =? 0 then None else
  match rest with
  | "" => Some (Dy (sign * m) 0)
  | String p power =>
      let (turn, power) := sign_of power false in
      match digits 10 power 0 0 with
      | (e, k, "") => if Ascii.eqb p "p" && (1 <=? k) && (k <=? 4) && (e <=? 4000) then Some (Dy (sign * m) (turn * e)) else None
      | _ => None
      end
  end.

(* Lines of words: a text whose last line is whole. *)
Definition words_of (text : string) : result (list (list string)) :=
  match rev' (split newline text) with
  | "" :: lines => Good (map (split " ") (rev' lines))
  | _ => Bad rejected "a certificate is text whose last line is whole"
  end.

Definition lines := list (list string).
Definition mismatch {A} : result A := Bad rejected "a line is not what was expected here".
(* The words behind the keyword of the next line. *)
Definition line_of (keyword : string) (l : lines) : result (list string * lines) :=
  match l with
  | (word :: words) :: rest => if String.eqb word keyword then Good (words, rest) else Bad rejected ("'" ++ keyword ++ "' was expected")
  | _ => Bad rejected ("'" ++ keyword ++ "' was expected")
  end.
Definition next_is (keyword : string) (l : lines) : bool :=
  match l with (word :: _) :: _ => String.eqb word keyword | _ => false end.
Definition number_of (word : string) : result dyadic :=
  match number word with Some a => Good a | None => Bad rejected ("'" ++ substring 0 40 word ++ "' is not a number m 2^e") end.
Definition index_of (word : string) : result Z :=
  match index word with Some k => Good k | None => Bad rejected ("'" ++ substring 0 40 word ++ "' is not an index") end.
Fixpoint length_onto {A} (l : list A) (k : Z) : Z := match l with [] => k | _ :: rest => length_onto rest (k + 1) end.
Definition length_of {A} (l : list A) : Z := length_onto l 0.
Definition numbers_of (count : Z) (words : list string) : result (list dyadic) :=
  check length_of words =? count else rejected, "a line has more or fewer numbers than was expected";
  traverse number_of words [].
Definition numbers_line (keyword : string) (count : Z) (l : lines) : result (list dyadic * lines) :=
  do (words, l) <- line_of keyword l;
  do found <- numbers_of count words;
  Good (found, l).
(* The first k of a list, and the rest. *)
Fixpoint cut {A} (k : Z) (l before : list A) : list A * list A :=
  match l with
  | [] => (rev' before, [])
  | a :: rest => if 0 <? k then cut (k - 1) rest (a :: before) else (rev' before, l)
  end.
Fixpoint repeat_lines {A} (fuel : list (list string)) (count : Z) (read : lines -> result (A * lines)) (l : lines) (made : list A)
  : result (list A * lines) :=
  if count <=? 0 then Good (rev' made, l) else
  match fuel with
  | [] => Bad rejected "lines are missing"
  | _ :: fuel => do (a, l) <- read l; repeat_lines fuel (count - 1) read l (a :: made)
  end.
(* `count` times what `read` reads; each takes at least a line. *)
Definition many {A} (count : Z) (read : lines -> result (A * lines)) (l : lines) : result (list A * lines) :=
  repeat_lines l count read l [].
