(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker as OCaml. Trusted: that zarith's operations are those named here on the left. *)
From Coq Require Import ZArith NArith String Ascii List.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlString.
From Fathom Require Import Text Check.

Extract Inductive positive => "Big.t"
  [ "(fun p -> Big.succ (Big.shift_left p 1))" "(fun p -> Big.shift_left p 1)" "Big.one" ]
  "(fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))".
Extract Inductive Z => "Big.t" [ "Big.zero" "" "Big.neg" ]
  "(fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))".
Extract Inductive N => "Big.t" [ "Big.zero" "" ]
  "(fun zero pos z -> if Big.sign z = 0 then zero () else pos z)".
Extract Inlined Constant Z.add => "Big.add".
Extract Inlined Constant Z.sub => "Big.sub".
Extract Inlined Constant Z.mul => "Big.mul".
Extract Inlined Constant Z.opp => "Big.neg".
Extract Inlined Constant Z.abs => "Big.abs".
Extract Inlined Constant Z.sgn => "(fun a -> Big.of_int (Big.sign a))".
Extract Inlined Constant Z.eqb => "Big.equal".
Extract Inlined Constant Z.leb => "Big.leq".
Extract Inlined Constant Z.ltb => "Big.lt".
Extract Inlined Constant Z.max => "Big.max".
Extract Inlined Constant Z.min => "Big.min".
Extract Inlined Constant Z.even => "Big.is_even".
Extract Inlined Constant Z.div => "(fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)".
Extract Inlined Constant Z.modulo => "(fun a b -> if Big.sign b = 0 then a else Big.sub a (Big.mul b (Big.fdiv a b)))".
Extract Inlined Constant Z.div_eucl =>
  "(fun a b -> if Big.sign b = 0 then (Big.zero, a) else let q = Big.fdiv a b in (q, Big.sub a (Big.mul b q)))".
Extract Inlined Constant Z.shiftl => "(fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))".
Extract Inlined Constant Z.shiftr => "(fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_right a k else Big.shift_left a (- k))".
Extract Inlined Constant Z.land => "Big.logand".
Extract Inlined Constant Z.lor => "Big.logor".
Extract Inlined Constant Z.lxor => "Big.logxor".
Extract Inlined Constant Z.gcd => "Big.gcd".
Extract Inlined Constant Z.testbit => "(fun a k -> Big.sign k >= 0 && Big.testbit a (Big.to_int k))".
Extract Inlined Constant Z.pow => "(fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))".
Extract Inlined Constant Z.log2 => "(fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))".
Extract Inlined Constant Z.sqrt => "(fun a -> if Big.sign a <= 0 then Big.zero else Big.sqrt a)".
Extract Inlined Constant Z.of_N => "(fun a -> a)".
Extract Inlined Constant Z.to_N => "(fun a -> if Big.sign a < 0 then Big.zero else a)".
Extract Inlined Constant N_of_ascii => "(fun c -> Big.of_int (Char.code c))".
Extract Inlined Constant ascii_of_N => "(fun k -> Char.chr (Big.to_int (Big.logand k (Big.of_int 255))))".
Extract Inlined Constant Ascii.eqb => "(fun (a : char) b -> a = b)".

Extraction "extracted/checker.ml" checked.
