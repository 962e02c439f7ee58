(* The integers that the extracted checker computes with: zarith. Work is counted, in products of words of 64 bits. *)
exception Too_much
let left = ref max_int
let allow work = left := int_of_float work
let spend work = left := !left - work; if !left < 0 then raise Too_much
let product a b = spend (1 + Z.size a * Z.size b)
let power a k = spend (1 + Z.size a * k)
let shifted a k = spend (1 + Z.size a + k / 64)

include Z
let mul a b = product a b; Z.mul a b
let fdiv a b = product a b; Z.fdiv a b
let sqrt a = product a a; Z.sqrt a
let gcd a b = product a b; Z.gcd a b
let pow a k = power a k; Z.pow a k
let shift_left a k = shifted a k; Z.shift_left a k
let add a b = spend (Z.size a); Z.add a b
let sub a b = spend (Z.size a); Z.sub a b
