
let __ = let rec f _ = Obj.repr f in Obj.repr f

(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

type ('a, 'b) sum =
| Inl of 'a
| Inr of 'b

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> nat **)

let rec length = function
| [] -> O
| _ :: l' -> S (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)

type comparison =
| Eq
| Lt
| Gt

(** val compOpp : comparison -> comparison **)

let compOpp = function
| Eq -> Eq
| Lt -> Gt
| Gt -> Lt

module Coq__1 = struct
 (** val add : nat -> nat -> nat **)
 let rec add n0 m =
   match n0 with
   | O -> m
   | S p -> S (add p m)
end
include Coq__1

(** val mul : nat -> nat -> nat **)

let rec mul n0 m =
  match n0 with
  | O -> O
  | S p -> add m (mul p m)

(** val sub : nat -> nat -> nat **)

let rec sub n0 m =
  match n0 with
  | O -> n0
  | S k -> (match m with
            | O -> n0
            | S l -> sub k l)

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

module Nat =
 struct
  (** val eqb : nat -> nat -> bool **)

  let rec eqb n0 m =
    match n0 with
    | O -> (match m with
            | O -> true
            | S _ -> false)
    | S n' -> (match m with
               | O -> false
               | S m' -> eqb n' m')

  (** val leb : nat -> nat -> bool **)

  let rec leb n0 m =
    match n0 with
    | O -> true
    | S n' -> (match m with
               | O -> false
               | S m' -> leb n' m')

  (** val ltb : nat -> nat -> bool **)

  let ltb n0 m =
    leb (S n0) m
 end

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of Big.t
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val succ : Big.t -> Big.t **)

  let rec succ x =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p -> (fun p -> Big.shift_left p 1) (succ p))
      (fun p -> (fun p -> Big.succ (Big.shift_left p 1)) p)
      (fun _ -> (fun p -> Big.shift_left p 1) Big.one)
      x

  (** val add : Big.t -> Big.t -> Big.t **)

  let rec add x y =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> (fun p -> Big.shift_left p 1) (add_carry p q))
        (fun q -> (fun p -> Big.succ (Big.shift_left p 1))
        (add p q))
        (fun _ -> (fun p -> Big.shift_left p 1) (succ p))
        y)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> (fun p -> Big.succ (Big.shift_left p 1))
        (add p q))
        (fun q -> (fun p -> Big.shift_left p 1) (add p q))
        (fun _ -> (fun p -> Big.succ (Big.shift_left p 1)) p)
        y)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> (fun p -> Big.shift_left p 1) (succ q))
        (fun q -> (fun p -> Big.succ (Big.shift_left p 1)) q)
        (fun _ -> (fun p -> Big.shift_left p 1) Big.one)
        y)
      x

  (** val add_carry : Big.t -> Big.t -> Big.t **)

  and add_carry x y =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> (fun p -> Big.succ (Big.shift_left p 1))
        (add_carry p q))
        (fun q -> (fun p -> Big.shift_left p 1) (add_carry p q))
        (fun _ -> (fun p -> Big.succ (Big.shift_left p 1)) (succ p))
        y)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> (fun p -> Big.shift_left p 1) (add_carry p q))
        (fun q -> (fun p -> Big.succ (Big.shift_left p 1))
        (add p q))
        (fun _ -> (fun p -> Big.shift_left p 1) (succ p))
        y)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> (fun p -> Big.succ (Big.shift_left p 1)) (succ q))
        (fun q -> (fun p -> Big.shift_left p 1) (succ q))
        (fun _ -> (fun p -> Big.succ (Big.shift_left p 1)) Big.one)
        y)
      x

  (** val pred_double : Big.t -> Big.t **)

  let rec pred_double x =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p -> (fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1) p))
      (fun p -> (fun p -> Big.succ (Big.shift_left p 1))
      (pred_double p))
      (fun _ -> Big.one)
      x

  (** val pred_N : Big.t -> Big.t **)

  let pred_N x =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p -> ((fun p -> Big.shift_left p 1) p))
      (fun p -> (pred_double p))
      (fun _ -> Big.zero)
      x

  type mask = Pos.mask =
  | IsNul
  | IsPos of Big.t
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos Big.one
  | IsPos p -> IsPos ((fun p -> Big.succ (Big.shift_left p 1)) p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos ((fun p -> Big.shift_left p 1) p)
  | x0 -> x0

  (** val double_pred_mask : Big.t -> mask **)

  let double_pred_mask x =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p -> IsPos ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) p)))
      (fun p -> IsPos ((fun p -> Big.shift_left p 1)
      (pred_double p)))
      (fun _ -> IsNul)
      x

  (** val sub_mask : Big.t -> Big.t -> mask **)

  let rec sub_mask x y =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> double_mask (sub_mask p q))
        (fun q -> succ_double_mask (sub_mask p q))
        (fun _ -> IsPos ((fun p -> Big.shift_left p 1) p))
        y)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun q -> double_mask (sub_mask p q))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> IsNeg)
        (fun _ -> IsNeg)
        (fun _ -> IsNul)
        y)
      x

  (** val sub_mask_carry : Big.t -> Big.t -> mask **)

  and sub_mask_carry x y =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun q -> double_mask (sub_mask p q))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> double_mask (sub_mask_carry p q))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun _ -> double_pred_mask p)
        y)
      (fun _ -> IsNeg)
      x

  (** val sub : Big.t -> Big.t -> Big.t **)

  let sub x y =
    match sub_mask x y with
    | IsPos z0 -> z0
    | _ -> Big.one

  (** val mul : Big.t -> Big.t -> Big.t **)

  let rec mul x y =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p -> add y ((fun p -> Big.shift_left p 1) (mul p y)))
      (fun p -> (fun p -> Big.shift_left p 1) (mul p y))
      (fun _ -> y)
      x

  (** val iter : ('a1 -> 'a1) -> 'a1 -> Big.t -> 'a1 **)

  let rec iter f x n0 =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun n' -> f (iter f (iter f x n') n'))
      (fun n' -> iter f (iter f x n') n')
      (fun _ -> f x)
      n0

  (** val div2 : Big.t -> Big.t **)

  let div2 p =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 -> p0)
      (fun p0 -> p0)
      (fun _ -> Big.one)
      p

  (** val div2_up : Big.t -> Big.t **)

  let div2_up p =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 -> succ p0)
      (fun p0 -> p0)
      (fun _ -> Big.one)
      p

  (** val size_nat : Big.t -> nat **)

  let rec size_nat p =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 -> S (size_nat p0))
      (fun p0 -> S (size_nat p0))
      (fun _ -> S O)
      p

  (** val size : Big.t -> Big.t **)

  let rec size p =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 -> succ (size p0))
      (fun p0 -> succ (size p0))
      (fun _ -> Big.one)
      p

  (** val compare_cont : comparison -> Big.t -> Big.t -> comparison **)

  let rec compare_cont r x y =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> compare_cont r p q)
        (fun q -> compare_cont Gt p q)
        (fun _ -> Gt)
        y)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> compare_cont Lt p q)
        (fun q -> compare_cont r p q)
        (fun _ -> Gt)
        y)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun _ -> r)
        y)
      x

  (** val compare : Big.t -> Big.t -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : Big.t -> Big.t -> bool **)

  let rec eqb p q =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> eqb p0 q0)
        (fun _ -> false)
        (fun _ -> false)
        q)
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> false)
        (fun q0 -> eqb p0 q0)
        (fun _ -> false)
        q)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> false)
        (fun _ -> false)
        (fun _ -> true)
        q)
      p

  (** val leb : Big.t -> Big.t -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val sqrtrem_step :
      (Big.t -> Big.t) -> (Big.t -> Big.t) -> (Big.t * mask) -> Big.t * mask **)

  let sqrtrem_step f g = function
  | (s, y) ->
    (match y with
     | IsPos r ->
       let s' = (fun p -> Big.succ (Big.shift_left p 1))
         ((fun p -> Big.shift_left p 1) s)
       in
       let r' = g (f r) in
       if leb s' r'
       then (((fun p -> Big.succ (Big.shift_left p 1)) s), (sub_mask r' s'))
       else (((fun p -> Big.shift_left p 1) s), (IsPos r'))
     | _ ->
       (((fun p -> Big.shift_left p 1) s),
         (sub_mask (g (f Big.one)) ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.shift_left p 1) Big.one)))))

  (** val sqrtrem : Big.t -> Big.t * mask **)

  let rec sqrtrem p =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun p1 ->
        sqrtrem_step (fun x -> (fun p -> Big.succ (Big.shift_left p 1)) x)
          (fun x -> (fun p -> Big.succ (Big.shift_left p 1)) x) (sqrtrem p1))
        (fun p1 ->
        sqrtrem_step (fun x -> (fun p -> Big.shift_left p 1) x) (fun x ->
          (fun p -> Big.succ (Big.shift_left p 1)) x) (sqrtrem p1))
        (fun _ -> (Big.one, (IsPos ((fun p -> Big.shift_left p 1)
        Big.one))))
        p0)
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun p1 ->
        sqrtrem_step (fun x -> (fun p -> Big.succ (Big.shift_left p 1)) x)
          (fun x -> (fun p -> Big.shift_left p 1) x) (sqrtrem p1))
        (fun p1 ->
        sqrtrem_step (fun x -> (fun p -> Big.shift_left p 1) x) (fun x ->
          (fun p -> Big.shift_left p 1) x) (sqrtrem p1))
        (fun _ -> (Big.one, (IsPos Big.one)))
        p0)
      (fun _ -> (Big.one, IsNul))
      p

  (** val sqrt : Big.t -> Big.t **)

  let sqrt p =
    fst (sqrtrem p)

  (** val gcdn : nat -> Big.t -> Big.t -> Big.t **)

  let rec gcdn n0 a b =
    match n0 with
    | O -> Big.one
    | S n1 ->
      ((fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
         (fun a' ->
         (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
           (fun b' ->
           match compare a' b' with
           | Eq -> a
           | Lt -> gcdn n1 (sub b' a') a
           | Gt -> gcdn n1 (sub a' b') b)
           (fun b0 -> gcdn n1 a b0)
           (fun _ -> Big.one)
           b)
         (fun a0 ->
         (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
           (fun _ -> gcdn n1 a0 b)
           (fun b0 -> (fun p -> Big.shift_left p 1) (gcdn n1 a0 b0))
           (fun _ -> Big.one)
           b)
         (fun _ -> Big.one)
         a)

  (** val gcd : Big.t -> Big.t -> Big.t **)

  let gcd a b =
    gcdn (Coq__1.add (size_nat a) (size_nat b)) a b

  (** val coq_Nsucc_double : Big.t -> Big.t **)

  let coq_Nsucc_double x =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> Big.one)
      (fun p -> ((fun p -> Big.succ (Big.shift_left p 1)) p))
      x

  (** val coq_Ndouble : Big.t -> Big.t **)

  let coq_Ndouble n0 =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> Big.zero)
      (fun p -> ((fun p -> Big.shift_left p 1) p))
      n0

  (** val coq_lor : Big.t -> Big.t -> Big.t **)

  let rec coq_lor p q =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> (fun p -> Big.succ (Big.shift_left p 1))
        (coq_lor p0 q0))
        (fun q0 -> (fun p -> Big.succ (Big.shift_left p 1))
        (coq_lor p0 q0))
        (fun _ -> p)
        q)
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> (fun p -> Big.succ (Big.shift_left p 1))
        (coq_lor p0 q0))
        (fun q0 -> (fun p -> Big.shift_left p 1) (coq_lor p0 q0))
        (fun _ -> (fun p -> Big.succ (Big.shift_left p 1)) p0)
        q)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> q)
        (fun q0 -> (fun p -> Big.succ (Big.shift_left p 1)) q0)
        (fun _ -> q)
        q)
      p

  (** val coq_land : Big.t -> Big.t -> Big.t **)

  let rec coq_land p q =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> coq_Nsucc_double (coq_land p0 q0))
        (fun q0 -> coq_Ndouble (coq_land p0 q0))
        (fun _ -> Big.one)
        q)
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> coq_Ndouble (coq_land p0 q0))
        (fun q0 -> coq_Ndouble (coq_land p0 q0))
        (fun _ -> Big.zero)
        q)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> Big.one)
        (fun _ -> Big.zero)
        (fun _ -> Big.one)
        q)
      p

  (** val ldiff : Big.t -> Big.t -> Big.t **)

  let rec ldiff p q =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> coq_Ndouble (ldiff p0 q0))
        (fun q0 -> coq_Nsucc_double (ldiff p0 q0))
        (fun _ -> ((fun p -> Big.shift_left p 1) p0))
        q)
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> coq_Ndouble (ldiff p0 q0))
        (fun q0 -> coq_Ndouble (ldiff p0 q0))
        (fun _ -> p)
        q)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> Big.zero)
        (fun _ -> Big.one)
        (fun _ -> Big.zero)
        q)
      p

  (** val coq_lxor : Big.t -> Big.t -> Big.t **)

  let rec coq_lxor p q =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> coq_Ndouble (coq_lxor p0 q0))
        (fun q0 -> coq_Nsucc_double (coq_lxor p0 q0))
        (fun _ -> ((fun p -> Big.shift_left p 1) p0))
        q)
      (fun p0 ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> coq_Nsucc_double (coq_lxor p0 q0))
        (fun q0 -> coq_Ndouble (coq_lxor p0 q0))
        (fun _ -> ((fun p -> Big.succ (Big.shift_left p 1)) p0))
        q)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q0 -> ((fun p -> Big.shift_left p 1) q0))
        (fun q0 -> ((fun p -> Big.succ (Big.shift_left p 1)) q0))
        (fun _ -> Big.zero)
        q)
      p

  (** val testbit : Big.t -> Big.t -> bool **)

  let rec testbit p n0 =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> true)
        (fun n1 -> testbit p0 (pred_N n1))
        n0)
      (fun p0 ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> false)
        (fun n1 -> testbit p0 (pred_N n1))
        n0)
      (fun _ ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> true)
        (fun _ -> false)
        n0)
      p

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> Big.t -> 'a1 -> 'a1 **)

  let rec iter_op op p a =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p0 -> op a (iter_op op p0 (op a a)))
      (fun p0 -> iter_op op p0 (op a a))
      (fun _ -> a)
      p

  (** val to_nat : Big.t -> nat **)

  let to_nat x =
    iter_op Coq__1.add x (S O)

  (** val of_succ_nat : nat -> Big.t **)

  let rec of_succ_nat = function
  | O -> Big.one
  | S x -> succ (of_succ_nat x)
 end

module N =
 struct
  (** val succ_pos : Big.t -> Big.t **)

  let succ_pos n0 =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> Big.one)
      (fun p -> Coq_Pos.succ p)
      n0

  (** val add : Big.t -> Big.t -> Big.t **)

  let add n0 m =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> m)
      (fun p ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> n0)
        (fun q -> (Coq_Pos.add p q))
        m)
      n0

  (** val mul : Big.t -> Big.t -> Big.t **)

  let mul n0 m =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> Big.zero)
      (fun p ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> Big.zero)
        (fun q -> (Coq_Pos.mul p q))
        m)
      n0

  (** val coq_lor : Big.t -> Big.t -> Big.t **)

  let coq_lor n0 m =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> m)
      (fun p ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> n0)
        (fun q -> (Coq_Pos.coq_lor p q))
        m)
      n0

  (** val coq_land : Big.t -> Big.t -> Big.t **)

  let coq_land n0 m =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> Big.zero)
      (fun p ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> Big.zero)
        (fun q -> Coq_Pos.coq_land p q)
        m)
      n0

  (** val ldiff : Big.t -> Big.t -> Big.t **)

  let ldiff n0 m =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> Big.zero)
      (fun p ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> n0)
        (fun q -> Coq_Pos.ldiff p q)
        m)
      n0

  (** val coq_lxor : Big.t -> Big.t -> Big.t **)

  let coq_lxor n0 m =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> m)
      (fun p ->
      (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
        (fun _ -> n0)
        (fun q -> Coq_Pos.coq_lxor p q)
        m)
      n0

  (** val testbit : Big.t -> Big.t -> bool **)

  let testbit a n0 =
    (fun zero pos z -> if Big.sign z = 0 then zero () else pos z)
      (fun _ -> false)
      (fun p -> Coq_Pos.testbit p n0)
      a

  (** val of_nat : nat -> Big.t **)

  let of_nat = function
  | O -> Big.zero
  | S n' -> (Coq_Pos.of_succ_nat n')
 end

module Z =
 struct
  (** val double : Big.t -> Big.t **)

  let double x =
    (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
      (fun _ -> Big.zero)
      (fun p -> ((fun p -> Big.shift_left p 1) p))
      (fun p -> Big.neg ((fun p -> Big.shift_left p 1) p))
      x

  (** val succ_double : Big.t -> Big.t **)

  let succ_double x =
    (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
      (fun _ -> Big.one)
      (fun p -> ((fun p -> Big.succ (Big.shift_left p 1)) p))
      (fun p -> Big.neg (Coq_Pos.pred_double p))
      x

  (** val pred_double : Big.t -> Big.t **)

  let pred_double x =
    (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
      (fun _ -> Big.neg Big.one)
      (fun p -> (Coq_Pos.pred_double p))
      (fun p -> Big.neg ((fun p -> Big.succ (Big.shift_left p 1)) p))
      x

  (** val pos_sub : Big.t -> Big.t -> Big.t **)

  let rec pos_sub x y =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> double (pos_sub p q))
        (fun q -> succ_double (pos_sub p q))
        (fun _ -> ((fun p -> Big.shift_left p 1) p))
        y)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> pred_double (pos_sub p q))
        (fun q -> double (pos_sub p q))
        (fun _ -> (Coq_Pos.pred_double p))
        y)
      (fun _ ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun q -> Big.neg ((fun p -> Big.shift_left p 1) q))
        (fun q -> Big.neg (Coq_Pos.pred_double q))
        (fun _ -> Big.zero)
        y)
      x

  (** val pow_pos : Big.t -> Big.t -> Big.t **)

  let pow_pos z0 =
    Coq_Pos.iter (Big.mul z0) Big.one

  (** val compare : Big.t -> Big.t -> comparison **)

  let compare x y =
    (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
      (fun _ ->
      (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
        (fun _ -> Eq)
        (fun _ -> Lt)
        (fun _ -> Gt)
        y)
      (fun x' ->
      (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
        (fun _ -> Gt)
        (fun y' -> Coq_Pos.compare x' y')
        (fun _ -> Gt)
        y)
      (fun x' ->
      (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun y' -> compOpp (Coq_Pos.compare x' y'))
        y)
      x

  (** val to_nat : Big.t -> nat **)

  let to_nat z0 =
    (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
      (fun _ -> O)
      (fun p -> Coq_Pos.to_nat p)
      (fun _ -> O)
      z0

  (** val of_nat : nat -> Big.t **)

  let of_nat = function
  | O -> Big.zero
  | S n1 -> (Coq_Pos.of_succ_nat n1)

  (** val pos_div_eucl : Big.t -> Big.t -> Big.t * Big.t **)

  let rec pos_div_eucl a b =
    (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' =
        Big.add (Big.mul ((fun p -> Big.shift_left p 1) Big.one) r) Big.one
      in
      if Big.lt r' b
      then ((Big.mul ((fun p -> Big.shift_left p 1) Big.one) q), r')
      else ((Big.add (Big.mul ((fun p -> Big.shift_left p 1) Big.one) q)
              Big.one), (Big.sub r' b)))
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' = Big.mul ((fun p -> Big.shift_left p 1) Big.one) r in
      if Big.lt r' b
      then ((Big.mul ((fun p -> Big.shift_left p 1) Big.one) q), r')
      else ((Big.add (Big.mul ((fun p -> Big.shift_left p 1) Big.one) q)
              Big.one), (Big.sub r' b)))
      (fun _ ->
      if Big.leq ((fun p -> Big.shift_left p 1) Big.one) b
      then (Big.zero, Big.one)
      else (Big.one, Big.zero))
      a

  (** val odd : Big.t -> bool **)

  let odd z0 =
    (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
      (fun _ -> false)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> true)
        (fun _ -> false)
        (fun _ -> true)
        p)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> true)
        (fun _ -> false)
        (fun _ -> true)
        p)
      z0

  (** val div2 : Big.t -> Big.t **)

  let div2 z0 =
    (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
      (fun _ -> Big.zero)
      (fun p ->
      (fun odd even one p -> if Big.equal p Big.one then one () else if Big.is_odd p then odd (Big.shift_right p 1) else even (Big.shift_right p 1))
        (fun _ -> (Coq_Pos.div2 p))
        (fun _ -> (Coq_Pos.div2 p))
        (fun _ -> Big.zero)
        p)
      (fun p -> Big.neg (Coq_Pos.div2_up p))
      z0
 end

(** val hd : 'a1 -> 'a1 list -> 'a1 **)

let hd default = function
| [] -> default
| x :: _ -> x

(** val tl : 'a1 list -> 'a1 list **)

let tl = function
| [] -> []
| _ :: m -> m

(** val nth : nat -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n0 l default =
  match n0 with
  | O -> (match l with
          | [] -> default
          | x :: _ -> x)
  | S m -> (match l with
            | [] -> default
            | _ :: t -> nth m t default)

(** val nth_error : 'a1 list -> nat -> 'a1 option **)

let rec nth_error l = function
| O -> (match l with
        | [] -> None
        | x :: _ -> Some x)
| S n1 -> (match l with
           | [] -> None
           | _ :: l0 -> nth_error l0 n1)

(** val removelast : 'a1 list -> 'a1 list **)

let rec removelast = function
| [] -> []
| a :: l0 -> (match l0 with
              | [] -> []
              | _ :: _ -> a :: (removelast l0))

(** val rev_append : 'a1 list -> 'a1 list -> 'a1 list **)

let rec rev_append l l' =
  match l with
  | [] -> l'
  | a :: l0 -> rev_append l0 (a :: l')

(** val rev' : 'a1 list -> 'a1 list **)

let rev' l =
  rev_append l []

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t -> app (f x) (flat_map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t -> fold_left f t (f a0 b)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t -> f b (fold_right f a0 t)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x :: l0 -> if f x then x :: (filter f l0) else filter f l0

(** val find : ('a1 -> bool) -> 'a1 list -> 'a1 option **)

let rec find f = function
| [] -> None
| x :: tl0 -> if f x then Some x else find f tl0

(** val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec combine l l' =
  match l with
  | [] -> []
  | x :: tl0 ->
    (match l' with
     | [] -> []
     | y :: tl' -> (x, y) :: (combine tl0 tl'))

(** val seq : nat -> nat -> nat list **)

let rec seq start0 = function
| O -> []
| S len0 -> start0 :: (seq (S start0) len0)

(** val repeat : 'a1 -> nat -> 'a1 list **)

let rec repeat x = function
| O -> []
| S k -> x :: (repeat x k)

(** val zero : char **)

let zero = '\000'

(** val ascii_of_nat : nat -> char **)

let ascii_of_nat a =
  (fun k -> Char.chr (Big.to_int (Big.logand k (Big.of_int 255))))
    (N.of_nat a)



(** val eqb0 : char list -> char list -> bool **)

let rec eqb0 s1 s2 =
  match s1 with
  | [] -> (match s2 with
           | [] -> true
           | _::_ -> false)
  | c1::s1' ->
    (match s2 with
     | [] -> false
     | c2::s2' ->
       if (fun (a : char) b -> a = b) c1 c2 then eqb0 s1' s2' else false)

(** val append : char list -> char list -> char list **)

let rec append s1 s2 =
  match s1 with
  | [] -> s2
  | c::s1' -> c::(append s1' s2)

(** val length0 : char list -> nat **)

let rec length0 = function
| [] -> O
| _::s' -> S (length0 s')

(** val substring : nat -> nat -> char list -> char list **)

let rec substring n0 m s =
  match n0 with
  | O ->
    (match m with
     | O -> []
     | S m' -> (match s with
                | [] -> s
                | c::s' -> c::(substring O m' s')))
  | S n' -> (match s with
             | [] -> s
             | _::s' -> substring n' m s')

(** val prefix : char list -> char list -> bool **)

let rec prefix s1 s2 =
  match s1 with
  | [] -> true
  | a::s1' ->
    (match s2 with
     | [] -> false
     | b::s2' -> if (=) a b then prefix s1' s2' else false)

(** val string_of_list_ascii : char list -> char list **)

let rec string_of_list_ascii = function
| [] -> []
| ch :: s0 -> ch::(string_of_list_ascii s0)

(** val list_ascii_of_string : char list -> char list **)

let rec list_ascii_of_string = function
| [] -> []
| ch::s0 -> ch :: (list_ascii_of_string s0)

type dyadic = { mantissa : Big.t; exponent : Big.t }

(** val dint : Big.t -> dyadic **)

let dint k =
  { mantissa = k; exponent = Big.zero }

(** val dzero : dyadic **)

let dzero =
  dint Big.zero

(** val done0 : dyadic **)

let done0 =
  dint Big.one

(** val dadd : dyadic -> dyadic -> dyadic **)

let dadd a b =
  let { mantissa = m; exponent = e } = a in
  let { mantissa = k; exponent = f } = b in
  ((fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
     (fun _ -> b)
     (fun _ ->
     (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
       (fun _ -> a)
       (fun _ ->
       if Big.leq e f
       then { mantissa =
              (Big.add m
                ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                  k (Big.sub f e))); exponent = e }
       else { mantissa =
              (Big.add
                ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                  m (Big.sub e f)) k); exponent = f })
       (fun _ ->
       if Big.leq e f
       then { mantissa =
              (Big.add m
                ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                  k (Big.sub f e))); exponent = e }
       else { mantissa =
              (Big.add
                ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                  m (Big.sub e f)) k); exponent = f })
       k)
     (fun _ ->
     (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
       (fun _ -> a)
       (fun _ ->
       if Big.leq e f
       then { mantissa =
              (Big.add m
                ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                  k (Big.sub f e))); exponent = e }
       else { mantissa =
              (Big.add
                ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                  m (Big.sub e f)) k); exponent = f })
       (fun _ ->
       if Big.leq e f
       then { mantissa =
              (Big.add m
                ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                  k (Big.sub f e))); exponent = e }
       else { mantissa =
              (Big.add
                ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                  m (Big.sub e f)) k); exponent = f })
       k)
     m)

(** val dneg : dyadic -> dyadic **)

let dneg a =
  { mantissa = (Big.neg a.mantissa); exponent = a.exponent }

(** val dsub : dyadic -> dyadic -> dyadic **)

let dsub a b =
  dadd a (dneg b)

(** val dmul : dyadic -> dyadic -> dyadic **)

let dmul a b =
  (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
    (fun _ -> dzero)
    (fun p ->
    let m = p in
    ((fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
       (fun _ -> dzero)
       (fun p0 -> { mantissa = (Big.mul m p0); exponent =
       (Big.add a.exponent b.exponent) })
       (fun p0 -> { mantissa = (Big.mul m (Big.neg p0)); exponent =
       (Big.add a.exponent b.exponent) })
       b.mantissa))
    (fun p ->
    let m = Big.neg p in
    ((fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
       (fun _ -> dzero)
       (fun p0 -> { mantissa = (Big.mul m p0); exponent =
       (Big.add a.exponent b.exponent) })
       (fun p0 -> { mantissa = (Big.mul m (Big.neg p0)); exponent =
       (Big.add a.exponent b.exponent) })
       b.mantissa))
    a.mantissa

(** val dsgn : dyadic -> Big.t **)

let dsgn a =
  (fun a -> Big.of_int (Big.sign a)) a.mantissa

(** val dle : dyadic -> dyadic -> bool **)

let dle a b =
  Big.leq Big.zero (dsub b a).mantissa

(** val dlt : dyadic -> dyadic -> bool **)

let dlt a b =
  Big.lt Big.zero (dsub b a).mantissa

(** val deq : dyadic -> dyadic -> bool **)

let deq a b =
  Big.equal (dsub b a).mantissa Big.zero

(** val dabs : dyadic -> dyadic **)

let dabs a =
  { mantissa = (Big.abs a.mantissa); exponent = a.exponent }

(** val dmax : dyadic -> dyadic -> dyadic **)

let dmax a b =
  if dle a b then b else a

(** val dmin : dyadic -> dyadic -> dyadic **)

let dmin a b =
  if dle a b then a else b

(** val dhalf : dyadic -> dyadic **)

let dhalf a =
  { mantissa = a.mantissa; exponent = (Big.sub a.exponent Big.one) }

(** val precision : Big.t **)

let precision =
  ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))))

(** val ceil_div : Big.t -> Big.t -> Big.t **)

let ceil_div a b =
  Big.neg
    ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
      (Big.neg a) b)

(** val ddiv_up : dyadic -> dyadic -> dyadic **)

let ddiv_up a b =
  let k =
    Big.add precision
      ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
        b.mantissa)
  in
  { mantissa =
  (ceil_div
    ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
      a.mantissa k) b.mantissa); exponent =
  (Big.sub (Big.sub a.exponent b.exponent) k) }

(** val ddiv_down : dyadic -> dyadic -> dyadic **)

let ddiv_down a b =
  dneg (ddiv_up (dneg a) b)

(** val dsqrt_up : dyadic -> dyadic **)

let dsqrt_up a =
  let k =
    Big.add (Big.mul ((fun p -> Big.shift_left p 1) Big.one) precision)
      ((fun a b -> if Big.sign b = 0 then a else Big.sub a (Big.mul b (Big.fdiv a b)))
        a.exponent ((fun p -> Big.shift_left p 1) Big.one))
  in
  let m =
    (fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
      a.mantissa k
  in
  let r = (fun a -> if Big.sign a <= 0 then Big.zero else Big.sqrt a) m in
  { mantissa = (if Big.equal (Big.mul r r) m then r else Big.add r Big.one);
  exponent =
  ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
    (Big.sub a.exponent k) ((fun p -> Big.shift_left p 1) Big.one)) }

(** val double_up : dyadic -> dyadic **)

let double_up a =
  let s =
    Big.max
      (Big.sub
        (Big.add
          ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
            (Big.abs a.mantissa)) Big.one)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))
      (Big.sub (Big.neg ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        Big.one))))))))))) a.exponent)
  in
  if Big.leq s Big.zero
  then a
  else { mantissa =
         (ceil_div a.mantissa
           ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
             Big.one s)); exponent = (Big.add a.exponent s) }

(** val double_down : dyadic -> dyadic **)

let double_down a =
  dneg (double_up (dneg a))

(** val dtrim_up : Big.t -> dyadic -> dyadic **)

let dtrim_up p a =
  let s =
    Big.sub
      (Big.add
        ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
          (Big.abs a.mantissa)) Big.one) p
  in
  if Big.leq s Big.zero
  then a
  else { mantissa =
         (ceil_div a.mantissa
           ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
             Big.one s)); exponent = (Big.add a.exponent s) }

type 'a result =
| Good of 'a
| Bad of Big.t * char list

(** val bind : 'a1 result -> ('a1 -> 'a2 result) -> 'a2 result **)

let bind a f =
  match a with
  | Good x -> f x
  | Bad (code0, why) -> Bad (code0, why)

(** val need :
    bool -> Big.t -> char list -> (unit -> 'a1 result) -> 'a1 result **)

let need holds code0 why a =
  if holds then a () else Bad (code0, why)

(** val rejected : Big.t **)

let rejected =
  ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1) Big.one))

(** val unreadable : Big.t **)

let unreadable =
  ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))

(** val uncovered : Big.t **)

let uncovered =
  ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))

(** val traverse :
    ('a1 -> 'a2 result) -> 'a1 list -> 'a2 list -> 'a2 list result **)

let rec traverse f l made =
  match l with
  | [] -> Good (rev' made)
  | a :: rest -> bind (f a) (fun b -> traverse f rest (b :: made))

(** val rev_onto : char list -> char list -> char list **)

let rec rev_onto s after0 =
  match s with
  | [] -> after0
  | c::rest -> rev_onto rest (c::after0)

(** val split_onto :
    char -> char list -> char list -> char list list -> char list list **)

let rec split_onto mark s word0 found =
  match s with
  | [] -> rev' ((rev_onto word0 []) :: found)
  | c::rest ->
    if (fun (a : char) b -> a = b) c mark
    then split_onto mark rest [] ((rev_onto word0 []) :: found)
    else split_onto mark rest (c::word0) found

(** val split : char -> char list -> char list list **)

let split mark s =
  split_onto mark s [] []

(** val newline : char **)

let newline =
  ascii_of_nat (S (S (S (S (S (S (S (S (S (S O))))))))))

(** val code : char -> Big.t **)

let code c =
  (fun a -> a) ((fun c -> Big.of_int (Char.code c)) c)

(** val blank : char -> bool **)

let blank c =
  let k = code c in
  (||)
    ((||)
      (Big.equal k ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        Big.one))))))
      (Big.equal k ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        Big.one)))))
    (Big.equal k ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))

(** val white : char -> bool **)

let white c =
  (||) (blank c)
    (Big.equal (code c) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1) Big.one))))

(** val skip : (char -> bool) -> char list -> char list **)

let rec skip p s = match s with
| [] -> s
| c::rest -> if p c then skip p rest else s

(** val strip_end : (char -> bool) -> char list -> char list **)

let strip_end p s =
  rev_onto (skip p (rev_onto s [])) []

(** val strip : (char -> bool) -> char list -> char list **)

let strip p s =
  strip_end p (skip p s)

(** val has : char -> char list -> bool **)

let rec has mark = function
| [] -> false
| c::rest ->
  if (fun (a : char) b -> a = b) c mark then true else has mark rest

(** val size_onto : char list -> Big.t -> Big.t **)

let rec size_onto s k =
  match s with
  | [] -> k
  | _::rest -> size_onto rest (Big.add k Big.one)

(** val size0 : char list -> Big.t **)

let size0 s =
  size_onto s Big.zero

(** val digit : Big.t -> char -> Big.t option **)

let digit base c =
  let k = code c in
  let v =
    if (&&)
         (Big.leq ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))) k)
         (Big.leq k ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))
    then Big.sub k ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))
    else if (&&)
              (Big.leq ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
                ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
                ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))) k)
              (Big.leq k ((fun p -> Big.shift_left p 1)
                ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
                ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))))
         then Big.sub k ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.shift_left p 1)
                ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.shift_left p 1) Big.one))))))
         else ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.succ (Big.shift_left p 1))
                ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
                ((fun p -> Big.shift_left p 1)
                ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))
  in
  if Big.lt v base then Some v else None

(** val digits :
    Big.t -> char list -> Big.t -> Big.t -> (Big.t * Big.t) * char list **)

let rec digits base s so_far count =
  match s with
  | [] -> ((so_far, count), s)
  | c::rest ->
    (match digit base c with
     | Some v ->
       digits base rest (Big.add (Big.mul base so_far) v)
         (Big.add count Big.one)
     | None -> ((so_far, count), s))

(** val index : char list -> Big.t option **)

let index word0 =
  let (p, s) =
    digits ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1) Big.one))) word0 Big.zero Big.zero
  in
  let (v, k) = p in
  (match s with
   | [] ->
     if (&&) (Big.leq Big.one k)
          (Big.leq k ((fun p -> Big.shift_left p 1)
            ((fun p -> Big.succ (Big.shift_left p 1))
            ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
            Big.one)))))
     then Some v
     else None
   | _::_ -> None)

(** val sign_of : char list -> bool -> Big.t * char list **)

let sign_of s plus =
  match s with
  | [] -> (Big.one, s)
  | c::rest ->
    if (fun (a : char) b -> a = b) c '-'
    then ((Big.neg Big.one), rest)
    else if (&&) plus ((fun (a : char) b -> a = b) c '+')
         then (Big.one, rest)
         else (Big.one, s)

(** val number : char list -> dyadic option **)

let number word0 =
  let (sign, word1) = sign_of word0 false in
  let (p, rest) =
    digits ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      Big.one)))) word1 Big.zero Big.zero
  in
  let (m, count) = p in
  if Big.equal count Big.zero
  then None
  else (match rest with
        | [] -> Some { mantissa = (Big.mul sign m); exponent = Big.zero }
        | p0::power ->
          let (turn, power0) = sign_of power false in
          let (p1, s) =
            digits ((fun p -> Big.shift_left p 1)
              ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.shift_left p 1) Big.one))) power0 Big.zero
              Big.zero
          in
          let (e, k) = p1 in
          (match s with
           | [] ->
             if (&&)
                  ((&&)
                    ((&&) ((fun (a : char) b -> a = b) p0 'p')
                      (Big.leq Big.one k))
                    (Big.leq k ((fun p -> Big.shift_left p 1)
                      ((fun p -> Big.shift_left p 1) Big.one))))
                  (Big.leq e ((fun p -> Big.shift_left p 1)
                    ((fun p -> Big.shift_left p 1)
                    ((fun p -> Big.shift_left p 1)
                    ((fun p -> Big.shift_left p 1)
                    ((fun p -> Big.shift_left p 1)
                    ((fun p -> Big.succ (Big.shift_left p 1))
                    ((fun p -> Big.shift_left p 1)
                    ((fun p -> Big.succ (Big.shift_left p 1))
                    ((fun p -> Big.succ (Big.shift_left p 1))
                    ((fun p -> Big.succ (Big.shift_left p 1))
                    ((fun p -> Big.succ (Big.shift_left p 1))
                    Big.one))))))))))))
             then Some { mantissa = (Big.mul sign m); exponent =
                    (Big.mul turn e) }
             else None
           | _::_ -> None))

(** val words_of : char list -> char list list list result **)

let words_of text =
  match rev' (split newline text) with
  | [] ->
    Bad (rejected,
      ('a'::(' '::('c'::('e'::('r'::('t'::('i'::('f'::('i'::('c'::('a'::('t'::('e'::(' '::('i'::('s'::(' '::('t'::('e'::('x'::('t'::(' '::('w'::('h'::('o'::('s'::('e'::(' '::('l'::('a'::('s'::('t'::(' '::('l'::('i'::('n'::('e'::(' '::('i'::('s'::(' '::('w'::('h'::('o'::('l'::('e'::[])))))))))))))))))))))))))))))))))))))))))))))))
  | s :: lines0 ->
    (match s with
     | [] -> Good (map (split ' ') (rev' lines0))
     | _::_ ->
       Bad (rejected,
         ('a'::(' '::('c'::('e'::('r'::('t'::('i'::('f'::('i'::('c'::('a'::('t'::('e'::(' '::('i'::('s'::(' '::('t'::('e'::('x'::('t'::(' '::('w'::('h'::('o'::('s'::('e'::(' '::('l'::('a'::('s'::('t'::(' '::('l'::('i'::('n'::('e'::(' '::('i'::('s'::(' '::('w'::('h'::('o'::('l'::('e'::[]))))))))))))))))))))))))))))))))))))))))))))))))

type lines = char list list list

(** val mismatch : 'a1 result **)

let mismatch =
  Bad (rejected,
    ('a'::(' '::('l'::('i'::('n'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('w'::('h'::('a'::('t'::(' '::('w'::('a'::('s'::(' '::('e'::('x'::('p'::('e'::('c'::('t'::('e'::('d'::(' '::('h'::('e'::('r'::('e'::[])))))))))))))))))))))))))))))))))))))

(** val line_of : char list -> lines -> (char list list * lines) result **)

let line_of keyword = function
| [] ->
  Bad (rejected,
    (append ('\''::[])
      (append keyword
        ('\''::(' '::('w'::('a'::('s'::(' '::('e'::('x'::('p'::('e'::('c'::('t'::('e'::('d'::[])))))))))))))))))
| l0 :: rest ->
  (match l0 with
   | [] ->
     Bad (rejected,
       (append ('\''::[])
         (append keyword
           ('\''::(' '::('w'::('a'::('s'::(' '::('e'::('x'::('p'::('e'::('c'::('t'::('e'::('d'::[])))))))))))))))))
   | word0 :: words0 ->
     if eqb0 word0 keyword
     then Good (words0, rest)
     else Bad (rejected,
            (append ('\''::[])
              (append keyword
                ('\''::(' '::('w'::('a'::('s'::(' '::('e'::('x'::('p'::('e'::('c'::('t'::('e'::('d'::[]))))))))))))))))))

(** val next_is : char list -> lines -> bool **)

let next_is keyword = function
| [] -> false
| l0 :: _ -> (match l0 with
              | [] -> false
              | word0 :: _ -> eqb0 word0 keyword)

(** val number_of : char list -> dyadic result **)

let number_of word0 =
  match number word0 with
  | Some a -> Good a
  | None ->
    Bad (rejected,
      (append ('\''::[])
        (append
          (substring O (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
            (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
            O)))))))))))))))))))))))))))))))))))))))) word0)
          ('\''::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::(' '::('n'::('u'::('m'::('b'::('e'::('r'::(' '::('m'::(' '::('2'::('^'::('e'::[]))))))))))))))))))))))))))

(** val index_of : char list -> Big.t result **)

let index_of word0 =
  match index word0 with
  | Some k -> Good k
  | None ->
    Bad (rejected,
      (append ('\''::[])
        (append
          (substring O (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
            (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
            O)))))))))))))))))))))))))))))))))))))))) word0)
          ('\''::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::('n'::(' '::('i'::('n'::('d'::('e'::('x'::[]))))))))))))))))))))

(** val length_onto : 'a1 list -> Big.t -> Big.t **)

let rec length_onto l k =
  match l with
  | [] -> k
  | _ :: rest -> length_onto rest (Big.add k Big.one)

(** val length_of : 'a1 list -> Big.t **)

let length_of l =
  length_onto l Big.zero

(** val numbers_of : Big.t -> char list list -> dyadic list result **)

let numbers_of count words0 =
  need (Big.equal (length_of words0) count) rejected
    ('a'::(' '::('l'::('i'::('n'::('e'::(' '::('h'::('a'::('s'::(' '::('m'::('o'::('r'::('e'::(' '::('o'::('r'::(' '::('f'::('e'::('w'::('e'::('r'::(' '::('n'::('u'::('m'::('b'::('e'::('r'::('s'::(' '::('t'::('h'::('a'::('n'::(' '::('w'::('a'::('s'::(' '::('e'::('x'::('p'::('e'::('c'::('t'::('e'::('d'::[]))))))))))))))))))))))))))))))))))))))))))))))))))
    (fun _ -> traverse number_of words0 [])

(** val numbers_line :
    char list -> Big.t -> lines -> (dyadic list * lines) result **)

let numbers_line keyword count l =
  bind (line_of keyword l) (fun pat ->
    let (words0, l0) = pat in
    bind (numbers_of count words0) (fun found -> Good (found, l0)))

(** val cut : Big.t -> 'a1 list -> 'a1 list -> 'a1 list * 'a1 list **)

let rec cut k l before0 =
  match l with
  | [] -> ((rev' before0), [])
  | a :: rest ->
    if Big.lt Big.zero k
    then cut (Big.sub k Big.one) rest (a :: before0)
    else ((rev' before0), l)

(** val repeat_lines :
    char list list list -> Big.t -> (lines -> ('a1 * lines) result) -> lines
    -> 'a1 list -> ('a1 list * lines) result **)

let rec repeat_lines fuel count read0 l made =
  if Big.leq count Big.zero
  then Good ((rev' made), l)
  else (match fuel with
        | [] ->
          Bad (rejected,
            ('l'::('i'::('n'::('e'::('s'::(' '::('a'::('r'::('e'::(' '::('m'::('i'::('s'::('s'::('i'::('n'::('g'::[]))))))))))))))))))
        | _ :: fuel0 ->
          bind (read0 l) (fun pat ->
            let (a, l0) = pat in
            repeat_lines fuel0 (Big.sub count Big.one) read0 l0 (a :: made)))

(** val many :
    Big.t -> (lines -> ('a1 * lines) result) -> lines -> ('a1 list * lines)
    result **)

let many count read0 l =
  repeat_lines l count read0 l []

(** val half_even : Big.t -> Big.t -> Big.t **)

let half_even a b =
  let (q, r) =
    (fun a b -> if Big.sign b = 0 then (Big.zero, a) else let q = Big.fdiv a b in (q, Big.sub a (Big.mul b q)))
      a b
  in
  if (||) (Big.lt (Big.mul ((fun p -> Big.shift_left p 1) Big.one) r) b)
       ((&&)
         (Big.equal (Big.mul ((fun p -> Big.shift_left p 1) Big.one) r) b)
         (Big.is_even q))
  then q
  else Big.add q Big.one

(** val scaled : Big.t -> Big.t -> Big.t -> Big.t * Big.t **)

let scaled a b t =
  if Big.leq Big.zero t
  then (a,
         ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
           b t))
  else (((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
          a (Big.neg t)), b)

(** val nearest_exponent : Big.t -> Big.t -> Big.t **)

let nearest_exponent a b =
  let t =
    Big.max (Big.neg ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      Big.one)))))))))))
      (Big.sub
        (Big.sub
          ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
            a)
          ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
            b)) ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))
  in
  let (p, q) = scaled a b t in
  if Big.lt
       ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b) p q)
       ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
         ((fun p -> Big.shift_left p 1) Big.one)
         ((fun p -> Big.succ (Big.shift_left p 1))
         ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1))
         ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))
  then t
  else Big.add t Big.one

(** val nearest : Big.t -> Big.t -> dyadic **)

let nearest a b =
  if Big.equal a Big.zero
  then dzero
  else let t = nearest_exponent a b in
       let (p, q) = scaled a b t in
       { mantissa = (half_even p q); exponent = t }

(** val finite : dyadic -> bool **)

let finite a =
  Big.lt
    (Big.add
      ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
        (Big.abs a.mantissa)) a.exponent) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) Big.one))))))))))

(** val ratio : Big.t -> Big.t -> Big.t -> dyadic option **)

let ratio sign a b =
  let r = nearest a b in
  if finite r
  then Some { mantissa = (Big.mul sign r.mantissa); exponent = r.exponent }
  else None

(** val rounded : dyadic -> dyadic option **)

let rounded p =
  let { mantissa = m; exponent = e } = p in
  if Big.leq Big.zero e
  then ratio ((fun a -> Big.of_int (Big.sign a)) m)
         ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
           (Big.abs m) e) Big.one
  else ratio ((fun a -> Big.of_int (Big.sign a)) m) (Big.abs m)
         ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
           Big.one (Big.neg e))

(** val quotient : dyadic -> dyadic -> dyadic option **)

let quotient p q =
  let e = Big.sub p.exponent q.exponent in
  let m = Big.abs p.mantissa in
  if Big.equal q.mantissa Big.zero
  then None
  else if Big.leq Big.zero e
       then ratio ((fun a -> Big.of_int (Big.sign a)) p.mantissa)
              ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                m e) q.mantissa
       else ratio ((fun a -> Big.of_int (Big.sign a)) p.mantissa) m
              ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
                q.mantissa (Big.neg e))

(** val root : dyadic -> dyadic option **)

let root p =
  let k =
    Big.add
      (Big.mul ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        Big.one)))))))))) ((fun p -> Big.shift_left p 1) Big.one))
      ((fun a b -> if Big.sign b = 0 then a else Big.sub a (Big.mul b (Big.fdiv a b)))
        p.exponent ((fun p -> Big.shift_left p 1) Big.one))
  in
  let m =
    (fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
      p.mantissa k
  in
  let r = (fun a -> if Big.sign a <= 0 then Big.zero else Big.sqrt a) m in
  rounded { mantissa =
    (Big.add (Big.mul ((fun p -> Big.shift_left p 1) Big.one) r)
      (if Big.equal (Big.mul r r) m then Big.zero else Big.one)); exponent =
    (Big.sub
      ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
        (Big.sub p.exponent k) ((fun p -> Big.shift_left p 1) Big.one))
      Big.one) }

type field = { decimal : Big.t; tens : Big.t; nearest_double : dyadic }

(** val field_of : Big.t -> Big.t -> Big.t -> field option **)

let field_of m e length1 =
  if (||) (Big.equal m Big.zero)
       (Big.lt (Big.add e length1) (Big.neg ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1))
         ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))))))
  then Some { decimal = m; tens = e; nearest_double = dzero }
  else if Big.lt ((fun p -> Big.shift_left p 1)
            ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
            ((fun p -> Big.shift_left p 1)
            ((fun p -> Big.succ (Big.shift_left p 1))
            ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
            ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))))
            (Big.add e length1)
       then None
       else (match if Big.leq Big.zero e
                   then ratio ((fun a -> Big.of_int (Big.sign a)) m)
                          (Big.mul (Big.abs m)
                            ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
                              ((fun p -> Big.shift_left p 1)
                              ((fun p -> Big.succ (Big.shift_left p 1))
                              ((fun p -> Big.shift_left p 1) Big.one))) e))
                          Big.one
                   else ratio ((fun a -> Big.of_int (Big.sign a)) m)
                          (Big.abs m)
                          ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
                            ((fun p -> Big.shift_left p 1)
                            ((fun p -> Big.succ (Big.shift_left p 1))
                            ((fun p -> Big.shift_left p 1) Big.one)))
                            (Big.neg e)) with
             | Some value ->
               Some { decimal = m; tens = e; nearest_double = value }
             | None -> None)

(** val plain : char list -> field option **)

let plain word0 =
  let (sign, word1) = sign_of word0 true in
  let (p, rest) =
    digits ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1) Big.one))) word1 Big.zero Big.zero
  in
  let (whole0, before0) = p in
  let (p0, rest0) =
    match rest with
    | [] -> ((whole0, Big.zero), rest)
    | c::more ->
      if (fun (a : char) b -> a = b) c '.'
      then digits ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.shift_left p 1) Big.one))) more whole0 Big.zero
      else ((whole0, Big.zero), rest)
  in
  let (m, after0) = p0 in
  if Big.equal (Big.add before0 after0) Big.zero
  then None
  else (match rest0 with
        | [] ->
          field_of (Big.mul sign m) (Big.neg after0) (Big.add before0 after0)
        | c::more ->
          let (turn, more0) = sign_of more true in
          let (p1, s) =
            digits ((fun p -> Big.shift_left p 1)
              ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.shift_left p 1) Big.one))) more0 Big.zero
              Big.zero
          in
          let (e, k) = p1 in
          (match s with
           | [] ->
             if (&&)
                  ((||) ((fun (a : char) b -> a = b) c 'e')
                    ((fun (a : char) b -> a = b) c 'E')) (Big.leq Big.one k)
             then field_of (Big.mul sign m) (Big.sub (Big.mul turn e) after0)
                    (Big.add before0 after0)
             else None
           | _::_ -> None))

type line = { fields : field list; label : (field list, char list) sum;
              mass : dyadic }

(** val one_field : field **)

let one_field =
  { decimal = Big.one; tens = Big.zero; nearest_double = done0 }

(** val nth_field : Big.t -> char list list -> char list option **)

let rec nth_field k = function
| [] -> None
| w :: rest ->
  if Big.equal k Big.zero then Some w else nth_field (Big.sub k Big.one) rest

(** val without :
    Big.t -> Big.t -> Big.t -> char list list -> char list list **)

let rec without k target weights = function
| [] -> []
| w :: rest ->
  if (||) (Big.equal k target) (Big.equal k weights)
  then without (Big.add k Big.one) target weights rest
  else w :: (without (Big.add k Big.one) target weights rest)

(** val plain_of : char list -> field result **)

let plain_of word0 =
  match plain word0 with
  | Some a -> Good a
  | None ->
    Bad (unreadable,
      ('a'::(' '::('f'::('i'::('e'::('l'::('d'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::(' '::('p'::('l'::('a'::('i'::('n'::(' '::('f'::('i'::('n'::('i'::('t'::('e'::(' '::('n'::('u'::('m'::('b'::('e'::('r'::[])))))))))))))))))))))))))))))))))))))))))))))))))

(** val row_words : char list -> char list list **)

let row_words text =
  map (strip blank) (split ',' text)

(** val csv_row :
    Big.t -> Big.t -> Big.t -> bool -> char list -> line result **)

let csv_row columns0 target weights texts text =
  let words0 = row_words text in
  need (Big.equal (length_of words0) columns0) unreadable
    ('a'::(' '::('r'::('o'::('w'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('h'::('a'::('s'::(' '::('t'::('o'::('o'::(' '::('m'::('a'::('n'::('y'::(' '::('o'::('r'::(' '::('t'::('o'::('o'::(' '::('f'::('e'::('w'::(' '::('f'::('i'::('e'::('l'::('d'::('s'::[]))))))))))))))))))))))))))))))))))))))))))))))))
    (fun _ ->
    bind (traverse plain_of (without Big.zero target weights words0) [])
      (fun xs ->
      bind
        (match nth_field target words0 with
         | Some w ->
           if texts
           then Good (Inr w)
           else bind (plain_of w) (fun a -> Good (Inl (a :: [])))
         | None ->
           Bad (rejected,
             ('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('c'::('o'::('l'::('u'::('m'::('n'::(' '::('o'::('f'::(' '::('t'::('a'::('r'::('g'::('e'::('t'::('s'::[]))))))))))))))))))))))))))))))))))))
        (fun y ->
        bind
          (match nth_field weights words0 with
           | Some w -> plain_of w
           | None ->
             if Big.equal weights (Big.neg Big.one)
             then Good one_field
             else Bad (rejected,
                    ('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('c'::('o'::('l'::('u'::('m'::('n'::(' '::('o'::('f'::(' '::('w'::('e'::('i'::('g'::('h'::('t'::('s'::[]))))))))))))))))))))))))))))))))))))
          (fun c -> Good { fields = xs; label = y; mass = c.nearest_double }))))

(** val is_text : char list -> bool **)

let is_text word0 =
  match plain word0 with
  | Some _ -> false
  | None -> true

(** val read_csv : bool -> Big.t -> Big.t -> char list -> line list result **)

let read_csv header target weights data =
  need
    (negb
      ((||) (has (ascii_of_nat O) data)
        (has
          (ascii_of_nat (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
            (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
            O))))))))))))))))))))))))))))))))))) data))) unreadable
    ('t'::('h'::('i'::('s'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('p'::('l'::('a'::('i'::('n'::(' '::('t'::('a'::('b'::('l'::('e'::[]))))))))))))))))))))))
    (fun _ ->
    let all = split newline (strip_end white data) in
    let columns0 =
      match all with
      | [] -> Big.zero
      | first :: _ -> length_of (row_words first)
    in
    need
      ((&&) ((&&) (Big.leq Big.zero target) (Big.lt target columns0))
        (Big.lt weights columns0)) rejected
      ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('h'::('a'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('c'::('o'::('l'::('u'::('m'::('n'::[])))))))))))))))))))))))))))
      (fun _ ->
      need (negb (Big.equal target weights)) rejected
        ('t'::('h'::('e'::(' '::('t'::('a'::('r'::('g'::('e'::('t'::('s'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::(' '::('w'::('e'::('i'::('g'::('h'::('t'::('s'::[]))))))))))))))))))))))))))
        (fun _ ->
        bind
          (match all with
           | [] ->
             if header
             then Bad (rejected,
                    ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::('\''::('s'::(' '::('f'::('i'::('r'::('s'::('t'::(' '::('l'::('i'::('n'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::(' '::('h'::('e'::('a'::('d'::('e'::('r'::[]))))))))))))))))))))))))))))))))))))))
             else Good all
           | first :: rest ->
             (match rest with
              | [] ->
                if header
                then Bad (rejected,
                       ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::('\''::('s'::(' '::('f'::('i'::('r'::('s'::('t'::(' '::('l'::('i'::('n'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::(' '::('h'::('e'::('a'::('d'::('e'::('r'::[]))))))))))))))))))))))))))))))))))))))
                else Good all
              | _ :: _ ->
                if header
                then if existsb is_text (row_words first)
                     then Good (tl all)
                     else Bad (rejected,
                            ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::('\''::('s'::(' '::('f'::('i'::('r'::('s'::('t'::(' '::('l'::('i'::('n'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::(' '::('h'::('e'::('a'::('d'::('e'::('r'::[]))))))))))))))))))))))))))))))))))))))
                else Good all)) (fun rows0 ->
          let texts =
            match rows0 with
            | [] -> false
            | first :: _ ->
              (match nth_field target (row_words first) with
               | Some w -> is_text w
               | None -> false)
          in
          need
            (Big.lt Big.one
              (Big.sub columns0
                (if Big.equal weights (Big.neg Big.one)
                 then Big.zero
                 else Big.one))) unreadable
            ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('h'::('a'::('s'::(' '::('n'::('o'::(' '::('c'::('o'::('l'::('u'::('m'::('n'::('s'::[])))))))))))))))))))))))
            (fun _ ->
            traverse (csv_row columns0 target weights texts) rows0 [])))))

(** val not_empty : char list -> bool **)

let not_empty s =
  negb (eqb0 s [])

(** val svm_words : char list -> char list list **)

let svm_words text =
  let text0 = match split '#' text with
              | [] -> []
              | first :: _ -> first in
  let tabs = fun c -> if blank c then ' ' else c in
  let flat =
    let rec flat s = match s with
    | [] -> s
    | c::rest -> (tabs c)::(flat rest)
    in flat
  in
  filter not_empty (split ' ' (flat text0))

(** val zero_field : field **)

let zero_field =
  { decimal = Big.zero; tens = Big.zero; nearest_double = dzero }

(** val zeros : nat -> field list **)

let rec zeros = function
| O -> []
| S k -> zero_field :: (zeros k)

(** val svm_fields :
    char list list -> Big.t -> Big.t -> field list -> field list result **)

let rec svm_fields words0 at_column columns0 made =
  match words0 with
  | [] ->
    Good (rev' (app (zeros (Z.to_nat (Big.sub columns0 at_column))) made))
  | word0 :: rest ->
    (match split ':' word0 with
     | [] ->
       Bad (unreadable,
         ('a'::('n'::(' '::('e'::('n'::('t'::('r'::('y'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('i'::('n'::('d'::('e'::('x'::(':'::('v'::('a'::('l'::('u'::('e'::[]))))))))))))))))))))))))))))))))))))))))
     | k :: l ->
       (match l with
        | [] ->
          Bad (unreadable,
            ('a'::('n'::(' '::('e'::('n'::('t'::('r'::('y'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('i'::('n'::('d'::('e'::('x'::(':'::('v'::('a'::('l'::('u'::('e'::[]))))))))))))))))))))))))))))))))))))))))
        | value :: l0 ->
          (match l0 with
           | [] ->
             (match index k with
              | Some k0 ->
                (match plain value with
                 | Some a ->
                   need ((&&) (Big.lt at_column k0) (Big.leq k0 columns0))
                     unreadable
                     ('i'::('n'::('d'::('i'::('c'::('e'::('s'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('a'::('s'::('c'::('e'::('n'::('d'::('i'::('n'::('g'::[])))))))))))))))))))))))))))))))))))))
                     (fun _ ->
                     svm_fields rest k0 columns0
                       (a :: (app
                               (zeros
                                 (Z.to_nat
                                   (Big.sub (Big.sub k0 at_column) Big.one)))
                               made)))
                 | None ->
                   Bad (unreadable,
                     ('a'::('n'::(' '::('e'::('n'::('t'::('r'::('y'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('i'::('n'::('d'::('e'::('x'::(':'::('v'::('a'::('l'::('u'::('e'::[])))))))))))))))))))))))))))))))))))))))))
              | None ->
                Bad (unreadable,
                  ('a'::('n'::(' '::('e'::('n'::('t'::('r'::('y'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('i'::('n'::('d'::('e'::('x'::(':'::('v'::('a'::('l'::('u'::('e'::[])))))))))))))))))))))))))))))))))))))))))
           | _ :: _ ->
             Bad (unreadable,
               ('a'::('n'::(' '::('e'::('n'::('t'::('r'::('y'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('i'::('n'::('d'::('e'::('x'::(':'::('v'::('a'::('l'::('u'::('e'::[])))))))))))))))))))))))))))))))))))))))))))

(** val svm_row : Big.t -> char list list -> line result **)

let svm_row columns0 = function
| [] ->
  Bad (unreadable,
    ('a'::(' '::('r'::('o'::('w'::(' '::('i'::('s'::(' '::('e'::('m'::('p'::('t'::('y'::[])))))))))))))))
| first :: rest ->
  bind (plain_of first) (fun y ->
    bind (svm_fields rest Big.zero columns0 []) (fun xs -> Good { fields =
      xs; label = (Inl (y :: [])); mass = done0 }))

(** val read_libsvm : Big.t -> char list -> line list result **)

let read_libsvm columns0 data =
  need (negb (has (ascii_of_nat O) data)) unreadable
    ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('h'::('a'::('s'::(' '::('a'::(' '::('z'::('e'::('r'::('o'::(' '::('b'::('y'::('t'::('e'::[]))))))))))))))))))))))))
    (fun _ ->
    let rows0 =
      filter (fun words0 -> match words0 with
                            | [] -> false
                            | _ :: _ -> true)
        (map svm_words (split newline data))
    in
    need (Big.lt Big.zero columns0) rejected
      ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('h'::('a'::('s'::(' '::('n'::('o'::(' '::('c'::('o'::('l'::('u'::('m'::('n'::('s'::[])))))))))))))))))))))))
      (fun _ ->
      need
        (Big.lt (Big.mul columns0 (length_of rows0))
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          Big.one))))))))))))))))))))))))) uncovered
        ('t'::('h'::('e'::(' '::('t'::('a'::('b'::('l'::('e'::(' '::('i'::('s'::(' '::('t'::('o'::('o'::(' '::('l'::('a'::('r'::('g'::('e'::[]))))))))))))))))))))))
        (fun _ ->
        need (Big.lt Big.zero (length_of rows0)) unreadable
          ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('h'::('a'::('s'::(' '::('n'::('o'::(' '::('r'::('o'::('w'::('s'::[]))))))))))))))))))))
          (fun _ -> traverse (svm_row columns0) rows0 []))))

type layout =
| Csv of bool * Big.t * Big.t
| Libsvm of Big.t
| Npy

type coding =
| Plain
| Index
| Signs
| Columns

type names =
| Numbers of dyadic list
| Texts of char list list

type normalisation =
| Raw
| Unit
| Standardize

type biases =
| NoBias
| Augment
| Free

type source = { layout_of : layout; ranges : (Big.t * Big.t) list;
                coding_of : coding; names_of : names;
                normalise : normalisation; bias : biases; decimals : 
                bool }

(** val count_names : names -> Big.t **)

let count_names = function
| Numbers v -> length_of v
| Texts v -> length_of v

(** val place : ('a1 -> bool) -> 'a1 list -> Big.t -> Big.t option **)

let rec place same l k =
  match l with
  | [] -> None
  | a :: rest ->
    if same a then Some k else place same rest (Big.add k Big.one)

(** val class_of : names -> (field list, char list) sum -> Big.t option **)

let class_of l target =
  match l with
  | Numbers v ->
    (match target with
     | Inl l0 ->
       (match l0 with
        | [] -> None
        | a :: l1 ->
          (match l1 with
           | [] -> place (deq a.nearest_double) v Big.zero
           | _ :: _ -> None))
     | Inr _ -> None)
  | Texts v ->
    (match target with
     | Inl _ -> None
     | Inr s -> place (eqb0 s) v Big.zero)

(** val unit_vector : nat -> Big.t -> dyadic list **)

let rec unit_vector count k =
  match count with
  | O -> []
  | S m ->
    (if Big.equal k Big.zero then done0 else dzero) :: (unit_vector m
                                                         (Big.sub k Big.one))

(** val target_of : source -> line -> dyadic list option **)

let target_of s r =
  match s.coding_of with
  | Plain ->
    (match r.label with
     | Inl l -> Some (map (fun f -> f.nearest_double) l)
     | Inr _ -> None)
  | Index ->
    (match class_of s.names_of r.label with
     | Some k -> Some ((dint k) :: [])
     | None -> None)
  | Signs ->
    (match class_of s.names_of r.label with
     | Some k ->
       Some
         ((dint
            (Big.sub (Big.mul ((fun p -> Big.shift_left p 1) Big.one) k)
              Big.one)) :: [])
     | None -> None)
  | Columns ->
    (match class_of s.names_of r.label with
     | Some k -> Some (unit_vector (Z.to_nat (count_names s.names_of)) k)
     | None -> None)

(** val lift2 :
    (dyadic -> dyadic -> dyadic option) -> dyadic option -> dyadic option ->
    dyadic option **)

let lift2 f a b =
  match a with
  | Some p -> (match b with
               | Some q -> f p q
               | None -> None)
  | None -> None

(** val add64 : dyadic -> dyadic -> dyadic option **)

let add64 a b =
  rounded (dadd a b)

(** val mul64 : dyadic -> dyadic -> dyadic option **)

let mul64 a b =
  rounded (dmul a b)

(** val sum64 : dyadic list -> dyadic option **)

let sum64 l =
  fold_left (fun s a -> lift2 add64 s (Some a)) l (Some dzero)

(** val squares64 : dyadic list -> dyadic option **)

let squares64 l =
  fold_left (fun s a -> lift2 add64 s (mul64 a a)) l (Some dzero)

(** val all_some : 'a1 option list -> 'a1 list option **)

let all_some l =
  fold_right (fun a l0 ->
    match a with
    | Some p -> (match l0 with
                 | Some q -> Some (p :: q)
                 | None -> None)
    | None -> None) (Some []) l

(** val is_zero : dyadic -> bool **)

let is_zero a =
  Big.equal a.mantissa Big.zero

(** val over : dyadic list -> dyadic option -> dyadic list option **)

let over l length1 =
  if forallb is_zero l
  then Some l
  else (match length1 with
        | Some s -> all_some (map (fun a -> quotient a s) l)
        | None -> None)

(** val unit_row : dyadic list -> dyadic list option **)

let unit_row l =
  over l (match squares64 l with
          | Some s -> root s
          | None -> None)

(** val standard_column : dyadic list -> dyadic list option **)

let standard_column l =
  let count = dint (length_of l) in
  let mean =
    match l with
    | [] -> None
    | a :: rest ->
      if forallb (deq a) rest
      then Some a
      else lift2 quotient (sum64 l) (Some count)
  in
  (match mean with
   | Some m ->
     (match all_some (map (fun a -> rounded (dsub a m)) l) with
      | Some l0 ->
        over l0
          (match lift2 quotient (squares64 l0) (Some count) with
           | Some s -> root s
           | None -> None)
      | None -> None)
   | None -> None)

(** val transpose : nat -> dyadic list list -> dyadic list list **)

let rec transpose width0 l =
  match width0 with
  | O -> []
  | S k -> (map (hd dzero) l) :: (transpose k (map tl l))

(** val standardized : dyadic list list -> dyadic list list option **)

let standardized x =
  let d = match x with
          | [] -> O
          | row :: _ -> length row in
  (match all_some (map standard_column (transpose d x)) with
   | Some columns0 -> Some (transpose (length x) columns0)
   | None -> None)

(** val drop_tens : nat -> Big.t -> Big.t -> Big.t * Big.t **)

let rec drop_tens fuel m e =
  match fuel with
  | O -> (m, e)
  | S k ->
    if Big.equal
         ((fun a b -> if Big.sign b = 0 then a else Big.sub a (Big.mul b (Big.fdiv a b)))
           m ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.shift_left p 1) Big.one)))) Big.zero
    then drop_tens k
           ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b) m
             ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.shift_left p 1) Big.one)))) (Big.add e Big.one)
    else (m, e)

(** val lowest_terms : field -> Big.t * Big.t **)

let lowest_terms a =
  if Big.equal a.decimal Big.zero
  then (Big.zero, Big.zero)
  else drop_tens
         (Z.to_nat
           ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
             (Big.abs a.decimal))) a.decimal a.tens

(** val whole : field list -> dyadic list result **)

let whole row =
  let terms = map lowest_terms row in
  let powers =
    map snd (filter (fun t -> negb (Big.equal (fst t) Big.zero)) terms)
  in
  let least0 =
    match powers with
    | [] -> Big.zero
    | e :: rest -> fold_left Big.min rest e
  in
  need
    (forallb (fun e ->
      Big.lt (Big.sub e least0) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1) Big.one)))))))))))) powers) uncovered
    ('t'::('h'::('e'::(' '::('s'::('i'::('z'::('e'::('s'::(' '::('o'::('f'::(' '::('a'::(' '::('r'::('o'::('w'::('\''::('s'::(' '::('n'::('u'::('m'::('b'::('e'::('r'::('s'::(' '::('a'::('r'::('e'::(' '::('t'::('o'::('o'::(' '::('d'::('i'::('f'::('f'::('e'::('r'::('e'::('n'::('t'::[]))))))))))))))))))))))))))))))))))))))))))))))
    (fun _ -> Good
    (map (fun t ->
      if Big.equal (fst t) Big.zero
      then dzero
      else dint
             (Big.mul (fst t)
               ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
                 ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.succ (Big.shift_left p 1))
                 ((fun p -> Big.shift_left p 1) Big.one)))
                 (Big.sub (snd t) least0)))) terms))

(** val from : Big.t -> 'a1 list -> 'a1 list **)

let rec from k l = match l with
| [] -> []
| _ :: rest -> if Big.lt Big.zero k then from (Big.sub k Big.one) rest else l

(** val indexed : Big.t -> 'a1 list -> (Big.t * 'a1) list **)

let rec indexed k = function
| [] -> []
| a :: rest -> (k, a) :: (indexed (Big.add k Big.one) rest)

(** val in_range :
    (Big.t * line) list -> (Big.t * Big.t) -> (Big.t * line) list **)

let in_range l range =
  fst (cut (Big.sub (snd range) (fst range)) (from (fst range) l) [])

type drow = { dpoint : dyadic list; dtarget : dyadic list; dweight : dyadic }

type dataset = { rows_of_file : Big.t; kept : Big.t list; columns : Big.t;
                 rows : drow list }

(** val points : source -> line list -> dyadic list list result **)

let points s l =
  if s.decimals
  then traverse (fun r ->
         whole
           (app r.fields
             (match s.bias with
              | Augment -> one_field :: []
              | _ -> []))) l []
  else let x = map (fun r -> map (fun f -> f.nearest_double) r.fields) l in
       (match match s.normalise with
              | Raw -> Some x
              | Unit -> all_some (map unit_row x)
              | Standardize -> standardized x with
        | Some x0 ->
          Good
            (map (fun row ->
              app row (match s.bias with
                       | Augment -> done0 :: []
                       | _ -> [])) x0)
        | None ->
          Bad (unreadable,
            ('a'::(' '::('r'::('o'::('w'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('n'::('o'::('r'::('m'::('a'::('l'::('i'::('s'::('e'::('d'::(' '::('d'::('a'::('t'::('a'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('f'::('i'::('n'::('i'::('t'::('e'::[]))))))))))))))))))))))))))))))))))))))))))))

(** val little : nat -> char list -> (Big.t * char list) option **)

let rec little k s =
  match k with
  | O -> Some (Big.zero, s)
  | S k0 ->
    (match s with
     | [] -> None
     | c::rest ->
       (match little k0 rest with
        | Some p ->
          let (v, rest0) = p in
          Some
          ((Big.add (code c)
             (Big.mul ((fun p -> Big.shift_left p 1)
               ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
               ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
               ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
               ((fun p -> Big.shift_left p 1) Big.one)))))))) v)), rest0)
        | None -> None))

(** val float_of : Big.t -> Big.t -> Big.t -> dyadic option **)

let float_of places powers v =
  let m =
    (fun a b -> if Big.sign b = 0 then a else Big.sub a (Big.mul b (Big.fdiv a b)))
      v
      ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
        ((fun p -> Big.shift_left p 1) Big.one) places)
  in
  let e =
    (fun a b -> if Big.sign b = 0 then a else Big.sub a (Big.mul b (Big.fdiv a b)))
      ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b) v
        ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
          ((fun p -> Big.shift_left p 1) Big.one) places))
      ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
        ((fun p -> Big.shift_left p 1) Big.one) powers)
  in
  let lowest =
    Big.sub
      (Big.sub ((fun p -> Big.shift_left p 1) Big.one)
        ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
          ((fun p -> Big.shift_left p 1) Big.one) (Big.sub powers Big.one)))
      places
  in
  let sign =
    if Big.equal
         ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b) v
           ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
             ((fun p -> Big.shift_left p 1) Big.one) (Big.add places powers)))
         Big.zero
    then Big.one
    else Big.neg Big.one
  in
  if Big.equal e
       (Big.sub
         ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
           ((fun p -> Big.shift_left p 1) Big.one) powers) Big.one)
  then None
  else Some
         (if Big.equal e Big.zero
          then { mantissa = (Big.mul sign m); exponent = lowest }
          else { mantissa =
                 (Big.mul sign
                   (Big.add m
                     ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
                       ((fun p -> Big.shift_left p 1) Big.one) places)));
                 exponent = (Big.sub (Big.add lowest e) Big.one) })

(** val element : char -> Big.t -> Big.t -> dyadic option **)

let element kind bytes0 v =
  if (fun (a : char) b -> a = b) kind 'f'
  then if Big.equal bytes0 ((fun p -> Big.shift_left p 1)
            ((fun p -> Big.shift_left p 1) Big.one))
       then float_of ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.shift_left p 1) Big.one))))
              ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
              ((fun p -> Big.shift_left p 1) Big.one))) v
       else if Big.equal bytes0 ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.shift_left p 1) Big.one)))
            then float_of ((fun p -> Big.shift_left p 1)
                   ((fun p -> Big.shift_left p 1)
                   ((fun p -> Big.succ (Big.shift_left p 1))
                   ((fun p -> Big.shift_left p 1)
                   ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))
                   ((fun p -> Big.succ (Big.shift_left p 1))
                   ((fun p -> Big.succ (Big.shift_left p 1))
                   ((fun p -> Big.shift_left p 1) Big.one))) v
            else None
  else if (fun (a : char) b -> a = b) kind 'i'
       then rounded
              (dint
                (if Big.leq
                      ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
                        ((fun p -> Big.shift_left p 1) Big.one)
                        (Big.sub
                          (Big.mul ((fun p -> Big.shift_left p 1)
                            ((fun p -> Big.shift_left p 1)
                            ((fun p -> Big.shift_left p 1) Big.one))) bytes0)
                          Big.one)) v
                 then Big.sub v
                        ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
                          ((fun p -> Big.shift_left p 1) Big.one)
                          (Big.mul ((fun p -> Big.shift_left p 1)
                            ((fun p -> Big.shift_left p 1)
                            ((fun p -> Big.shift_left p 1) Big.one))) bytes0))
                 else v))
       else rounded (dint v)

(** val elements :
    char list -> char -> Big.t -> char list -> field list -> field list result **)

let rec elements fuel kind bytes0 s made =
  match s with
  | [] -> Good (rev' made)
  | _::_ ->
    (match fuel with
     | [] ->
       Bad (unreadable,
         ('t'::('h'::('e'::(' '::('N'::('P'::('Y'::(' '::('f'::('i'::('l'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('w'::('h'::('o'::('l'::('e'::[]))))))))))))))))))))))))))
     | _::fuel0 ->
       (match little (Z.to_nat bytes0) s with
        | Some p ->
          let (v, rest) = p in
          (match element kind bytes0 v with
           | Some a ->
             elements fuel0 kind bytes0 rest ({ decimal = Big.zero; tens =
               Big.zero; nearest_double = a } :: made)
           | None ->
             Bad (unreadable,
               ('a'::(' '::('n'::('u'::('m'::('b'::('e'::('r'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('N'::('P'::('Y'::(' '::('f'::('i'::('l'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('f'::('i'::('n'::('i'::('t'::('e'::[]))))))))))))))))))))))))))))))))))))))))
        | None ->
          Bad (unreadable,
            ('t'::('h'::('e'::(' '::('N'::('P'::('Y'::(' '::('f'::('i'::('l'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('w'::('h'::('o'::('l'::('e'::[]))))))))))))))))))))))))))))

(** val drop : nat -> char list -> char list **)

let rec drop k s =
  match k with
  | O -> s
  | S k0 -> (match s with
             | [] -> s
             | _::rest -> drop k0 rest)

(** val after : char list -> char list -> char list option **)

let rec after key s = match s with
| [] -> None
| _::rest ->
  if prefix key s then Some (drop (length0 key) s) else after key rest

(** val value_of : char list -> char list -> char list option **)

let value_of key header =
  match after key header with
  | Some s ->
    (match s with
     | [] -> None
     | c::rest ->
       (match after key rest with
        | Some _ -> None
        | None ->
          if (fun (a : char) b -> a = b) c ':'
          then Some (skip (fun c0 -> (fun (a : char) b -> a = b) c0 ' ') rest)
          else None))
  | None -> None

(** val without_spaces : char list -> char list **)

let rec without_spaces s = match s with
| [] -> s
| c::rest ->
  if (fun (a : char) b -> a = b) c ' '
  then without_spaces rest
  else c::(without_spaces rest)

(** val dimension_of : char list -> Big.t option **)

let dimension_of word0 =
  match index word0 with
  | Some k ->
    if Big.leq (size0 word0) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1))
         ((fun p -> Big.shift_left p 1) Big.one)))
    then Some k
    else None
  | None -> None

(** val shape_of : char list -> (Big.t * Big.t) option **)

let shape_of = function
| [] -> None
| c::rest ->
  (match split ')' rest with
   | [] -> None
   | inner :: l ->
     (match l with
      | [] -> None
      | _ :: _ ->
        if (fun (a : char) b -> a = b) c '('
        then (match split ',' (without_spaces inner) with
              | [] -> None
              | n0 :: l0 ->
                (match l0 with
                 | [] -> None
                 | d :: l1 ->
                   (match d with
                    | [] ->
                      (match l1 with
                       | [] ->
                         (match dimension_of n0 with
                          | Some n1 -> Some (n1, Big.one)
                          | None -> None)
                       | _ :: _ -> None)
                    | _::_ ->
                      (match l1 with
                       | [] ->
                         (match dimension_of n0 with
                          | Some n1 ->
                            (match dimension_of d with
                             | Some d0 -> Some (n1, d0)
                             | None -> None)
                          | None -> None)
                       | _ :: _ -> None))))
        else None))

(** val form_of : char list -> (char * Big.t) option **)

let form_of = function
| [] -> None
| q::s ->
  (match s with
   | [] -> None
   | mark::s0 ->
     (match s0 with
      | [] -> None
      | kind::s1 ->
        (match s1 with
         | [] -> None
         | digit0::s2 ->
           (match s2 with
            | [] -> None
            | r::_ ->
              let name = kind::(digit0::[]) in
              if (&&)
                   ((&&)
                     ((&&) ((fun (a : char) b -> a = b) q '\'')
                       ((fun (a : char) b -> a = b) r '\''))
                     ((||) ((fun (a : char) b -> a = b) mark '<')
                       ((fun (a : char) b -> a = b) mark '|')))
                   (existsb (eqb0 name)
                     (('f'::('4'::[])) :: (('f'::('8'::[])) :: (('i'::('1'::[])) :: (('i'::('2'::[])) :: (('i'::('4'::[])) :: (('i'::('8'::[])) :: (('u'::('1'::[])) :: (('u'::('2'::[])) :: (('u'::('4'::[])) :: (('u'::('8'::[])) :: (('b'::('1'::[])) :: []))))))))))))
              then Some (kind,
                     (Big.sub (code digit0) ((fun p -> Big.shift_left p 1)
                       ((fun p -> Big.shift_left p 1)
                       ((fun p -> Big.shift_left p 1)
                       ((fun p -> Big.shift_left p 1)
                       ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))))
              else None))))

(** val take :
    Big.t -> char list -> char list -> (char list * char list) option **)

let rec take k s made =
  if Big.leq k Big.zero
  then Some ((rev_onto made []), s)
  else (match s with
        | [] -> None
        | c::rest -> take (Big.sub k Big.one) rest (c::made))

(** val grouped : nat -> Big.t -> 'a1 list -> 'a1 list list **)

let rec grouped count each l =
  match count with
  | O -> []
  | S k -> let (first, rest) = cut each l [] in first :: (grouped k each rest)

(** val turned_over : nat -> 'a1 list list -> 'a1 list list **)

let rec turned_over width0 columns0 =
  match width0 with
  | O -> []
  | S k ->
    (flat_map (fun c -> match c with
                        | [] -> []
                        | a :: _ -> a :: []) columns0) :: (turned_over k
                                                            (map tl columns0))

(** val read_array : char list -> field list list result **)

let read_array data =
  let bad = fun _ -> Bad (unreadable,
    ('t'::('h'::('i'::('s'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('N'::('P'::('Y'::(' '::('f'::('i'::('l'::('e'::(' '::('o'::('f'::(' '::('v'::('e'::('r'::('s'::('i'::('o'::('n'::(' '::('1'::(' '::('o'::('r'::(' '::('2'::(' '::('w'::('i'::('t'::('h'::(' '::('a'::(' '::('m'::('a'::('t'::('r'::('i'::('x'::(' '::('o'::('r'::(' '::('v'::('e'::('c'::('t'::('o'::('r'::(' '::('o'::('f'::(' '::('n'::('u'::('m'::('b'::('e'::('r'::('s'::[])))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
  in
  (match take ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.shift_left p 1) Big.one))) data [] with
   | Some p ->
     let (s, rest) = p in
     (match s with
      | [] -> bad __
      | m::s0 ->
        (match s0 with
         | [] -> bad __
         | a::s1 ->
           (match s1 with
            | [] -> bad __
            | b::s2 ->
              (match s2 with
               | [] -> bad __
               | c::s3 ->
                 (match s3 with
                  | [] -> bad __
                  | d::s4 ->
                    (match s4 with
                     | [] -> bad __
                     | e::s5 ->
                       (match s5 with
                        | [] -> bad __
                        | version::s6 ->
                          (match s6 with
                           | [] -> bad __
                           | _::s7 ->
                             (match s7 with
                              | [] ->
                                let wide =
                                  if Big.equal (code version) Big.one
                                  then S (S O)
                                  else S (S (S (S O)))
                                in
                                need
                                  ((&&)
                                    ((&&)
                                      (Big.equal (code m)
                                        ((fun p -> Big.succ (Big.shift_left p 1))
                                        ((fun p -> Big.succ (Big.shift_left p 1))
                                        ((fun p -> Big.shift_left p 1)
                                        ((fun p -> Big.shift_left p 1)
                                        ((fun p -> Big.succ (Big.shift_left p 1))
                                        ((fun p -> Big.shift_left p 1)
                                        ((fun p -> Big.shift_left p 1)
                                        Big.one))))))))
                                      (eqb0 (a::(b::(c::(d::(e::[])))))
                                        ('N'::('U'::('M'::('P'::('Y'::[])))))))
                                    ((||) (Big.equal (code version) Big.one)
                                      (Big.equal (code version)
                                        ((fun p -> Big.shift_left p 1)
                                        Big.one)))) unreadable
                                  ('t'::('h'::('i'::('s'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('N'::('P'::('Y'::(' '::('f'::('i'::('l'::('e'::(' '::('o'::('f'::(' '::('v'::('e'::('r'::('s'::('i'::('o'::('n'::(' '::('1'::(' '::('o'::('r'::(' '::('2'::[])))))))))))))))))))))))))))))))))))))
                                  (fun _ ->
                                  match little wide rest with
                                  | Some p0 ->
                                    let (length1, rest0) = p0 in
                                    (match take length1 rest0 [] with
                                     | Some p1 ->
                                       let (header, body) = p1 in
                                       need
                                         (negb
                                           ((||)
                                             ((||)
                                               (has
                                                 (ascii_of_nat (S (S (S (S (S
                                                   (S (S (S (S (S (S (S (S (S
                                                   (S (S (S (S (S (S (S (S (S
                                                   (S (S (S (S (S (S (S (S (S
                                                   (S (S
                                                   O)))))))))))))))))))))))))))))))))))
                                                 header) (has '\\' header))
                                             (has (ascii_of_nat O) header)))
                                         unreadable
                                         ('t'::('h'::('e'::(' '::('N'::('P'::('Y'::(' '::('f'::('i'::('l'::('e'::('\''::('s'::(' '::('h'::('e'::('a'::('d'::('e'::('r'::[])))))))))))))))))))))
                                         (fun _ ->
                                         match value_of
                                                 ('\''::('f'::('o'::('r'::('t'::('r'::('a'::('n'::('_'::('o'::('r'::('d'::('e'::('r'::('\''::[])))))))))))))))
                                                 header with
                                         | Some order ->
                                           (match value_of
                                                    ('\''::('d'::('e'::('s'::('c'::('r'::('\''::[])))))))
                                                    header with
                                            | Some form ->
                                              (match value_of
                                                       ('\''::('s'::('h'::('a'::('p'::('e'::('\''::[])))))))
                                                       header with
                                               | Some shape ->
                                                 (match form_of form with
                                                  | Some p2 ->
                                                    let (kind, bytes0) = p2 in
                                                    (match shape_of shape with
                                                     | Some p3 ->
                                                       let (n0, d0) = p3 in
                                                       need
                                                         ((&&)
                                                           ((&&)
                                                             ((&&)
                                                               ((||)
                                                                 (prefix
                                                                   ('T'::('r'::('u'::('e'::[]))))
                                                                   order)
                                                                 (prefix
                                                                   ('F'::('a'::('l'::('s'::('e'::[])))))
                                                                   order))
                                                               (Big.lt
                                                                 Big.zero n0))
                                                             (Big.lt Big.zero
                                                               d0))
                                                           (Big.equal
                                                             (Big.mul
                                                               (Big.mul n0 d0)
                                                               bytes0)
                                                             (size0 body)))
                                                         unreadable
                                                         ('t'::('h'::('e'::(' '::('N'::('P'::('Y'::(' '::('f'::('i'::('l'::('e'::('\''::('s'::(' '::('s'::('i'::('z'::('e'::(' '::('d'::('o'::('e'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::('g'::('r'::('e'::('e'::(' '::('w'::('i'::('t'::('h'::(' '::('i'::('t'::('s'::(' '::('s'::('h'::('a'::('p'::('e'::[])))))))))))))))))))))))))))))))))))))))))))))))))
                                                         (fun _ ->
                                                         bind
                                                           (elements body
                                                             kind bytes0 body
                                                             []) (fun all ->
                                                           Good
                                                           (if prefix
                                                                 ('T'::('r'::('u'::('e'::[]))))
                                                                 order
                                                            then turned_over
                                                                   (Z.to_nat
                                                                    n0)
                                                                   (grouped
                                                                    (Z.to_nat
                                                                    d0) n0
                                                                    all)
                                                            else grouped
                                                                   (Z.to_nat
                                                                    n0) d0 all)))
                                                     | None -> bad __)
                                                  | None -> bad __)
                                               | None -> bad __)
                                            | None -> bad __)
                                         | None -> bad __)
                                     | None -> bad __)
                                  | None -> bad __)
                              | _::_ -> bad __)))))))))
   | None -> bad __)

(** val read_npy : char list -> char list -> line list result **)

let read_npy data labels =
  bind (read_array data) (fun x ->
    bind (read_array labels) (fun y ->
      need (Big.equal (length_of x) (length_of y)) unreadable
        ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('a'::('s'::(' '::('m'::('a'::('n'::('y'::(' '::('l'::('a'::('b'::('e'::('l'::('s'::(' '::('a'::('s'::(' '::('r'::('o'::('w'::('s'::[]))))))))))))))))))))))))))))))))))))
        (fun _ -> Good
        (map (fun p -> { fields = (fst p); label = (Inl (snd p)); mass =
          done0 }) (combine x y)))))

(** val read_file : layout -> char list -> char list -> line list result **)

let read_file l data labels =
  match l with
  | Csv (header, target, weights) -> read_csv header target weights data
  | Libsvm d -> read_libsvm d data
  | Npy -> read_npy data labels

(** val dataset_of : source -> char list -> char list -> dataset result **)

let dataset_of s data labels =
  bind (read_file s.layout_of data labels) (fun file ->
    let count = length_of file in
    need
      (forallb (fun r ->
        (&&) ((&&) (Big.leq Big.zero (fst r)) (Big.leq (fst r) (snd r)))
          (Big.leq (snd r) count)) s.ranges) rejected
      ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('r'::('o'::('w'::('s'::[]))))))))))))))))))))))
      (fun _ ->
      need
        (negb
          ((&&) s.decimals (match s.normalise with
                            | Raw -> false
                            | _ -> true))) rejected
        ('d'::('e'::('c'::('i'::('m'::('a'::('l'::('s'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('n'::('o'::('r'::('m'::('a'::('l'::('i'::('s'::('e'::('d'::[])))))))))))))))))))))))))))
        (fun _ ->
        need
          (negb
            ((&&) s.decimals
              (match s.layout_of with
               | Npy -> true
               | _ -> false))) rejected
          ('a'::('r'::('r'::('a'::('y'::('s'::(' '::('h'::('a'::('v'::('e'::(' '::('n'::('o'::(' '::('d'::('e'::('c'::('i'::('m'::('a'::('l'::('s'::[])))))))))))))))))))))))
          (fun _ ->
          let texts =
            existsb (fun r ->
              match r.label with
              | Inl _ -> false
              | Inr _ -> true) file
          in
          need
            (match s.coding_of with
             | Plain -> negb texts
             | Signs ->
               (&&)
                 (Big.equal (count_names s.names_of)
                   ((fun p -> Big.shift_left p 1) Big.one))
                 (eqb texts
                   (match s.names_of with
                    | Numbers _ -> false
                    | Texts _ -> true))
             | _ ->
               eqb texts
                 (match s.names_of with
                  | Numbers _ -> false
                  | Texts _ -> true)) rejected
            ('t'::('h'::('e'::(' '::('t'::('a'::('r'::('g'::('e'::('t'::('s'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('o'::('f'::(' '::('t'::('h'::('i'::('s'::(' '::('k'::('i'::('n'::('d'::[]))))))))))))))))))))))))))))))))
            (fun _ ->
            let chosen = flat_map (in_range (indexed Big.zero file)) s.ranges
            in
            let taken =
              flat_map (fun p ->
                match target_of s (snd p) with
                | Some y -> (p, y) :: []
                | None -> []) chosen
            in
            let lines0 = map (fun q -> snd (fst q)) taken in
            need (negb (match taken with
                        | [] -> true
                        | _ :: _ -> false)) rejected
              ('n'::('o'::(' '::('r'::('o'::('w'::(' '::('i'::('s'::(' '::('k'::('e'::('p'::('t'::[]))))))))))))))
              (fun _ ->
              need
                (forallb (fun r -> Big.lt Big.zero r.mass.mantissa) lines0)
                unreadable
                ('t'::('h'::('e'::(' '::('w'::('e'::('i'::('g'::('h'::('t'::(' '::('o'::('f'::(' '::('a'::(' '::('r'::('o'::('w'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('p'::('o'::('s'::('i'::('t'::('i'::('v'::('e'::[])))))))))))))))))))))))))))))))))))
                (fun _ ->
                bind (points s lines0) (fun x ->
                  let d =
                    match x with
                    | [] -> Big.zero
                    | row :: _ -> length_of row
                  in
                  Good { rows_of_file = count; kept =
                  (map (fun q -> fst (fst q)) taken); columns = d; rows =
                  (map (fun pat ->
                    let (row, y0) = pat in
                    let (p, y) = y0 in
                    { dpoint = row; dtarget = y; dweight = (snd p).mass })
                    (combine x taken)) }))))))))

type loss =
| Squared
| Hinge
| Huber of dyadic
| Absolute
| Quantile of dyadic
| Equality of dyadic
| Margin
| Logistic
| Softmax

type gates =
| Orientations of dyadic list list
| Patterns of bool list list

(** val gate_count : gates -> nat **)

let gate_count = function
| Orientations l -> length l
| Patterns l -> length l

type evidence =
| NoBound
| ByGates
| ByCones
| ByTrees

type kernel =
| FirstLayerWide
| BothLayersWide
| FirstLayerGates of Big.t list * Big.t

type spectral_end =
| Least
| Greatest
| Null

type zero_reason =
| ByPairs
| AtOrigin of nat
| EqualRows of nat * nat

type claim =
| Train of bool * loss * dyadic * dyadic * evidence * nat * dyadic * dyadic
| Largest of bool * dyadic * dyadic * evidence * nat * dyadic option * dyadic
| Units of Big.t list * Big.t * dyadic * dyadic
| Neurons of dyadic list * Big.t * dyadic * dyadic
| WideMargin of bool * dyadic * dyadic
| LinearMargin of dyadic * dyadic
| ZeroMargin of zero_reason
| Cones of nat
| EmptyCone of bool list
| SpikeFree
| SpikeShown of dyadic option
| ConeDimension of bool list * nat
| Faces of nat
| Spectrum of kernel * dyadic * spectral_end * dyadic * dyadic
| Limit of bool * dyadic option * dyadic * dyadic * dyadic * nat * dyadic
   * dyadic

type statement = { hash : char list; labels_hash : char list option;
                   about : source; listed_gates : gates; claimed : claim }

(** val dplus : dyadic list -> dyadic list -> dyadic list **)

let rec dplus a b =
  match a with
  | [] -> b
  | p :: a0 -> (match b with
                | [] -> a
                | q :: b0 -> (dadd p q) :: (dplus a0 b0))

(** val dtimes : dyadic -> dyadic list -> dyadic list **)

let dtimes t a =
  map (dmul t) a

(** val ddot_onto : dyadic list -> dyadic list -> dyadic -> dyadic **)

let rec ddot_onto a b s =
  match a with
  | [] -> s
  | p :: a0 ->
    (match b with
     | [] -> s
     | q :: b0 -> ddot_onto a0 b0 (dadd s (dmul p q)))

(** val ddot : dyadic list -> dyadic list -> dyadic **)

let ddot a b =
  ddot_onto a b dzero

(** val dsum : dyadic list -> dyadic **)

let dsum l =
  fold_left dadd l dzero

(** val dtotal : dyadic list list -> dyadic list **)

let dtotal l =
  fold_left dplus l []

(** val dnull : dyadic list -> bool **)

let dnull a =
  forallb (fun p -> Big.equal p.mantissa Big.zero) a

(** val znth : Big.t -> 'a1 list -> 'a1 option **)

let rec znth k = function
| [] -> None
| a :: rest ->
  if Big.equal k Big.zero then Some a else znth (Big.sub k Big.one) rest

(** val is_sign : dyadic list -> bool **)

let is_sign = function
| [] -> false
| a :: l ->
  (match l with
   | [] -> (||) (deq a done0) (deq a (dint (Big.neg Big.one)))
   | _ :: _ -> false)

(** val signs : drow list -> bool **)

let signs rows0 =
  forallb (fun r -> is_sign r.dtarget) rows0

(** val mask0 : Big.t **)

let mask0 =
  ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))))

(** val add32 : Big.t -> Big.t -> Big.t **)

let add32 a b =
  Big.logand (Big.add a b) mask0

(** val rotate : Big.t -> Big.t -> Big.t **)

let rotate k a =
  Big.logor
    ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_right a k else Big.shift_left a (- k))
      a k)
    (Big.logand
      ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
        a
        (Big.sub ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          Big.one))))) k)) mask0)

(** val xor3 : Big.t -> Big.t -> Big.t -> Big.t **)

let xor3 a b c =
  Big.logxor (Big.logxor a b) c

(** val choose : Big.t -> Big.t -> Big.t -> Big.t **)

let choose e f g =
  Big.logxor (Big.logand e f) (Big.logand (Big.sub mask0 e) g)

(** val majority : Big.t -> Big.t -> Big.t -> Big.t **)

let majority a b c =
  xor3 (Big.logand a b) (Big.logand a c) (Big.logand b c)

(** val rounds : Big.t list **)

let rounds =
  ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))))) :: [])))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

(** val start : Big.t list **)

let start =
  ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one))))))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))) :: (((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    Big.one)))))))))))))))))))))))))))))) :: [])))))))

(** val next_word : Big.t list -> Big.t **)

let next_word w =
  let a = nth (S O) w Big.zero in
  let b =
    nth (S (S (S (S (S (S (S (S (S (S (S (S (S (S O)))))))))))))) w Big.zero
  in
  add32
    (add32
      (xor3
        (rotate ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.shift_left p 1) Big.one)))) a)
        (rotate ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          Big.one)))) a)
        ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_right a k else Big.shift_left a (- k))
          a ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1) Big.one)))))
      (nth (S (S (S (S (S (S O)))))) w Big.zero))
    (add32
      (xor3
        (rotate ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)) b)
        (rotate ((fun p -> Big.shift_left p 1)
          ((fun p -> Big.succ (Big.shift_left p 1))
          ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
          Big.one)))) b)
        ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_right a k else Big.shift_left a (- k))
          b ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))
      (nth (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S O))))))))))))))) w
        Big.zero))

(** val schedule : nat -> Big.t list -> Big.t list -> Big.t list **)

let rec schedule count w all =
  match count with
  | O -> rev' all
  | S k -> let x = next_word w in schedule k (x :: (removelast w)) (x :: all)

(** val round : Big.t list -> (Big.t * Big.t) -> Big.t list **)

let round s kw =
  match s with
  | [] -> s
  | a :: l ->
    (match l with
     | [] -> s
     | b :: l0 ->
       (match l0 with
        | [] -> s
        | c :: l1 ->
          (match l1 with
           | [] -> s
           | d :: l2 ->
             (match l2 with
              | [] -> s
              | e :: l3 ->
                (match l3 with
                 | [] -> s
                 | f :: l4 ->
                   (match l4 with
                    | [] -> s
                    | g :: l5 ->
                      (match l5 with
                       | [] -> s
                       | h :: l6 ->
                         (match l6 with
                          | [] ->
                            let t =
                              add32
                                (add32
                                  (add32 h
                                    (xor3
                                      (rotate ((fun p -> Big.shift_left p 1)
                                        ((fun p -> Big.succ (Big.shift_left p 1))
                                        Big.one)) e)
                                      (rotate
                                        ((fun p -> Big.succ (Big.shift_left p 1))
                                        ((fun p -> Big.succ (Big.shift_left p 1))
                                        ((fun p -> Big.shift_left p 1)
                                        Big.one))) e)
                                      (rotate
                                        ((fun p -> Big.succ (Big.shift_left p 1))
                                        ((fun p -> Big.shift_left p 1)
                                        ((fun p -> Big.shift_left p 1)
                                        ((fun p -> Big.succ (Big.shift_left p 1))
                                        Big.one)))) e)))
                                  (add32 (choose e f g) (fst kw))) (snd kw)
                            in
                            let m =
                              add32
                                (xor3
                                  (rotate ((fun p -> Big.shift_left p 1)
                                    Big.one) a)
                                  (rotate
                                    ((fun p -> Big.succ (Big.shift_left p 1))
                                    ((fun p -> Big.shift_left p 1)
                                    ((fun p -> Big.succ (Big.shift_left p 1))
                                    Big.one))) a)
                                  (rotate ((fun p -> Big.shift_left p 1)
                                    ((fun p -> Big.succ (Big.shift_left p 1))
                                    ((fun p -> Big.succ (Big.shift_left p 1))
                                    ((fun p -> Big.shift_left p 1)
                                    Big.one)))) a)) (majority a b c)
                            in
                            (add32 t m) :: (a :: (b :: (c :: ((add32 d t) :: (e :: (f :: (g :: [])))))))
                          | _ :: _ -> s))))))))

(** val block : Big.t list -> Big.t list -> Big.t list **)

let block h words0 =
  let w = rev' words0 in
  map (fun p -> add32 (fst p) (snd p))
    (combine h
      (fold_left round
        (combine rounds
          (schedule (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
            (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
            (S (S (S (S (S (S (S
            O)))))))))))))))))))))))))))))))))))))))))))))))) w w)) h))

type state = { hashed : Big.t list; words : Big.t list; word : Big.t;
               bytes : Big.t }

(** val feed : state -> Big.t -> state **)

let feed s b =
  let w =
    Big.logor
      ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
        s.word ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) Big.one)))) b
  in
  let k = Big.add s.bytes Big.one in
  if negb
       (Big.equal
         (Big.logand k ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))
         Big.zero)
  then { hashed = s.hashed; words = s.words; word = w; bytes = k }
  else if Big.equal
            (Big.logand k ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.succ (Big.shift_left p 1))
              ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))) Big.zero
       then { hashed = (block s.hashed (rev' (w :: s.words))); words = [];
              word = Big.zero; bytes = k }
       else { hashed = s.hashed; words = (w :: s.words); word = Big.zero;
              bytes = k }

(** val feed_all : state -> char list -> state **)

let rec feed_all s = function
| [] -> s
| c::rest -> feed_all (feed s (code c)) rest

(** val pad : nat -> state -> state **)

let rec pad fuel s =
  match fuel with
  | O -> s
  | S k ->
    if Big.equal
         (Big.logand s.bytes ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))
         ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1))
         ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))
    then s
    else pad k (feed s Big.zero)

(** val digest : char list -> Big.t list **)

let digest text =
  let s =
    feed_all { hashed = start; words = []; word = Big.zero; bytes =
      Big.zero } text
  in
  let length1 =
    Big.mul ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) Big.one))) s.bytes
  in
  let s0 =
    pad (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
      (feed s ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) Big.one))))))))
  in
  (fold_left feed
    (map (fun k ->
      Big.logand
        ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_right a k else Big.shift_left a (- k))
          length1 k) ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))))
      (((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.succ (Big.shift_left p 1))
      Big.one))))) :: (((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      Big.one))))) :: (((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1)
      Big.one))))) :: (((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      Big.one))))) :: (((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      Big.one)))) :: (((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1)
      Big.one)))) :: (((fun p -> Big.shift_left p 1)
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      Big.one))) :: (Big.zero :: []))))))))) s0).hashed

(** val hex : Big.t -> char **)

let hex k =
  nth (Z.to_nat k)
    (list_ascii_of_string
      ('0'::('1'::('2'::('3'::('4'::('5'::('6'::('7'::('8'::('9'::('a'::('b'::('c'::('d'::('e'::('f'::[])))))))))))))))))
    zero

(** val hex_word : Big.t -> char list **)

let hex_word w =
  map (fun k ->
    hex
      (Big.logand
        ((fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_right a k else Big.shift_left a (- k))
          w k) ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))
    (((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1)
    Big.one)))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1)
    Big.one)))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))) :: (((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) Big.one)) :: (Big.zero :: []))))))))

(** val sha256 : char list -> char list **)

let sha256 text =
  string_of_list_ascii (flat_map hex_word (digest text))

type context = { from_source : source; file_hash : char list;
                 second_hash : char list option; set : dataset;
                 gate_list : gates }

(** val before_bytes :
    char list list -> char list list -> char list list * char list list **)

let rec before_bytes words0 before0 =
  match words0 with
  | [] -> ((rev' before0), [])
  | w :: rest ->
    if eqb0 w ('b'::('y'::('t'::('e'::('s'::[])))))
    then ((rev' before0), rest)
    else before_bytes rest (w :: before0)

(** val int_of : char list -> Big.t result **)

let int_of word0 =
  if eqb0 word0 ('-'::('1'::[]))
  then Good (Big.neg Big.one)
  else index_of word0

(** val is_size : char list -> char list -> bool **)

let is_size word0 bytes0 =
  match index word0 with
  | Some k -> Big.equal k (size0 bytes0)
  | None -> false

(** val read_layout :
    char list list -> char list -> char list ->
    ((layout * char list) * char list option) result **)

let read_layout words0 data labels =
  let (words1, length1) = before_bytes words0 [] in
  need
    (match length1 with
     | [] -> true
     | k :: l ->
       (match l with
        | [] -> is_size k data
        | m :: l0 ->
          (match l0 with
           | [] ->
             (match words1 with
              | [] -> false
              | kind :: _ ->
                (&&)
                  ((&&) (eqb0 kind ('n'::('p'::('y'::[])))) (is_size k data))
                  (is_size m labels))
           | _ :: _ -> false))) rejected
    ('t'::('h'::('e'::(' '::('c'::('e'::('r'::('t'::('i'::('f'::('i'::('c'::('a'::('t'::('e'::(' '::('i'::('s'::(' '::('a'::('b'::('o'::('u'::('t'::(' '::('d'::('a'::('t'::('a'::(' '::('o'::('f'::(' '::('a'::('n'::('o'::('t'::('h'::('e'::('r'::(' '::('l'::('e'::('n'::('g'::('t'::('h'::[])))))))))))))))))))))))))))))))))))))))))))))))
    (fun _ ->
    match words1 with
    | [] ->
      Bad (rejected,
        ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::[])))))))))))))))))))))
    | kind :: l ->
      (match l with
       | [] ->
         Bad (rejected,
           ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::[])))))))))))))))))))))
       | sha :: rest ->
         need (eqb0 sha (sha256 data)) rejected
           ('t'::('h'::('e'::(' '::('c'::('e'::('r'::('t'::('i'::('f'::('i'::('c'::('a'::('t'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::('b'::('o'::('u'::('t'::(' '::('t'::('h'::('i'::('s'::(' '::('d'::('a'::('t'::('a'::[]))))))))))))))))))))))))))))))))))))))
           (fun _ ->
           match rest with
           | [] ->
             Bad (rejected,
               ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::[])))))))))))))))))))))
           | word0 :: l0 ->
             (match l0 with
              | [] ->
                if eqb0 kind ('n'::('p'::('y'::[])))
                then need (eqb0 word0 (sha256 labels)) rejected
                       ('t'::('h'::('e'::(' '::('c'::('e'::('r'::('t'::('i'::('f'::('i'::('c'::('a'::('t'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('a'::('b'::('o'::('u'::('t'::(' '::('t'::('h'::('i'::('s'::(' '::('f'::('i'::('l'::('e'::(' '::('o'::('f'::(' '::('l'::('a'::('b'::('e'::('l'::('s'::[]))))))))))))))))))))))))))))))))))))))))))))))))
                       (fun _ -> Good ((Npy, sha), (Some word0)))
                else need
                       (eqb0 kind
                         ('l'::('i'::('b'::('s'::('v'::('m'::[])))))))
                       rejected
                       ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::[]))))))))))))))))))))
                       (fun _ ->
                       bind (index_of word0) (fun columns0 -> Good (((Libsvm
                         columns0), sha), None)))
              | target :: l1 ->
                (match l1 with
                 | [] ->
                   Bad (rejected,
                     ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::[])))))))))))))))))))))
                 | weights :: l2 ->
                   (match l2 with
                    | [] ->
                      need
                        ((&&) (eqb0 kind ('c'::('s'::('v'::[]))))
                          ((||) (eqb0 word0 ('0'::[])) (eqb0 word0 ('1'::[]))))
                        rejected
                        ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::[]))))))))))))))))))))
                        (fun _ ->
                        bind (index_of target) (fun target0 ->
                          bind (int_of weights) (fun weights0 -> Good (((Csv
                            ((eqb0 word0 ('1'::[])), target0, weights0)),
                            sha), None))))
                    | _ :: _ ->
                      Bad (rejected,
                        ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::[])))))))))))))))))))))))))))

(** val pairs_of :
    char list list -> (Big.t * Big.t) list -> (Big.t * Big.t) list result **)

let rec pairs_of words0 made =
  match words0 with
  | [] -> Good (rev' made)
  | a :: l ->
    (match l with
     | [] ->
       Bad (rejected,
         ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('r'::('o'::('w'::('s'::[])))))))))))))))))))))
     | b :: rest ->
       bind (index_of a) (fun a0 ->
         bind (index_of b) (fun b0 -> pairs_of rest ((a0, b0) :: made))))

(** val read_ranges : char list list -> (Big.t * Big.t) list result **)

let read_ranges = function
| [] ->
  Bad (rejected,
    ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('r'::('o'::('w'::('s'::[])))))))))))))))))))))
| count :: rest ->
  bind (index_of count) (fun count0 ->
    need
      (Big.equal (Big.mul ((fun p -> Big.shift_left p 1) Big.one) count0)
        (length_of rest)) rejected
      ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('r'::('o'::('w'::('s'::[]))))))))))))))))))))
      (fun _ -> pairs_of rest []))

(** val hex_text : char list -> char list option **)

let rec hex_text = function
| [] -> Some []
| a::s ->
  (match s with
   | [] -> None
   | b::rest ->
     (match digit ((fun p -> Big.shift_left p 1)
              ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
              ((fun p -> Big.shift_left p 1) Big.one)))) a with
      | Some p ->
        (match digit ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.shift_left p 1) Big.one)))) b with
         | Some q ->
           (match hex_text rest with
            | Some text ->
              if Big.equal
                   (Big.add
                     (Big.mul ((fun p -> Big.shift_left p 1)
                       ((fun p -> Big.shift_left p 1)
                       ((fun p -> Big.shift_left p 1)
                       ((fun p -> Big.shift_left p 1) Big.one)))) p) q)
                   Big.zero
              then None
              else Some
                     (((fun k -> Char.chr (Big.to_int (Big.logand k (Big.of_int 255))))
                        ((fun a -> if Big.sign a < 0 then Big.zero else a)
                          (Big.add
                            (Big.mul ((fun p -> Big.shift_left p 1)
                              ((fun p -> Big.shift_left p 1)
                              ((fun p -> Big.shift_left p 1)
                              ((fun p -> Big.shift_left p 1) Big.one)))) p) q)))::text)
            | None -> None)
         | None -> None)
      | None -> None))

(** val hex_text_of : char list -> char list result **)

let hex_text_of word0 =
  match hex_text word0 with
  | Some s -> Good s
  | None ->
    Bad (rejected,
      ('a'::(' '::('l'::('a'::('b'::('e'::('l'::(' '::('i'::('n'::(' '::('h'::('e'::('x'::('a'::('d'::('e'::('c'::('i'::('m'::('a'::('l'::(' '::('b'::('y'::('t'::('e'::('s'::(' '::('w'::('a'::('s'::(' '::('e'::('x'::('p'::('e'::('c'::('t'::('e'::('d'::[]))))))))))))))))))))))))))))))))))))))))))

(** val read_classes : char list list -> (coding * names) result **)

let read_classes = function
| [] ->
  Bad (rejected,
    ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('c'::('l'::('a'::('s'::('s'::('e'::('s'::[]))))))))))))))))))))))))
| code0 :: l ->
  (match l with
   | [] ->
     need (eqb0 code0 ('n'::('o'::('n'::('e'::[]))))) rejected
       ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('c'::('l'::('a'::('s'::('s'::('e'::('s'::[])))))))))))))))))))))))
       (fun _ -> Good (Plain, (Numbers [])))
   | kind :: l0 ->
     (match l0 with
      | [] ->
        Bad (rejected,
          ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('c'::('l'::('a'::('s'::('s'::('e'::('s'::[]))))))))))))))))))))))))
      | count :: labels ->
        bind (index_of count) (fun count0 ->
          need (Big.equal count0 (length_of labels)) rejected
            ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('c'::('l'::('a'::('s'::('s'::('e'::('s'::[])))))))))))))))))))))))
            (fun _ ->
            bind
              (if eqb0 code0 ('i'::('n'::('d'::('e'::('x'::[])))))
               then Good Index
               else if eqb0 code0 ('s'::('i'::('g'::('n'::('s'::[])))))
                    then Good Signs
                    else if eqb0 code0
                              ('c'::('o'::('l'::('u'::('m'::('n'::('s'::[])))))))
                         then Good Columns
                         else Bad (rejected,
                                ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('c'::('l'::('a'::('s'::('s'::('e'::('s'::[])))))))))))))))))))))))))
              (fun code1 ->
              if eqb0 kind ('n'::('u'::('m'::('b'::('e'::('r'::('s'::[])))))))
              then bind (traverse number_of labels []) (fun v -> Good (code1,
                     (Numbers v)))
              else if eqb0 kind ('t'::('e'::('x'::('t'::('s'::[])))))
                   then bind (traverse hex_text_of labels []) (fun v -> Good
                          (code1, (Texts v)))
                   else Bad (rejected,
                          ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('c'::('l'::('a'::('s'::('s'::('e'::('s'::[])))))))))))))))))))))))))))))

(** val read_steps :
    char list list -> ((((normalisation * biases) * Big.t) * Big.t) * bool)
    result **)

let read_steps = function
| [] ->
  Bad (rejected,
    ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('s'::('t'::('e'::('p'::('s'::[]))))))))))))))))))))))
| step :: l ->
  (match l with
   | [] ->
     Bad (rejected,
       ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('s'::('t'::('e'::('p'::('s'::[]))))))))))))))))))))))
   | bias0 :: l0 ->
     (match l0 with
      | [] ->
        Bad (rejected,
          ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('s'::('t'::('e'::('p'::('s'::[]))))))))))))))))))))))
      | n0 :: l1 ->
        (match l1 with
         | [] ->
           Bad (rejected,
             ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('s'::('t'::('e'::('p'::('s'::[]))))))))))))))))))))))
         | d :: more ->
           bind
             (if eqb0 step ('n'::('o'::('n'::('e'::[]))))
              then Good Raw
              else if eqb0 step ('u'::('n'::('i'::('t'::[]))))
                   then Good Unit
                   else if eqb0 step
                             ('s'::('t'::('a'::('n'::('d'::('a'::('r'::('d'::('i'::('z'::('e'::[])))))))))))
                        then Good Standardize
                        else Bad (rejected,
                               ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('s'::('t'::('e'::('p'::('s'::[])))))))))))))))))))))))
             (fun step0 ->
             bind
               (if eqb0 bias0 ('n'::('o'::('n'::('e'::[]))))
                then Good NoBias
                else if eqb0 bias0
                          ('a'::('u'::('g'::('m'::('e'::('n'::('t'::[])))))))
                     then Good Augment
                     else if eqb0 bias0 ('f'::('r'::('e'::('e'::[]))))
                          then Good Free
                          else Bad (rejected,
                                 ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('s'::('t'::('e'::('p'::('s'::[])))))))))))))))))))))))
               (fun bias1 ->
               bind (index_of n0) (fun n1 ->
                 bind (index_of d) (fun d0 ->
                   match more with
                   | [] -> Good ((((step0, bias1), n1), d0), false)
                   | exactly :: l2 ->
                     (match l2 with
                      | [] ->
                        need
                          (eqb0 exactly
                            ('d'::('e'::('c'::('i'::('m'::('a'::('l'::('s'::[])))))))))
                          rejected
                          ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('s'::('t'::('e'::('p'::('s'::[])))))))))))))))))))))
                          (fun _ -> Good ((((step0, bias1), n1), d0), true))
                      | _ :: _ ->
                        Bad (rejected,
                          ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('s'::('t'::('e'::('p'::('s'::[]))))))))))))))))))))))))))))))

(** val bits_of : char list -> bool list option **)

let rec bits_of = function
| [] -> Some []
| c::rest ->
  (match digit ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
           Big.one)))) c with
   | Some v ->
     (match bits_of rest with
      | Some more ->
        Some
          (((fun a k -> Big.sign k >= 0 && Big.testbit a (Big.to_int k)) v
             Big.zero) :: (((fun a k -> Big.sign k >= 0 && Big.testbit a (Big.to_int k))
                             v Big.one) :: (((fun a k -> Big.sign k >= 0 && Big.testbit a (Big.to_int k))
                                              v
                                              ((fun p -> Big.shift_left p 1)
                                              Big.one)) :: (((fun a k -> Big.sign k >= 0 && Big.testbit a (Big.to_int k))
                                                              v
                                                              ((fun p -> Big.succ (Big.shift_left p 1))
                                                              Big.one)) :: more))))
      | None -> None)
   | None -> None)

(** val pattern_of : Big.t -> char list -> bool list result **)

let pattern_of n0 word0 =
  match bits_of word0 with
  | Some bits ->
    let (used, more) = cut n0 bits [] in
    need
      ((&&)
        (Big.equal (size0 word0)
          ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
            (Big.add n0 ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))
            ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
            Big.one)))) (negb (existsb (fun b -> b) more))) rejected
      ('a'::(' '::('p'::('a'::('t'::('t'::('e'::('r'::('n'::(' '::('w'::('a'::('s'::(' '::('e'::('x'::('p'::('e'::('c'::('t'::('e'::('d'::[]))))))))))))))))))))))
      (fun _ -> Good used)
  | None ->
    Bad (rejected,
      ('a'::(' '::('p'::('a'::('t'::('t'::('e'::('r'::('n'::(' '::('w'::('a'::('s'::(' '::('e'::('x'::('p'::('e'::('c'::('t'::('e'::('d'::[])))))))))))))))))))))))

(** val read_gates : Big.t -> Big.t -> lines -> (gates * lines) result **)

let read_gates n0 d l =
  bind (line_of ('g'::('a'::('t'::('e'::('s'::[]))))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] ->
       Bad (rejected,
         ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('g'::('a'::('t'::('e'::('s'::[]))))))))))))))))))))))
     | kind :: l1 ->
       (match l1 with
        | [] ->
          Bad (rejected,
            ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('g'::('a'::('t'::('e'::('s'::[]))))))))))))))))))))))
        | count :: l2 ->
          (match l2 with
           | [] ->
             bind (index_of count) (fun count0 ->
               if eqb0 kind
                    ('o'::('r'::('i'::('e'::('n'::('t'::('a'::('t'::('i'::('o'::('n'::('s'::[]))))))))))))
               then bind
                      (many count0
                        (numbers_line ('g'::('a'::('t'::('e'::[])))) d) l0)
                      (fun pat0 ->
                      let (found, l3) = pat0 in
                      Good ((Orientations found), l3))
               else if eqb0 kind
                         ('p'::('a'::('t'::('t'::('e'::('r'::('n'::('s'::[]))))))))
                    then bind
                           (many count0 (fun l3 ->
                             bind (line_of ('g'::('a'::('t'::('e'::[])))) l3)
                               (fun pat0 ->
                               let (words1, l4) = pat0 in
                               (match words1 with
                                | [] -> mismatch
                                | word0 :: l5 ->
                                  (match l5 with
                                   | [] ->
                                     bind (pattern_of n0 word0) (fun p ->
                                       Good (p, l4))
                                   | _ :: _ -> mismatch)))) l0) (fun pat0 ->
                           let (found, l3) = pat0 in
                           Good ((Patterns found), l3))
                    else Bad (rejected,
                           ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('g'::('a'::('t'::('e'::('s'::[])))))))))))))))))))))))
           | _ :: _ ->
             Bad (rejected,
               ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('g'::('a'::('t'::('e'::('s'::[]))))))))))))))))))))))))))

(** val row_count : dataset -> Big.t **)

let row_count c =
  length_of c.rows

(** val read_context :
    char list -> char list -> lines -> (context * lines) result **)

let read_context data labels l =
  bind
    (line_of
      ('f'::('a'::('t'::('h'::('o'::('m'::('-'::('c'::('e'::('r'::('t'::('i'::('f'::('i'::('c'::('a'::('t'::('e'::[]))))))))))))))))))
      l) (fun pat ->
    let (version, l0) = pat in
    need
      (match version with
       | [] -> false
       | k :: l1 -> (match l1 with
                     | [] -> eqb0 k ('2'::[])
                     | _ :: _ -> false)) rejected
      ('t'::('h'::('i'::('s'::(' '::('p'::('r'::('o'::('g'::('r'::('a'::('m'::(' '::('r'::('e'::('a'::('d'::('s'::(' '::('f'::('o'::('r'::('m'::('a'::('t'::(' '::('2'::(' '::('o'::('f'::(' '::('c'::('e'::('r'::('t'::('i'::('f'::('i'::('c'::('a'::('t'::('e'::('s'::[])))))))))))))))))))))))))))))))))))))))))))
      (fun _ ->
      bind (line_of ('d'::('a'::('t'::('a'::[])))) l0) (fun pat0 ->
        let (words0, l1) = pat0 in
        bind (read_layout words0 data labels) (fun pat1 ->
          let (p, second) = pat1 in
          let (layout0, sha) = p in
          bind (line_of ('r'::('o'::('w'::('s'::[])))) l1) (fun pat2 ->
            let (words1, l2) = pat2 in
            bind (read_ranges words1) (fun ranges0 ->
              bind
                (line_of ('c'::('l'::('a'::('s'::('s'::('e'::('s'::[])))))))
                  l2) (fun pat3 ->
                let (words2, l3) = pat3 in
                bind (read_classes words2) (fun pat4 ->
                  let (code0, names0) = pat4 in
                  bind (line_of ('s'::('t'::('e'::('p'::('s'::[]))))) l3)
                    (fun pat5 ->
                    let (words3, l4) = pat5 in
                    bind (read_steps words3) (fun pat6 ->
                      let (p0, exactly) = pat6 in
                      let (p1, d) = p0 in
                      let (p2, n0) = p1 in
                      let (step, bias0) = p2 in
                      let source0 = { layout_of = layout0; ranges = ranges0;
                        coding_of = code0; names_of = names0; normalise =
                        step; bias = bias0; decimals = exactly }
                      in
                      bind (dataset_of source0 data labels) (fun set0 ->
                        need
                          ((&&) (Big.equal (row_count set0) n0)
                            (Big.equal set0.columns d)) rejected
                          ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('h'::('a'::('s'::(' '::('a'::('n'::('o'::('t'::('h'::('e'::('r'::(' '::('s'::('h'::('a'::('p'::('e'::[]))))))))))))))))))))))))))
                          (fun _ ->
                          bind (read_gates n0 d l4) (fun pat7 ->
                            let (gates0, l5) = pat7 in
                            Good ({ from_source = source0; file_hash = sha;
                            second_hash = second; set = set0; gate_list =
                            gates0 }, l5))))))))))))))

type evidence0 = { a_row : drow; b_row : drow; l_of : dyadic }

(** val pair_ok : evidence0 -> bool **)

let pair_ok e =
  let a = e.a_row.dpoint in
  let b = e.b_row.dpoint in
  let ab = ddot a b in
  (match e.a_row.dtarget with
   | [] -> false
   | p :: l ->
     (match l with
      | [] ->
        (match e.b_row.dtarget with
         | [] -> false
         | q :: l0 ->
           (match l0 with
            | [] ->
              (&&)
                ((&&)
                  ((&&) ((&&) (deq p done0) (deq q (dint (Big.neg Big.one))))
                    (dlt dzero e.l_of)) (negb (deq ab dzero)))
                (deq (dmul ab ab) (dmul (ddot a a) (ddot b b)))
            | _ :: _ -> false))
      | _ :: _ -> false))

(** val on_ray : evidence0 -> bool **)

let on_ray e =
  dlt dzero (ddot e.a_row.dpoint e.b_row.dpoint)

(** val zero_ok : evidence0 list -> bool **)

let zero_ok l =
  (&&) (forallb pair_ok l)
    ((||) (existsb on_ray l)
      ((&&) (negb (match l with
                   | [] -> true
                   | _ :: _ -> false))
        (dnull (dtotal (map (fun e -> dtimes e.l_of e.a_row.dpoint) l)))))

(** val find_pairs :
    drow list -> ((Big.t * Big.t) * dyadic) list -> evidence0 list option **)

let rec find_pairs rows0 = function
| [] -> Some []
| p :: rest ->
  let (p0, m) = p in
  let (a, b) = p0 in
  (match znth a rows0 with
   | Some p1 ->
     (match znth b rows0 with
      | Some q ->
        (match find_pairs rows0 rest with
         | Some found -> Some ({ a_row = p1; b_row = q; l_of = m } :: found)
         | None -> None)
      | None -> None)
   | None -> None)

(** val check_zero : drow list -> ((Big.t * Big.t) * dyadic) list -> bool **)

let check_zero rows0 l =
  match find_pairs rows0 l with
  | Some found -> zero_ok found
  | None -> false

(** val check_origin : drow list -> nat -> bool **)

let check_origin rows0 i =
  (&&) (signs rows0)
    (match nth_error rows0 i with
     | Some p -> dnull p.dpoint
     | None -> false)

(** val dsame : dyadic list -> dyadic list -> bool **)

let dsame a b =
  (&&) (Nat.eqb (length a) (length b))
    (forallb (fun p -> deq (fst p) (snd p)) (combine a b))

(** val check_equal : drow list -> nat -> nat -> bool **)

let check_equal rows0 a b =
  (&&) (signs rows0)
    (match nth_error rows0 a with
     | Some p ->
       (match nth_error rows0 b with
        | Some q ->
          (&&) (dsame p.dpoint q.dpoint)
            (deq (nth O p.dtarget dzero) (dneg (nth O q.dtarget dzero)))
        | None -> false)
     | None -> false)

(** val turned : drow list -> bool list -> dyadic list -> dyadic list list **)

let rec turned rows0 pattern l =
  match rows0 with
  | [] -> []
  | r :: rows1 ->
    (match pattern with
     | [] -> []
     | s :: pattern0 ->
       (match l with
        | [] -> []
        | w :: l0 ->
          (dtimes (if s then w else dneg w) r.dpoint) :: (turned rows1
                                                           pattern0 l0)))

(** val marked : bool list -> dyadic list -> bool **)

let rec marked pattern l =
  match pattern with
  | [] -> false
  | s :: pattern0 ->
    (match l with
     | [] -> false
     | w :: l0 -> (||) ((&&) s (dlt dzero w)) (marked pattern0 l0))

(** val check_cone_empty : drow list -> bool list -> dyadic list -> bool **)

let check_cone_empty rows0 pattern l =
  (&&)
    ((&&)
      ((&&)
        ((&&) (Nat.eqb (length rows0) (length pattern))
          (Nat.eqb (length rows0) (length l)))
        (forallb (fun w -> dle dzero w) l)) (marked pattern l))
    (dnull (dtotal (turned rows0 pattern l)))

(** val gained : drow list -> dyadic list -> dyadic list -> dyadic **)

let rec gained rows0 u c =
  match rows0 with
  | [] -> dzero
  | r :: rows1 ->
    (match c with
     | [] -> dzero
     | w :: c0 ->
       dadd (dmul w (dmax dzero (ddot r.dpoint u))) (gained rows1 u c0))

(** val combined : drow list -> dyadic list -> dyadic list list **)

let rec combined rows0 c =
  match rows0 with
  | [] -> []
  | r :: rows1 ->
    (match c with
     | [] -> []
     | w :: c0 -> (dtimes w r.dpoint) :: (combined rows1 c0))

(** val check_spike :
    drow list -> dyadic list -> dyadic list -> dyadic option option **)

let check_spike rows0 u c =
  let most = ddot (dtotal (combined rows0 c)) (dtotal (combined rows0 c)) in
  let bound = dmul most (ddot u u) in
  let g = gained rows0 u c in
  if (&&) (dlt dzero g) (dlt bound (dmul g g))
  then Some
         (if dlt dzero most
          then Some (double_down (ddiv_down g (dsqrt_up bound)))
          else None)
  else None

(** val same_ray : dyadic list -> dyadic list -> bool **)

let same_ray a b =
  let ab = ddot a b in
  (&&) (dlt dzero ab) (deq (dmul ab ab) (dmul (ddot a a) (ddot b b)))

(** val rays : dyadic list list -> dyadic list list -> dyadic list list **)

let rec rays l kept0 =
  match l with
  | [] -> rev' kept0
  | x :: l0 ->
    if (||) (dnull x) (existsb (same_ray x) kept0)
    then rays l0 kept0
    else rays l0 (x :: kept0)

(** val zip_with :
    (Big.t -> Big.t -> Big.t) -> Big.t list -> Big.t list -> Big.t list **)

let rec zip_with f a b =
  match a with
  | [] -> []
  | p :: a0 ->
    (match b with
     | [] -> []
     | q :: b0 -> (f p q) :: (zip_with f a0 b0))

(** val jordan :
    nat -> Big.t -> Big.t list list -> Big.t list list -> Big.t list list
    option **)

let rec jordan fuel before0 above below =
  match fuel with
  | O -> (match below with
          | [] -> Some (rev' above)
          | _ :: _ -> None)
  | S fuel0 ->
    (match below with
     | [] -> Some (rev' above)
     | l :: below0 ->
       (match l with
        | [] -> None
        | p :: pivot ->
          let clear = fun row ->
            match row with
            | [] -> []
            | a :: row0 ->
              zip_with (fun x y ->
                (fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
                  (Big.sub (Big.mul p x) (Big.mul a y)) before0) row0 pivot
          in
          if Big.equal p Big.zero
          then None
          else jordan fuel0 p (pivot :: (map clear above)) (map clear below0)))

(** val whole_rows : dyadic list list -> Big.t list list **)

let whole_rows l =
  let lowest =
    fold_left (fun e x -> fold_left (fun e0 a -> Big.min e0 a.exponent) x e)
      l Big.zero
  in
  map
    (map (fun a ->
      (fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
        a.mantissa (Big.sub a.exponent lowest))) l

(** val zdot : Big.t list -> Big.t list -> Big.t **)

let zdot a b =
  fold_left Big.add (zip_with Big.mul a b) Big.zero

(** val unit_row0 : nat -> nat -> Big.t list **)

let unit_row0 m i =
  map (fun j -> if Nat.eqb i j then Big.one else Big.zero) (seq O m)

(** val reciprocals : dyadic list list -> dyadic list list option **)

let reciprocals r =
  let m = length r in
  let w = whole_rows r in
  let start0 =
    map (fun p -> app (map (zdot (snd p)) w) (unit_row0 m (fst p)))
      (combine (seq O m) w)
  in
  (match jordan m Big.one [] start0 with
   | Some g ->
     Some
       (map (fun g0 ->
         dtotal (map (fun p -> dtimes (dint (fst p)) (snd p)) (combine g0 r)))
         g)
   | None -> None)

(** val at_row : dyadic list list -> nat -> dyadic list **)

let at_row l i =
  nth i l []

(** val reciprocal :
    dyadic -> dyadic list list -> dyadic list list -> bool **)

let reciprocal d r b =
  forallb (fun i ->
    forallb (fun j ->
      deq (ddot (at_row r i) (at_row b j)) (if Nat.eqb i j then d else dzero))
      (seq O (length r))) (seq O (length r))

(** val obtuse : nat -> dyadic list list -> bool **)

let obtuse m b =
  forallb (fun i ->
    forallb (fun j ->
      (||) (Nat.eqb i j) (dle (ddot (at_row b i) (at_row b j)) dzero))
      (seq O m)) (seq O m)

(** val check_spike_free : nat -> dyadic list list -> bool **)

let check_spike_free d xs =
  let r = rays xs [] in
  (&&)
    ((&&) (Nat.leb (length r) d)
      (forallb (fun x ->
        (||) (dnull x) (existsb (fun r0 -> same_ray r0 x) r)) xs))
    (match reciprocals r with
     | Some b ->
       let d0 =
         match r with
         | [] -> done0
         | r0 :: _ -> (match b with
                       | [] -> done0
                       | q :: _ -> ddot r0 q)
       in
       (&&) ((&&) (dlt dzero d0) (reciprocal d0 r b)) (obtuse (length r) b)
     | None -> false)

(** val whole_row : dyadic list -> Big.t list **)

let whole_row x =
  let e =
    fold_left (fun e a ->
      if Big.equal a.mantissa Big.zero then e else Big.min e a.exponent) x
      Big.zero
  in
  map (fun a ->
    (fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
      a.mantissa (Big.max Big.zero (Big.sub a.exponent e))) x

(** val zero_row : Big.t list -> bool **)

let zero_row r =
  forallb (Big.equal Big.zero) r

(** val primitive : Big.t list -> Big.t list **)

let primitive r =
  let g = fold_left Big.gcd r Big.zero in
  if (&&) (Big.lt Big.one g)
       (forallb (fun t ->
         Big.equal
           (Big.mul
             ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
               t g) g) t) r)
  then map (fun t ->
         (fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b) t g) r
  else r

(** val combined0 :
    Big.t -> Big.t list -> Big.t -> Big.t list -> Big.t list **)

let rec combined0 a y b x =
  match y with
  | [] -> map (Big.mul b) x
  | p :: y0 ->
    (match x with
     | [] -> map (Big.mul a) y
     | q :: x0 ->
       (Big.add (Big.mul a p) (Big.mul b q)) :: (combined0 a y0 b x0))

(** val restricted : Big.t list -> Big.t list -> Big.t list **)

let rec restricted x y =
  match x with
  | [] -> y
  | a :: x0 ->
    (match y with
     | [] -> []
     | b :: y0 ->
       if Big.equal a Big.zero
       then b :: (restricted x0 y0)
       else combined0 (Big.abs a) y0
              (Big.neg (Big.mul ((fun a -> Big.of_int (Big.sign a)) a) b)) x0)

(** val single_entry : Big.t list -> bool **)

let single_entry = function
| [] -> false
| a :: l -> (match l with
             | [] -> negb (Big.equal a Big.zero)
             | _ :: _ -> false)

(** val count_cones : nat -> Big.t list list -> Big.t option **)

let rec count_cones d rows0 =
  match d with
  | O ->
    (match rows0 with
     | [] -> Some Big.one
     | _ :: _ -> if existsb zero_row rows0 then Some Big.zero else None)
  | S d0 ->
    if match d0 with
       | O ->
         (&&) (negb (Nat.eqb (length rows0) O)) (forallb single_entry rows0)
       | S _ -> false
    then Some ((fun p -> Big.shift_left p 1) Big.one)
    else let rec each = function
         | [] -> Some Big.one
         | x :: rest ->
           if zero_row x
           then Some Big.zero
           else let inside = map (fun y -> primitive (restricted x y)) rest in
                (match each rest with
                 | Some a ->
                   (match if existsb zero_row inside
                          then Some Big.zero
                          else count_cones d0 inside with
                    | Some b -> Some (Big.add a b)
                    | None -> None)
                 | None -> None)
         in each rows0

(** val distinct : nat -> bool list list -> bool **)

let rec distinct n0 l = match l with
| [] -> true
| _ :: l1 ->
  (match l1 with
   | [] -> true
   | _ :: _ ->
     (match n0 with
      | O -> false
      | S n1 ->
        (&&)
          ((&&)
            (forallb (fun p -> match p with
                               | [] -> false
                               | _ :: _ -> true) l)
            (distinct n1 (map tl (filter (hd false) l))))
          (distinct n1 (map tl (filter (fun p -> negb (hd false p)) l)))))

(** val nonzero_points : drow list -> dyadic list list **)

let nonzero_points rows0 =
  filter (fun x -> negb (dnull x)) (map (fun d -> d.dpoint) rows0)

(** val cones_ok : nat -> gates -> drow list -> bool **)

let cones_ok d g rows0 =
  match g with
  | Orientations l ->
    let xs = nonzero_points rows0 in
    let products0 = map (fun v -> map (fun x -> ddot x v) xs) l in
    (&&)
      ((&&)
        ((&&) (negb (Nat.eqb (length l) O))
          (forallb (forallb (fun t -> negb (deq t dzero))) products0))
        (distinct (length xs) (map (map (dlt dzero)) products0)))
      (match count_cones d (map (fun x -> primitive (whole_row x)) xs) with
       | Some c -> Big.leq c (Z.of_nat (length l))
       | None -> false)
  | Patterns _ -> false

(** val pivot_of : Big.t list list -> (Big.t * Big.t list) option **)

let rec pivot_of = function
| [] -> None
| l :: rest ->
  (match l with
   | [] -> pivot_of rest
   | a :: x -> if Big.equal a Big.zero then pivot_of rest else Some (a, x))

(** val nullity : nat -> Big.t list list -> nat **)

let rec nullity d rows0 =
  match d with
  | O -> O
  | S d0 ->
    (match pivot_of rows0 with
     | Some p ->
       let (a, x) = p in
       nullity d0
         (map (fun r ->
           primitive (combined0 a (tl r) (Big.neg (hd Big.zero r)) x)) rows0)
     | None -> S (nullity d0 (map tl rows0)))

(** val placed :
    drow list -> bool list -> dyadic list -> dyadic list -> bool **)

let rec placed rows0 pattern z0 l =
  match rows0 with
  | [] ->
    (match pattern with
     | [] -> (match l with
              | [] -> true
              | _ :: _ -> false)
     | _ :: _ -> false)
  | r :: rows1 ->
    (match pattern with
     | [] -> false
     | s :: pattern0 ->
       (match l with
        | [] -> false
        | w :: l0 ->
          let t = ddot r.dpoint z0 in
          (&&)
            ((&&)
              ((&&) (if s then dlt dzero t else dle t dzero) (dle dzero w))
              (eqb ((&&) (negb (dnull r.dpoint)) (deq t dzero)) (dlt dzero w)))
            (placed rows1 pattern0 z0 l0)))

(** val forced : drow list -> dyadic list -> dyadic list list **)

let forced rows0 z0 =
  filter (fun x -> (&&) (negb (dnull x)) (deq (ddot x z0) dzero))
    (map (fun d -> d.dpoint) rows0)

(** val check_dimension :
    nat -> drow list -> bool list -> dyadic list -> dyadic list -> nat option **)

let check_dimension d rows0 pattern z0 l =
  if (&&) ((&&) (Nat.eqb (length z0) d) (placed rows0 pattern z0 l))
       (dnull (dtotal (combined rows0 l)))
  then Some
         (nullity d
           (map (fun x -> primitive (whole_row x)) (forced rows0 z0)))
  else None

(** val zip :
    (Big.t -> Big.t -> Big.t) -> Big.t list -> Big.t list -> Big.t list **)

let rec zip f a b =
  match a with
  | [] -> []
  | p :: a0 -> (match b with
                | [] -> []
                | q :: b0 -> (f p q) :: (zip f a0 b0))

(** val first_positive : nat -> Big.t list -> nat option **)

let rec first_positive k = function
| [] -> None
| a :: l0 -> if Big.lt Big.zero a then Some k else first_positive (S k) l0

(** val entry_of : nat -> (nat * Big.t list) -> Big.t **)

let entry_of j r =
  nth j (tl (snd r)) Big.zero

(** val sooner : nat -> (nat * Big.t list) -> (nat * Big.t list) -> bool **)

let sooner j a b =
  match Z.compare (Big.mul (hd Big.zero (snd a)) (entry_of j b))
          (Big.mul (hd Big.zero (snd b)) (entry_of j a)) with
  | Eq -> Nat.ltb (fst a) (fst b)
  | Lt -> true
  | Gt -> false

(** val leaving :
    nat -> (nat * Big.t list) list -> (nat * Big.t list) option ->
    (nat * Big.t list) option **)

let rec leaving j rows0 best =
  match rows0 with
  | [] -> best
  | r :: rows1 ->
    leaving j rows1
      (if Big.lt Big.zero (entry_of j r)
       then (match best with
             | Some b -> if sooner j r b then Some r else best
             | None -> Some r)
       else best)

(** val simplex :
    nat -> nat -> Big.t -> (nat * Big.t list) list -> (nat * Big.t list) list **)

let rec simplex fuel n0 d rows0 =
  match fuel with
  | O -> rows0
  | S fuel0 ->
    let costs =
      fold_left (zip Big.add)
        (map (fun r -> tl (snd r))
          (filter (fun r -> Nat.leb n0 (fst r)) rows0)) (repeat Big.zero n0)
    in
    (match first_positive O costs with
     | Some j ->
       (match leaving j rows0 None with
        | Some p ->
          let (k, pivot) = p in
          let p0 = nth j (tl pivot) Big.zero in
          simplex fuel0 n0 p0
            (map (fun r ->
              if Nat.eqb (fst r) k
              then (j, pivot)
              else ((fst r),
                     (zip (fun a b ->
                       (fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
                         (Big.sub (Big.mul p0 a) (Big.mul (entry_of j r) b)) d)
                       (snd r) pivot))) rows0)
        | None -> rows0)
     | None -> rows0)

(** val weights_of : nat -> (Big.t list * bool) list -> Big.t list **)

let weights_of d l =
  let n0 = length l in
  let start0 =
    app
      (map (fun k -> ((add n0 k),
        (Big.zero :: (map (fun p ->
                       let t = nth k (fst p) Big.zero in
                       if snd p then t else Big.neg t) l)))) (seq O d))
      (((add n0 d),
      (Big.one :: (map (fun p -> if snd p then Big.one else Big.zero) l))) :: [])
  in
  let found =
    simplex
      (mul (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        O)))))))))))))))))))) (add n0 d)) n0 Big.one start0
  in
  map (fun i ->
    match find (fun r -> Nat.eqb (fst r) i) found with
    | Some r -> hd Big.zero (snd r)
    | None -> Big.zero) (seq O n0)

(** val summed : (Big.t list * bool) list -> Big.t list -> Big.t list **)

let summed l w =
  fold_left (fun s p ->
    combined0 Big.one s (if snd (fst p) then snd p else Big.neg (snd p))
      (fst (fst p))) (combine l w) []

(** val vacant : (Big.t list * bool) list -> Big.t list -> bool **)

let vacant l w =
  (&&)
    ((&&) (forallb (fun t -> Big.leq Big.zero t) w)
      (existsb (fun p -> (&&) (snd (fst p)) (Big.lt Big.zero (snd p)))
        (combine l w))) (zero_row (summed l w))

(** val covers :
    nat -> (Big.t list * bool) list -> Big.t list list -> bool list list ->
    bool **)

let rec covers d before0 rest sets =
  match rest with
  | [] -> (match sets with
           | [] -> false
           | _ :: _ -> true)
  | x :: rest0 ->
    let side = fun s ->
      match filter (fun p -> eqb (hd false p) s) sets with
      | [] -> let l = (x, s) :: before0 in vacant l (weights_of d l)
      | l :: l0 -> covers d ((x, s) :: before0) rest0 (map tl (l :: l0))
    in
    (&&) (side true) (side false)

(** val check_faces : nat -> gates -> drow list -> bool **)

let check_faces d g rows0 =
  match g with
  | Orientations l ->
    let xs = map (fun d0 -> d0.dpoint) rows0 in
    let sets = map (fun v -> map (dlt dzero) (map (fun x -> ddot x v) xs)) l
    in
    (&&) (distinct (length xs) sets)
      (covers d [] (map (fun x -> primitive (whole_row x)) xs) sets)
  | Patterns _ -> false

(** val halvings : nat **)

let halvings =
  S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

(** val pow_minus_k : dyadic **)

let pow_minus_k =
  { mantissa = Big.one; exponent = (Big.neg ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one)))))))) }

(** val pow_k : dyadic **)

let pow_k =
  { mantissa = Big.one; exponent = ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    Big.one))))))) }

(** val squared_up : nat -> dyadic -> dyadic **)

let rec squared_up k a =
  match k with
  | O -> a
  | S k0 ->
    squared_up k0
      (dtrim_up ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))))) (dmul a a))

(** val rooted_up : nat -> dyadic -> dyadic **)

let rec rooted_up k a =
  match k with
  | O -> a
  | S k0 -> rooted_up k0 (dsqrt_up a)

(** val exp_up : dyadic -> dyadic **)

let exp_up t =
  if dle t
       (dint (Big.neg ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1))
         ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))))))
  then { mantissa = Big.one; exponent = (Big.neg
         ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1))
         ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
         ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))))) }
  else squared_up halvings
         (ddiv_up done0
           (dsub done0
             (dmul pow_minus_k
               (dtrim_up ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.succ (Big.shift_left p 1))
                 ((fun p -> Big.succ (Big.shift_left p 1))
                 ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.succ (Big.shift_left p 1))
                 ((fun p -> Big.shift_left p 1)
                 ((fun p -> Big.shift_left p 1) Big.one)))))))) t))))

(** val ln_up : dyadic -> dyadic **)

let ln_up y =
  dmul pow_k (dsub (rooted_up halvings y) done0)

(** val lse_up : dyadic list -> dyadic **)

let lse_up l = match l with
| [] -> dzero
| a :: rest ->
  let top0 = fold_left dmax rest a in
  dadd top0 (ln_up (dsum (map (fun f -> exp_up (dsub f top0)) l)))

(** val entropy_down : dyadic -> dyadic -> dyadic **)

let entropy_down c z0 =
  if deq z0 dzero then dzero else dneg (dmul z0 (ln_up (ddiv_up z0 c)))

(** val row_minus :
    Big.t -> Big.t -> Big.t list -> Big.t list -> Big.t list **)

let rec row_minus p t b r =
  match b with
  | [] -> []
  | x :: b0 ->
    (match r with
     | [] -> []
     | y :: r0 ->
       (Big.sub (Big.mul p x) (Big.mul t y)) :: (row_minus p t b0 r0))

(** val eliminated :
    Big.t -> Big.t list -> Big.t list list -> Big.t list list **)

let rec eliminated p r m =
  match r with
  | [] -> []
  | t :: rest ->
    (match m with
     | [] -> []
     | b :: m0 -> (row_minus p t b r) :: (eliminated p rest m0))

(** val divisible : Big.t -> Big.t list list -> bool **)

let divisible c m =
  forallb
    (forallb (fun x ->
      Big.equal
        (Big.mul
          ((fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b) x c)
          c) x)) m

(** val reduced : Big.t -> Big.t list list -> Big.t list list **)

let reduced c m =
  if (&&) (Big.lt Big.one c) (divisible c m)
  then map
         (map (fun x ->
           (fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b) x c))
         m
  else m

(** val definite : Big.t list list -> Big.t -> Big.t list list -> bool **)

let rec definite fuel before0 m =
  match fuel with
  | [] -> (match m with
           | [] -> true
           | _ :: _ -> false)
  | _ :: fuel0 ->
    (match m with
     | [] -> true
     | l0 :: m0 ->
       (match l0 with
        | [] -> false
        | p :: r ->
          (&&) ((&&) (Big.lt Big.zero p) (Nat.eqb (length r) (length m0)))
            (definite fuel0 p (reduced before0 (eliminated p r m0)))))

(** val outer_product : dyadic list -> dyadic list list **)

let rec outer_product c = match c with
| [] -> []
| x :: rest -> (dtimes x c) :: (outer_product rest)

(** val tri_plus :
    dyadic list list -> dyadic list list -> dyadic list list **)

let rec tri_plus a b =
  match a with
  | [] -> b
  | p :: a0 ->
    (match b with
     | [] -> a
     | q :: b0 -> (dplus p q) :: (tri_plus a0 b0))

(** val tri_times : dyadic -> dyadic list list -> dyadic list list **)

let tri_times t a =
  map (dtimes t) a

(** val tri_diagonal : nat -> dyadic -> dyadic list list **)

let rec tri_diagonal d q =
  match d with
  | O -> []
  | S k -> (q :: (repeat dzero k)) :: (tri_diagonal k q)

(** val floor_at : Big.t -> dyadic -> Big.t **)

let floor_at e a =
  let k = Big.sub a.exponent e in
  if Big.leq Big.zero k
  then (fun a k -> let k = Big.to_int k in if k >= 0 then Big.shift_left a k else Big.shift_right a (- k))
         a.mantissa k
  else (fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
         a.mantissa
         ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
           ((fun p -> Big.shift_left p 1) Big.one) (Big.neg k))

(** val lowered : Big.t -> Big.t list -> Big.t list **)

let lowered d = function
| [] -> []
| p :: r -> (Big.sub p d) :: r

(** val on_grid : Big.t -> Big.t -> dyadic list list -> Big.t list list **)

let on_grid e d a =
  map (fun b -> lowered d (map (floor_at e) b)) a

(** val tri_definite : Big.t -> nat -> dyadic list list -> bool **)

let tri_definite e d a =
  let m = on_grid e (Z.of_nat d) a in definite m Big.one m

type term = { col : Big.t; coef : dyadic; pt : dyadic list }

(** val same_column :
    Big.t -> term list -> (Big.t * term list) list option **)

let same_column j l = match l with
| [] -> Some []
| _ :: _ ->
  if forallb (fun t -> Big.equal t.col j) l then Some ((j, l) :: []) else None

(** val grouped0 :
    nat -> Big.t -> Big.t -> term list -> (Big.t * term list) list option **)

let rec grouped0 fuel lo hi l =
  match fuel with
  | O -> same_column lo l
  | S fuel0 ->
    (match l with
     | [] -> Some []
     | _ :: _ ->
       if Big.leq (Big.sub hi lo) Big.one
       then same_column lo l
       else let mid =
              (fun a b -> if Big.sign b = 0 then Big.zero else Big.fdiv a b)
                (Big.add lo hi) ((fun p -> Big.shift_left p 1) Big.one)
            in
            (match grouped0 fuel0 lo mid
                     (filter (fun t -> Big.lt t.col mid) l) with
             | Some a ->
               (match grouped0 fuel0 mid hi
                        (filter (fun t -> negb (Big.lt t.col mid)) l) with
                | Some b -> Some (app a b)
                | None -> None)
             | None -> None))

(** val by_column :
    Big.t -> Big.t -> term list -> (Big.t * term list) list option **)

let by_column lo hi l =
  grouped0
    (add (S (S O))
      (Z.to_nat
        ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
          hi))) lo hi l

type entry_of0 = (Big.t * Big.t) * dyadic

type signs_fixed = (Big.t * bool) list

(** val sign_at : Big.t -> signs_fixed -> bool option **)

let rec sign_at j = function
| [] -> None
| p :: rest ->
  let (k, e) = p in if Big.equal k j then Some e else sign_at j rest

(** val signed : bool -> dyadic -> dyadic **)

let signed e a =
  if e then a else dneg a

(** val redirected : signs_fixed -> term -> term **)

let redirected fixed t =
  match sign_at (Big.sub t.col Big.one) fixed with
  | Some e ->
    if Big.lt Big.zero t.col
    then { col = Big.zero; coef = (signed e t.coef); pt = t.pt }
    else t
  | None -> t

(** val rows_terms : Big.t -> dyadic list list -> dyadic list -> term list **)

let rec rows_terms i xs v =
  match xs with
  | [] -> []
  | x :: xs0 ->
    (match v with
     | [] -> []
     | a :: v0 ->
       { col = i; coef = a; pt =
         x } :: (rows_terms (Big.add i Big.one) xs0 v0))

(** val entry_terms :
    dyadic list list -> entry_of0 list -> (term * Big.t) list option **)

let rec entry_terms xs = function
| [] -> Some []
| e :: rest ->
  let (p, theta) = e in
  let (i, j) = p in
  (match znth i xs with
   | Some x ->
     (match entry_terms xs rest with
      | Some more -> Some (({ col = i; coef = theta; pt = x }, j) :: more)
      | None -> None)
   | None -> None)

(** val psi_terms :
    dyadic list list -> (Big.t * term list) list -> term list option **)

let rec psi_terms xs = function
| [] -> Some []
| p :: rest ->
  let (i, l) = p in
  (match znth i xs with
   | Some x ->
     (match psi_terms xs rest with
      | Some more ->
        Some ({ col = (Big.add i Big.one); coef =
          (dmax dzero (dsum (map (fun t -> t.coef) l))); pt = x } :: more)
      | None -> None)
   | None -> None)

(** val nu_terms :
    dyadic list list -> signs_fixed -> dyadic list -> term list option **)

let rec nu_terms xs fixed nu =
  match fixed with
  | [] -> (match nu with
           | [] -> Some []
           | _ :: _ -> None)
  | p :: fixed0 ->
    let (j, e) = p in
    (match nu with
     | [] -> None
     | a :: nu0 ->
       (match znth j xs with
        | Some x ->
          (match nu_terms xs fixed0 nu0 with
           | Some more ->
             if dle dzero a
             then Some ({ col = Big.zero; coef = (signed e a); pt =
                    x } :: more)
             else None
           | None -> None)
        | None -> None))

(** val column_of : term list -> dyadic list **)

let column_of l =
  dtotal (map (fun t -> dtimes t.coef t.pt) l)

(** val weigh_columns :
    dyadic list -> (Big.t * term list) list -> (dyadic * dyadic list) list
    option **)

let rec weigh_columns gamma = function
| [] -> Some []
| p :: rest ->
  let (j, l) = p in
  (match znth j gamma with
   | Some g ->
     (match weigh_columns gamma rest with
      | Some more -> Some ((g, (column_of l)) :: more)
      | None -> None)
   | None -> None)

(** val leaf_columns :
    dyadic list list -> dyadic list -> signs_fixed -> entry_of0 list ->
    dyadic list -> dyadic list -> (dyadic * dyadic list) list option **)

let leaf_columns xs v fixed entries gamma nu =
  let n0 = Z.of_nat (length xs) in
  let base = rows_terms Big.zero xs v in
  (match entry_terms xs entries with
   | Some found ->
     (match nu_terms xs fixed nu with
      | Some pushed ->
        (match by_column Big.zero n0
                 (app base
                   (map (fun p -> { col = (fst p).col; coef =
                     (dabs (fst p).coef); pt = (fst p).pt }) found)) with
         | Some groups ->
           (match psi_terms xs groups with
            | Some psi ->
              let terms =
                app
                  (map (fun t -> { col = Big.zero; coef = t.coef; pt =
                    t.pt }) base)
                  (app pushed
                    (map (redirected fixed)
                      (app psi
                        (map (fun p -> { col = (snd p); coef =
                          (dneg (fst p).coef); pt = (fst p).pt }) found))))
              in
              (match by_column Big.zero (Big.add n0 Big.one) terms with
               | Some groups0 -> weigh_columns gamma groups0
               | None -> None)
            | None -> None)
         | None -> None)
      | None -> None)
   | None -> None)

(** val bound_columns :
    nat -> dyadic -> (dyadic * dyadic list) list -> bool **)

let bound_columns d p l =
  let l0 = filter (fun p0 -> negb (dnull (snd p0))) l in
  let used = filter (fun p0 -> dlt dzero (fst p0)) l0 in
  let loose = filter (fun p0 -> negb (dlt dzero (fst p0))) l0 in
  let t = dsum (map (fun p0 -> dsqrt_up (ddot (snd p0) (snd p0))) loose) in
  let a = dsum (map (fun p0 -> ddiv_up done0 (fst p0)) used) in
  let q = dsub (dadd p p) t in
  let s =
    fold_right (fun p0 s ->
      tri_plus (tri_times (fst p0) (outer_product (snd p0))) s) [] used
  in
  let m = tri_plus (tri_diagonal d (dmul q q)) (tri_times (dneg a) s) in
  (&&)
    ((&&)
      ((&&) (forallb (fun p0 -> dle dzero (fst p0)) l0)
        (forallb (fun p0 -> Nat.eqb (length (snd p0)) d) used)) (dle dzero q))
    (match used with
     | [] -> true
     | _ :: _ ->
       tri_definite
         (Big.sub
           (Big.add
             ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
               (Big.abs (dmul q q).mantissa)) (dmul q q).exponent)
           ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))))) d m)

(** val bound_lifted :
    nat -> dyadic -> dyadic -> dyadic -> (dyadic * dyadic list) list -> bool **)

let bound_lifted d r2 p lift l =
  let used = filter (fun p0 -> negb (dnull (snd p0))) l in
  let a = dsum (map (fun p0 -> ddiv_up done0 (fst p0)) used) in
  let last = dmul a lift in
  let top0 = dsub (dmul (dadd p p) (dadd p p)) (dmul last r2) in
  let s =
    fold_right (fun p0 s ->
      tri_plus (tri_times (fst p0) (outer_product (snd p0))) s) [] used
  in
  let m =
    tri_plus ((last :: (repeat dzero d)) :: (tri_diagonal d top0))
      (tri_times (dneg a) s)
  in
  (&&)
    ((&&)
      ((&&)
        ((&&) (forallb (fun p0 -> dlt dzero (fst p0)) used)
          (forallb (fun p0 -> Nat.eqb (length (snd p0)) (S d)) used))
        (dle dzero p)) (dle dzero lift))
    (match used with
     | [] -> true
     | _ :: _ ->
       tri_definite
         (Big.sub
           (Big.add
             ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
               (Big.abs top0.mantissa)) top0.exponent)
           ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.succ (Big.shift_left p 1))
           ((fun p -> Big.shift_left p 1)
           ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))))) (S d) m)

type tree =
| Split of Big.t * tree * tree
| Leaf of entry_of0 list * dyadic list * dyadic list * dyadic list

type bounds = dyadic list -> (dyadic * dyadic list) list -> bool

(** val leaf_ok :
    bounds -> dyadic list list -> dyadic list -> signs_fixed -> entry_of0
    list -> dyadic list -> dyadic list -> dyadic list -> bool **)

let leaf_ok bounded xs v fixed entries gamma nu lift =
  match leaf_columns xs v fixed entries gamma nu with
  | Some l -> bounded lift l
  | None -> false

(** val tree_ok :
    bounds -> dyadic list list -> dyadic list -> signs_fixed -> tree -> bool **)

let rec tree_ok bounded xs v fixed = function
| Split (j, above, below) ->
  (match znth j xs with
   | Some _ ->
     (match sign_at j fixed with
      | Some _ -> false
      | None ->
        (&&) (tree_ok bounded xs v (app fixed ((j, true) :: [])) above)
          (tree_ok bounded xs v (app fixed ((j, false) :: [])) below))
   | None -> false)
| Leaf (entries, gamma, nu, lift) ->
  leaf_ok bounded xs v fixed entries gamma nu lift

(** val less : dyadic list -> dyadic list -> dyadic list **)

let less x m =
  dplus x (dtimes (dint (Big.neg Big.one)) m)

(** val radius : dyadic list list -> dyadic **)

let radius ys =
  fold_left dmax (map (fun y -> ddot y y) ys) dzero

(** val side_ok :
    bool -> nat -> dyadic list -> dyadic list list -> dyadic list -> dyadic
    -> tree -> bool **)

let side_ok free d m xs v p t =
  if free
  then let ys = map (fun x -> less x m) xs in
       let r2 = radius ys in
       (&&) ((&&) (deq (dsum v) dzero) (Nat.eqb (length v) (length xs)))
         (tree_ok (fun lift l ->
           match lift with
           | [] -> false
           | r :: l0 ->
             (match l0 with
              | [] -> bound_lifted d r2 p r l
              | _ :: _ -> false)) (map (fun x -> done0 :: x) ys) v [] t)
  else tree_ok (fun lift l ->
         match lift with
         | [] -> bound_columns d p l
         | _ :: _ -> false) xs v [] t

(** val kinks_ok :
    nat -> dyadic list list -> dyadic list -> dyadic -> dyadic list list ->
    (tree * tree) list -> bool **)

let rec kinks_ok d all v p xs l =
  match xs with
  | [] -> (match l with
           | [] -> true
           | _ :: _ -> false)
  | x :: xs0 ->
    (match l with
     | [] -> false
     | p0 :: l0 ->
       let (above, below) = p0 in
       let ys = map (fun y -> less y x) all in
       (&&)
         ((&&) (side_ok false d [] ys v p above)
           (side_ok false d [] ys (map dneg v) p below))
         (kinks_ok d all v p xs0 l0))

type place0 = dyadic * dyadic

(** val cross : place0 -> place0 -> dyadic **)

let cross a b =
  dsub (dmul (fst a) (snd b)) (dmul (snd a) (fst b))

(** val inner_product : place0 -> place0 -> dyadic **)

let inner_product a b =
  dadd (dmul (fst a) (fst b)) (dmul (snd a) (snd b))

type ray = { at_place : place0; products : dyadic list; ahead : dyadic;
             behind : dyadic }

(** val ray_at : dyadic list -> dyadic list list -> place0 -> ray **)

let ray_at v xs a =
  let p = map (fun x -> ddot x ((fst a) :: ((snd a) :: []))) xs in
  { at_place = a; products = p; ahead = (ddot v (map (dmax dzero) p));
  behind = (ddot v (map (fun t -> dmax dzero (dneg t)) p)) }

(** val straight : dyadic list -> dyadic list -> bool **)

let rec straight p q =
  match p with
  | [] -> (match q with
           | [] -> true
           | _ :: _ -> false)
  | s :: p0 ->
    (match q with
     | [] -> false
     | t :: q0 ->
       (&&) (negb (Big.equal (Big.mul (dsgn s) (dsgn t)) (Big.neg Big.one)))
         (straight p0 q0))

(** val copositive :
    dyadic -> place0 -> place0 -> dyadic -> dyadic -> bool **)

let copositive p a b h k =
  let p2 = dmul p p in
  let a0 = dsub (dmul p2 (inner_product a a)) (dmul h h) in
  let c = dsub (dmul p2 (inner_product b b)) (dmul k k) in
  let b0 = dsub (dmul p2 (inner_product a b)) (dmul h k) in
  (&&) ((&&) (dle dzero a0) (dle dzero c))
    ((||) (dle dzero b0) (dle (dmul b0 b0) (dmul a0 c)))

(** val arc_ok : dyadic -> ray -> ray -> bool **)

let arc_ok p a b =
  (&&)
    ((&&)
      ((&&) (dlt dzero (cross a.at_place b.at_place))
        (straight a.products b.products))
      (copositive p a.at_place b.at_place a.ahead b.ahead))
    (copositive p a.at_place b.at_place a.behind b.behind)

(** val chain_ok : dyadic -> ray -> ray list -> bool **)

let rec chain_ok p a = function
| [] -> true
| b :: rest -> (&&) (arc_ok p a b) (chain_ok p b rest)

(** val merged : place0 list -> place0 list -> place0 list **)

let rec merged a = match a with
| [] -> (fun b -> b)
| p :: a' ->
  let rec into b = match b with
  | [] -> a
  | q :: b' ->
    if dlt dzero (cross p q)
    then p :: (merged a' b)
    else if dlt (cross p q) dzero then q :: (into b') else merged a' b
  in into

(** val halves : place0 list -> place0 list * place0 list **)

let rec halves = function
| [] -> ([], [])
| p :: l0 -> let (a, b) = halves l0 in ((p :: b), a)

(** val sorted : nat -> place0 list -> place0 list **)

let rec sorted fuel l =
  match fuel with
  | O -> l
  | S fuel0 ->
    (match l with
     | [] -> l
     | _ :: l0 ->
       (match l0 with
        | [] -> l
        | _ :: _ ->
          let (a, b) = halves l in merged (sorted fuel0 a) (sorted fuel0 b)))

(** val ray_of : dyadic list -> place0 list **)

let ray_of = function
| [] -> []
| p :: l ->
  (match l with
   | [] -> []
   | q :: l0 ->
     (match l0 with
      | [] ->
        if (||) (Big.equal (dsgn p) Big.zero) (Big.equal (dsgn q) Big.zero)
        then []
        else (if dle dzero p then ((dneg q), p) else (q, (dneg p))) :: []
      | _ :: _ -> []))

(** val east : place0 **)

let east =
  (done0, dzero)

(** val north : place0 **)

let north =
  (dzero, done0)

(** val west : place0 **)

let west =
  ((dint (Big.neg Big.one)), dzero)

(** val plane_ok : dyadic -> dyadic list -> dyadic list list -> bool **)

let plane_ok p v xs =
  let rays0 = flat_map ray_of xs in
  let first =
    sorted (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
      (filter (fun a -> dlt dzero (fst a)) rays0)
  in
  let second =
    sorted (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
      (filter (fun a -> dlt (fst a) dzero) rays0)
  in
  let to0 = ray_at v xs in
  (&&)
    ((&&) (dle dzero p)
      (chain_ok p (to0 east) (map to0 (app first (north :: [])))))
    (chain_ok p (to0 north) (map to0 (app second (west :: []))))

(** val line_at :
    dyadic -> dyadic -> dyadic list -> dyadic list -> dyadic -> bool **)

let line_at a2 left v ts c =
  let p = map (fun t -> dsub t c) ts in
  let h = ddot v (map (dmax dzero) p) in
  let k = ddot v (map (fun t -> dmax dzero (dneg t)) p) in
  (&&) (dle (dmul (dmul h h) a2) (dmul left left))
    (dle (dmul (dmul k k) a2) (dmul left left))

(** val line_ok :
    bool -> dyadic -> dyadic -> dyadic list -> dyadic list -> bool **)

let line_ok free a2 left v ts =
  (&&) (dle dzero left)
    (if free
     then (&&) ((&&) (deq (dsum v) dzero) (Nat.eqb (length v) (length ts)))
            (forallb (line_at a2 left v ts) ts)
     else line_at a2 left v ts dzero)

(** val miss_along :
    dyadic list -> dyadic list -> dyadic list -> dyadic list list -> dyadic **)

let miss_along a v ts xs =
  dsum
    (map (fun p ->
      let z0 = less (snd (snd p)) (dtimes (fst (snd p)) a) in
      dmul (dabs (fst p)) (dsqrt_up (ddot z0 z0)))
      (combine v (combine ts xs)))

(** val exact_ok :
    bool -> nat -> (dyadic list * dyadic list) option -> dyadic list list ->
    dyadic list -> dyadic -> bool **)

let exact_ok free d along xs v p =
  match along with
  | Some p0 ->
    let (a, ts) = p0 in
    (&&) ((&&) (Nat.eqb (length ts) (length xs)) (dlt dzero (ddot a a)))
      (line_ok free (ddot a a) (dsub p (miss_along a v ts xs)) v ts)
  | None ->
    (match d with
     | O -> false
     | S n0 ->
       (match n0 with
        | O -> line_ok free done0 p v (map (fun x -> nth O x dzero) xs)
        | S n1 ->
          (match n1 with
           | O ->
             if free
             then (&&)
                    ((&&) ((&&) (dle dzero p) (deq (dsum v) dzero))
                      (Nat.eqb (length v) (length xs)))
                    (forallb (fun x ->
                      plane_ok p v (map (fun y -> less y x) xs)) xs)
             else plane_ok p v xs
           | S _ -> false)))

type direction =
| Sides of dyadic * dyadic * tree * tree
| Kinks of dyadic * (tree * tree) list
| Exact of dyadic

type setting = { any_bias : bool; width : nat; centre : dyadic list;
                 line0 : (dyadic list * dyadic list) option;
                 xs_of : dyadic list list }

(** val direction_prices :
    setting -> dyadic list -> direction -> (dyadic * dyadic) option **)

let direction_prices s v e =
  let given = fun holds p q ->
    if (&&) ((&&) (dle dzero p) (dle dzero q)) holds
    then Some (p, q)
    else None
  in
  (match e with
   | Sides (p, q, above, below) ->
     given
       ((&&) (side_ok s.any_bias s.width s.centre s.xs_of v p above)
         (side_ok s.any_bias s.width s.centre s.xs_of (map dneg v) q below))
       p q
   | Kinks (p, l) ->
     given
       ((&&)
         ((&&) ((&&) s.any_bias (deq (dsum v) dzero))
           (Nat.eqb (length v) (length s.xs_of)))
         (kinks_ok s.width s.xs_of v p s.xs_of l)) p p
   | Exact p -> given (exact_ok s.any_bias s.width s.line0 s.xs_of v p) p p)

type corner = { parents : (Big.t * Big.t); parts : (dyadic * dyadic);
                at_corner : dyadic list; price_plus : dyadic;
                price_minus : dyadic }

type edge = (Big.t * bool) * corner

(** val edge_price : edge -> dyadic **)

let edge_price e =
  if snd (fst e) then (snd e).price_plus else (snd e).price_minus

(** val directed : edge -> dyadic list **)

let directed e =
  if snd (fst e) then (snd e).at_corner else map dneg (snd e).at_corner

type cone_tree =
| Bisect of Big.t * cone_tree * cone_tree
| Piece of dyadic list

(** val picked : Big.t -> edge list -> (edge * edge list) option **)

let rec picked i = function
| [] -> None
| e :: g0 ->
  if Big.equal (fst (fst e)) i
  then Some (e, g0)
  else (match picked i g0 with
        | Some p -> let (f, rest) = p in Some (f, (e :: rest))
        | None -> None)

(** val between : corner -> edge -> edge -> bool option **)

let between c g h =
  let a = if snd (fst g) then fst c.parts else dneg (fst c.parts) in
  let b = if snd (fst h) then snd c.parts else dneg (snd c.parts) in
  if dnull
       (dplus c.at_corner
         (dtimes (dint (Big.neg Big.one))
           (dplus (dtimes a (directed g)) (dtimes b (directed h)))))
  then if (&&) (dlt dzero a) (dlt dzero b)
       then Some true
       else if (&&) (dlt a dzero) (dlt b dzero) then Some false else None
  else None

(** val cone_bound :
    corner list -> edge list -> cone_tree -> dyadic option **)

let rec cone_bound corners g = function
| Bisect (k, first, second) ->
  (match znth k corners with
   | Some c ->
     (match picked (fst c.parents) g with
      | Some p0 ->
        let (p, more) = p0 in
        (match picked (snd c.parents) more with
         | Some p1 ->
           let (q, rest) = p1 in
           (match between c p q with
            | Some turn ->
              let e = ((k, turn), c) in
              (match cone_bound corners (e :: (q :: rest)) first with
               | Some x ->
                 (match cone_bound corners (e :: (p :: rest)) second with
                  | Some y -> Some (dmax x y)
                  | None -> None)
               | None -> None)
            | None -> None)
         | None -> None)
      | None -> None)
   | None -> None)
| Piece l ->
  if forallb (fun e -> dle (edge_price e) (ddot l (directed e))) g
  then Some (ddot l l)
  else None

(** val axis : bool -> nat -> nat -> dyadic list **)

let axis differences o k =
  map (fun j ->
    if Nat.eqb j k
    then done0
    else if (&&) differences (Nat.eqb j (sub o (S O)))
         then dint (Big.neg Big.one)
         else dzero) (seq O o)

(** val corner_at :
    setting -> bool -> dyadic list list -> (Big.t * Big.t) ->
    (dyadic * dyadic) -> dyadic list -> direction -> corner option **)

let corner_at s fan vs from0 by_ at_ e =
  match direction_prices s (map (fun w -> ddot w at_) vs) e with
  | Some p ->
    let (p0, q) = p in
    Some
    (if fan
     then { parents = from0; parts = by_; at_corner = at_; price_plus = p0;
            price_minus = q }
     else { parents = from0; parts = by_; at_corner = at_; price_plus =
            (dmax p0 q); price_minus = (dmax p0 q) })
  | None -> None

(** val axes_of :
    setting -> bool -> bool -> nat -> dyadic list list -> nat -> direction
    list -> corner list option **)

let rec axes_of s fan differences o vs k = function
| [] -> Some []
| e :: l0 ->
  (match corner_at s fan vs ((Big.neg Big.one), (Big.neg Big.one)) (dzero,
           dzero) (axis differences o k) e with
   | Some c ->
     (match axes_of s fan differences o vs (S k) l0 with
      | Some more -> Some (c :: more)
      | None -> None)
   | None -> None)

type new_corner = { from_corners : (Big.t * Big.t);
                    in_parts : (dyadic * dyadic); proved_by : direction }

(** val corners_of :
    setting -> bool -> dyadic list list -> corner list -> new_corner list ->
    corner list option **)

let rec corners_of s fan vs known = function
| [] -> Some known
| n0 :: l0 ->
  (match znth (fst n0.from_corners) known with
   | Some p ->
     (match znth (snd n0.from_corners) known with
      | Some q ->
        (match corner_at s fan vs n0.from_corners n0.in_parts
                 (dplus (dtimes (fst n0.in_parts) p.at_corner)
                   (dtimes (snd n0.in_parts) q.at_corner)) n0.proved_by with
         | Some c -> corners_of s fan vs (app known (c :: [])) l0
         | None -> None)
      | None -> None)
   | None -> None)

(** val all_signs : nat -> bool list list **)

let rec all_signs = function
| O -> [] :: []
| S n1 ->
  app (map (fun s -> app s (true :: [])) (all_signs n1))
    (map (fun s -> app s (false :: [])) (all_signs n1))

(** val edges_of : Big.t -> bool list -> corner list -> edge list **)

let rec edges_of k signs0 axes =
  match signs0 with
  | [] -> []
  | s :: signs1 ->
    (match axes with
     | [] -> []
     | c :: axes0 ->
       ((k, s), c) :: (edges_of (Big.add k Big.one) signs1 axes0))

(** val cones_bound :
    corner list -> corner list -> bool list list -> cone_tree list -> dyadic
    option **)

let rec cones_bound corners axes signs0 cones =
  match signs0 with
  | [] -> (match cones with
           | [] -> Some dzero
           | _ :: _ -> None)
  | s :: signs1 ->
    (match cones with
     | [] -> None
     | t :: cones0 ->
       (match cone_bound corners (edges_of Big.zero s axes) t with
        | Some x ->
          (match cones_bound corners axes signs1 cones0 with
           | Some y -> Some (dmax x y)
           | None -> None)
        | None -> None))

type combination =
| Summed
| Covered of bool * bool * new_corner list * cone_tree list

(** val is_fan : combination -> bool **)

let is_fan = function
| Summed -> false
| Covered (fan, _, _, _) -> fan

(** val by_differences : combination -> bool **)

let by_differences = function
| Summed -> false
| Covered (_, diff, _, _) -> diff

(** val outputs_bound :
    setting -> nat -> dyadic list list -> direction list -> combination ->
    dyadic option **)

let outputs_bound s o vs l h =
  let count = if by_differences h then sub o (S O) else o in
  if (&&) ((&&) (negb (Nat.eqb count O)) (Nat.eqb (length l) count))
       ((||) (negb (by_differences h))
         (forallb (fun w -> (&&) (deq (dsum w) dzero) (Nat.leb (length w) o))
           vs))
  then (match axes_of s (is_fan h) (by_differences h) o vs O l with
        | Some axes ->
          (match h with
           | Summed ->
             Some (dsum (map (fun c -> dmul c.price_plus c.price_plus) axes))
           | Covered (fan, _, new0, cones) ->
             (match corners_of s fan vs axes new0 with
              | Some corners ->
                cones_bound corners axes
                  (if fan
                   then all_signs count
                   else map (fun x -> true :: x) (all_signs (sub count (S O))))
                  cones
              | None -> None))
        | None -> None)
  else None

type held = (dyadic list * dyadic list) * dyadic

(** val dmass : held list -> dyadic list -> dyadic **)

let dmass l x =
  dsum (map (fun b -> dmul (dabs (ddot x (fst (fst b)))) (snd b)) l)

(** val orthant_ok :
    dyadic -> dyadic -> dyadic list list -> dyadic list list -> dyadic list
    -> bool **)

let orthant_ok s edge0 xs vs w =
  let l = combine (combine xs vs) w in
  let masses = map (fun a -> dmass l (fst (fst a))) l in
  let s2 = dmul s s in
  let e2 = dmul edge0 edge0 in
  (&&)
    ((&&) (Nat.eqb (length w) (length xs)) (forallb (fun t -> dlt dzero t) w))
    (forallb (fun a ->
      dle
        (dmul s2
          (dsum
            (map (fun b ->
              dmul (dmax dzero (ddot (snd (fst a)) (snd (fst (fst b)))))
                (snd b)) (combine l masses)))) (dmul e2 (snd a))) l)

(** val dopen : gates -> dyadic list -> nat -> nat -> bool **)

let dopen g x i j =
  match g with
  | Orientations l -> dlt dzero (ddot x (nth j l []))
  | Patterns l -> nth i (nth j l []) false

type orow = drow * (nat -> bool)

(** val opened : gates -> nat -> drow list -> orow list **)

let rec opened g i = function
| [] -> []
| r :: rest -> (r, (dopen g r.dpoint i)) :: (opened g (S i) rest)

type dneuron = { douter : dyadic list; dinner : dyadic list; dshift : dyadic }

type dgated = { dgate : nat; dmaps : dyadic list list }

type dnetwork =
| Relu of dneuron list * dyadic list
| OnGates of dgated list * dyadic list

(** val dtotal_right : dyadic list list -> dyadic list **)

let dtotal_right l =
  fold_right dplus [] l

(** val drelu : dyadic -> dyadic **)

let drelu t =
  dmax dzero t

(** val doutput : dnetwork -> orow -> dyadic list **)

let doutput f p =
  match f with
  | Relu (l, c) ->
    dplus c
      (dtotal_right
        (map (fun j ->
          dtimes (drelu (dadd (ddot j.dinner (fst p).dpoint) j.dshift))
            j.douter) l))
  | OnGates (l, c) ->
    dplus c
      (dtotal_right
        (map (fun j ->
          if snd p j.dgate
          then map (fun w -> ddot w (fst p).dpoint) j.dmaps
          else []) l))

(** val dpenalty : dnetwork -> dyadic **)

let dpenalty = function
| Relu (l, _) ->
  dsum
    (map (fun j ->
      dmul (dsqrt_up (ddot j.douter j.douter))
        (dsqrt_up (ddot j.dinner j.dinner))) l)
| OnGates (l, _) ->
  dsum (map (fun j -> dsqrt_up (dsum (map (fun w -> ddot w w) j.dmaps))) l)

(** val dlisted : dnetwork -> nat **)

let dlisted = function
| Relu (l, _) -> length l
| OnGates (l, _) -> length l

(** val dentry : dyadic list -> dyadic **)

let dentry a =
  nth O a dzero

(** val dmiss : dyadic list -> dyadic list -> dyadic list **)

let dmiss f y =
  dplus f (dtimes (dint (Big.neg Big.one)) y)

(** val dloss_at : loss -> dyadic list -> dyadic list -> dyadic **)

let dloss_at l f y =
  let r = dsub (dentry y) (dentry f) in
  (match l with
   | Squared -> dhalf (ddot (dmiss f y) (dmiss f y))
   | Hinge -> dmax dzero (dsub done0 (ddot y f))
   | Huber d ->
     if dle (dabs r) d
     then dhalf (dmul r r)
     else dsub (dmul d (dabs r)) (dhalf (dmul d d))
   | Absolute -> dabs r
   | Quantile t -> dmax (dmul t r) (dmul (dsub t done0) r)
   | Logistic -> lse_up ((dneg (ddot y f)) :: (dzero :: []))
   | Softmax ->
     dsub (lse_up (map (fun k -> nth k f dzero) (seq O (length y))))
       (ddot y f)
   | _ -> dzero)

(** val dallowed : loss -> dyadic list -> dyadic list -> bool **)

let dallowed l f y =
  match l with
  | Equality r ->
    (&&) (dle dzero r) (forallb (fun e -> dle (dabs e) r) (dmiss f y))
  | Margin -> dle done0 (ddot y f)
  | _ -> true

(** val is_share : dyadic list -> bool **)

let is_share y =
  (&&) (forallb (fun a -> dle dzero a) y) (deq (dsum y) done0)

(** val suits : loss -> drow list -> bool **)

let suits l rows0 =
  match l with
  | Squared -> true
  | Huber d ->
    (&&) (dlt dzero d)
      (forallb (fun r -> Nat.eqb (length r.dtarget) (S O)) rows0)
  | Absolute -> forallb (fun r -> Nat.eqb (length r.dtarget) (S O)) rows0
  | Quantile t ->
    (&&) ((&&) (dlt dzero t) (dlt t done0))
      (forallb (fun r -> Nat.eqb (length r.dtarget) (S O)) rows0)
  | Equality _ -> true
  | Softmax -> forallb (fun r -> is_share r.dtarget) rows0
  | _ -> signs rows0

(** val dual_term :
    loss -> dyadic list -> dyadic -> dyadic list -> dyadic option **)

let dual_term l y c w =
  let yw = ddot y w in
  let t = dentry w in
  let given = fun holds a -> if holds then Some a else None in
  (match l with
   | Squared -> Some (dsub yw (ddiv_up (ddot w w) (dadd c c)))
   | Hinge -> given ((&&) (dle dzero yw) (dle yw c)) yw
   | Huber d ->
     given ((&&) (dle (dneg (dmul c d)) t) (dle t (dmul c d)))
       (dsub yw (ddiv_up (dmul t t) (dadd c c)))
   | Absolute -> given ((&&) (dle (dneg c) t) (dle t c)) yw
   | Quantile t0 ->
     given ((&&) (dle (dmul c (dsub t0 done0)) t) (dle t (dmul c t0))) yw
   | Equality _ -> Some yw
   | Margin -> given (dle dzero yw) yw
   | Logistic ->
     given ((&&) (dle dzero yw) (dle yw c))
       (dadd (entropy_down c yw) (entropy_down c (dsub c yw)))
   | Softmax ->
     let z0 = dplus (dtimes c y) (dtimes (dint (Big.neg Big.one)) w) in
     given ((&&) (forallb (fun a -> dle dzero a) z0) (deq (dsum w) dzero))
       (dsum (map (entropy_down c) z0)))

(** val slack : loss -> dyadic list -> dyadic **)

let slack l w =
  match l with
  | Equality r -> dmul r (dsum (map dabs w))
  | _ -> dzero

(** val dual_terms :
    loss -> drow list -> dyadic list list -> (dyadic * dyadic) list option **)

let rec dual_terms l rows0 ws =
  match rows0 with
  | [] -> (match ws with
           | [] -> Some []
           | _ :: _ -> None)
  | r :: rows1 ->
    (match ws with
     | [] -> None
     | w :: ws0 ->
       (match dual_term l r.dtarget r.dweight w with
        | Some a ->
          (match dual_terms l rows1 ws0 with
           | Some more -> Some ((a, (slack l w)) :: more)
           | None -> None)
        | None -> None))

(** val gate_vector :
    nat -> nat -> (orow * dyadic list) list -> dyadic list **)

let gate_vector k q rows0 =
  dtotal
    (map (fun p ->
      if snd (fst p) k
      then dtimes (nth q (snd p) dzero) (fst (fst p)).dpoint
      else []) rows0)

(** val gated_price : nat -> nat -> (orow * dyadic list) list -> dyadic **)

let gated_price k o rows0 =
  dsum (map (fun q -> let g = gate_vector k q rows0 in ddot g g) (seq O o))

(** val push :
    nat -> dyadic -> orow list -> (Big.t * dyadic) list -> dyadic list list
    option **)

let rec push k s rows0 = function
| [] -> Some []
| p :: rest ->
  let (i, mu) = p in
  (match znth i rows0 with
   | Some p0 ->
     (match push k s rows0 rest with
      | Some more ->
        if dle dzero mu
        then Some
               ((dtimes (dmul s (if snd p0 k then mu else dneg mu))
                  (fst p0).dpoint) :: more)
        else None
      | None -> None)
   | None -> None)

(** val relu_price :
    nat -> nat -> dyadic -> dyadic -> orow list -> dyadic list list ->
    (Big.t * dyadic) list -> dyadic option **)

let relu_price k q sigma s rows0 ws l =
  match push k s rows0 l with
  | Some more ->
    let g =
      dplus (dtimes sigma (gate_vector k q (combine rows0 ws))) (dtotal more)
    in
    Some (ddot g g)
  | None -> None

(** val at_most : dyadic -> dyadic option -> bool **)

let at_most limit = function
| Some a0 -> dle a0 limit
| None -> false

type pushes = ((Big.t * dyadic) list * (Big.t * dyadic) list) list list

(** val output_prices :
    nat -> nat -> dyadic -> dyadic -> orow list -> dyadic list list ->
    ((Big.t * dyadic) list * (Big.t * dyadic) list) list -> bool **)

let rec output_prices k q limit s rows0 ws = function
| [] -> true
| p :: rest ->
  let (up, down) = p in
  (&&)
    ((&&) (at_most limit (relu_price k q done0 s rows0 ws up))
      (at_most limit
        (relu_price k q (dint (Big.neg Big.one)) s rows0 ws down)))
    (output_prices k (S q) limit s rows0 ws rest)

(** val relu_prices :
    nat -> nat -> dyadic -> dyadic -> orow list -> dyadic list list -> pushes
    -> bool **)

let rec relu_prices o k limit s rows0 ws = function
| [] -> true
| gate :: rest ->
  (&&)
    ((&&) (Nat.eqb (length gate) o) (output_prices k O limit s rows0 ws gate))
    (relu_prices o (S k) limit s rows0 ws rest)

(** val dfeeds_one : dyadic list -> bool **)

let rec dfeeds_one = function
| [] -> true
| a :: w0 -> if Big.equal a.mantissa Big.zero then dfeeds_one w0 else dnull w0

(** val neuron_in_cone : nat -> orow list -> dneuron -> bool **)

let neuron_in_cone m rows0 j =
  let inner = map (fun p -> ((ddot (fst p).dpoint j.dinner), (snd p))) rows0
  in
  existsb (fun k ->
    forallb (fun q ->
      if snd q k then dle dzero (fst q) else dle (fst q) dzero) inner)
    (seq O m)

type lower_side =
| Without
| WithGates of bool * dyadic * dyadic list list * pushes
| WithTrees of dyadic * dyadic list list * dyadic list
   * (dyadic list * dyadic list) option * direction list * combination
| WithPlane of dyadic * dyadic list list * (dyadic list * dyadic list) option
| WithOrthant of dyadic * dyadic list list * dyadic list

(** val evidence_of : lower_side -> evidence **)

let evidence_of = function
| Without -> NoBound
| WithGates (all, _, _, _) -> if all then ByCones else ByGates
| _ -> ByTrees

(** val scaled_by : dyadic -> dyadic list list -> dyadic list list **)

let scaled_by s vs =
  map (dtimes s) vs

(** val is_gated : dnetwork -> bool **)

let is_gated = function
| Relu (_, _) -> false
| OnGates (_, _) -> true

(** val network_ok :
    nat -> nat -> nat -> bool -> bool -> bool -> orow list -> dnetwork -> bool **)

let network_ok o d m free in_cones single rows0 = function
| Relu (l, c) ->
  (&&)
    ((&&)
      ((&&)
        ((&&)
          (forallb (fun j ->
            (&&)
              ((&&) (Nat.eqb (length j.douter) o)
                (Nat.eqb (length j.dinner) d))
              ((||) free (deq j.dshift dzero))) l) (Nat.leb (length c) o))
        ((||) free (Nat.eqb (length c) O)))
      ((||) (negb in_cones) (forallb (neuron_in_cone m rows0) l)))
    ((||) (negb single) (forallb (fun j -> dfeeds_one j.douter) l))
| OnGates (l, c) ->
  (&&)
    ((&&)
      (forallb (fun j ->
        (&&) ((&&) (Nat.ltb j.dgate m) (Nat.eqb (length j.dmaps) o))
          (forallb (fun w -> Nat.eqb (length w) d) j.dmaps)) l)
      (Nat.leb (length c) o)) ((||) free (Nat.eqb (length c) O))

(** val sums_vanish : nat -> dyadic list list -> bool **)

let sums_vanish o ws =
  forallb (fun q -> deq (dsum (map (fun w -> nth q w dzero) ws)) dzero)
    (seq O o)

(** val dual_ok : bool -> nat -> nat -> dyadic -> dyadic list list -> bool **)

let dual_ok free o n0 s vs =
  (&&)
    ((&&) ((&&) (dle dzero s) (forallb (fun w -> Nat.eqb (length w) o) vs))
      (Nat.eqb (length vs) n0)) ((||) (negb free) (sums_vanish o vs))

(** val prices_ok :
    bool -> bool -> nat -> nat -> nat -> dyadic -> orow list -> lower_side ->
    bool **)

let prices_ok gated free o d m edge0 rows0 = function
| Without -> true
| WithGates (_, s, ws, l) ->
  (&&) ((&&) (dle dzero s) (forallb (fun w -> Nat.eqb (length w) o) ws))
    (if gated
     then (&&) ((||) (negb free) (sums_vanish o ws))
            (forallb (fun k ->
              dle (gated_price k o (combine rows0 ws)) (dmul edge0 edge0))
              (seq O m))
     else (&&) ((&&) (negb free) (Nat.eqb (length l) m))
            (relu_prices o O (dmul edge0 edge0) s rows0 ws l))
| WithTrees (s, vs, m0, line1, l, h) ->
  let xs = map (fun q -> (fst q).dpoint) rows0 in
  (&&) ((&&) (negb gated) (dual_ok free o (length rows0) s vs))
    (match outputs_bound { any_bias = free; width = d; centre = m0; line0 =
             line1; xs_of = xs } o vs l h with
     | Some l0 -> dle (dmul (dmul s s) l0) (dmul edge0 edge0)
     | None -> false)
| WithPlane (s, vs, line1) ->
  let xs = map (fun q -> (fst q).dpoint) rows0 in
  (&&)
    ((&&) ((&&) (negb gated) (Nat.eqb o (S O)))
      (dual_ok free o (length rows0) s vs))
    (exact_ok free d line1 xs (map (fun w -> dmul s (dentry w)) vs) edge0)
| WithOrthant (s, vs, w) ->
  (&&)
    ((&&) ((&&) (negb gated) (negb free))
      (dual_ok free o (length rows0) s vs))
    (orthant_ok s edge0 (map (fun q -> (fst q).dpoint) rows0) vs w)

(** val proved_below :
    loss -> dyadic -> drow list -> lower_side -> (dyadic * dyadic) option **)

let proved_below l n0 rows0 p =
  let by_dual = fun ws ->
    match dual_terms l rows0 ws with
    | Some terms ->
      let d = dsum (map fst terms) in
      Some ((ddiv_down d n0),
      (dmax dzero
        (double_down (ddiv_down (dsub d (dsum (map snd terms))) n0))))
    | None -> None
  in
  (match p with
   | Without -> Some (dzero, dzero)
   | WithGates (_, _, ws, _) -> by_dual ws
   | WithTrees (s, vs, _, _, _, _) -> by_dual (scaled_by s vs)
   | WithPlane (s, vs, _) -> by_dual (scaled_by s vs)
   | WithOrthant (s, vs, _) -> by_dual (scaled_by s vs))

(** val outputs_of : drow list -> nat **)

let outputs_of = function
| [] -> O
| r :: _ -> length r.dtarget

(** val check_train :
    gates -> bool -> nat -> drow list -> loss -> dyadic -> dyadic -> dnetwork
    -> lower_side -> (dyadic * dyadic) -> (dyadic * dyadic) option **)

let check_train g free d rows0 l n0 beta f p claimed0 =
  let o = outputs_of rows0 in
  let m = gate_count g in
  let all = opened g O rows0 in
  let loss0 =
    dsum
      (map (fun q ->
        dmul (fst q).dweight (dloss_at l (doutput f q) (fst q).dtarget)) all)
  in
  let above = dadd (ddiv_up loss0 n0) (dmul beta (dpenalty f)) in
  if (&&)
       ((&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&)
                 ((&&) ((&&) (dlt dzero n0) (dlt dzero beta))
                   (forallb (fun r ->
                     (&&) (Nat.eqb (length r.dtarget) o) (dlt dzero r.dweight))
                     rows0)) (suits l rows0))
               (network_ok o d m free
                 (match p with
                  | WithGates (all0, _, _, _) -> if all0 then false else true
                  | _ -> false)
                 (match p with
                  | WithGates (_, _, _, _) -> true
                  | _ -> false) all f))
             (match p with
              | WithGates (all0, _, _, _) ->
                if all0 then cones_ok d g rows0 else true
              | WithTrees (_, _, _, _, _, h) ->
                (||) (negb (by_differences h))
                  (match l with
                   | Softmax -> true
                   | _ -> false)
              | _ -> true))
           (forallb (fun q -> dallowed l (doutput f q) (fst q).dtarget) all))
         (dle above (fst claimed0)))
       (prices_ok (is_gated f) free o d m (dmul n0 beta) all p)
  then (match proved_below l n0 rows0 p with
        | Some p0 ->
          let (low, shown) = p0 in
          if dle (snd claimed0) low
          then Some ((double_up above), shown)
          else None
        | None -> None)
  else None

(** val as_margin : dyadic -> dyadic -> dyadic -> dyadic option * dyadic **)

let as_margin bt u l =
  ((if dlt dzero l then Some (double_up (ddiv_up bt l)) else None),
    (double_down (ddiv_down bt u)))

type verdict = { claim_of : claim; top : dyadic option;
                 bottom : dyadic option;
                 listed_parts : (dnetwork * lower_side) option }

type answer = { said : statement; read : dataset;
                upper_bound : dyadic option; lower_bound : dyadic option;
                parts_of : (dnetwork * lower_side) option }

(** val is_free : context -> bool **)

let is_free c =
  match c.from_source.bias with
  | Free -> true
  | _ -> false

(** val read_problem :
    char list list -> (((bool * (dyadic -> loss)) * dyadic) * dyadic) result **)

let read_problem = function
| [] -> mismatch
| model :: l ->
  (match l with
   | [] -> mismatch
   | loss0 :: rest ->
     need
       ((||) (eqb0 model ('r'::('e'::('l'::('u'::[])))))
         (eqb0 model ('g'::('a'::('t'::('e'::('d'::[]))))))) rejected
       ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('p'::('r'::('o'::('b'::('l'::('e'::('m'::[])))))))))))))))))))))))
       (fun _ ->
       bind
         (match rest with
          | [] -> mismatch
          | p :: more ->
            if eqb0 loss0 ('h'::('u'::('b'::('e'::('r'::[])))))
            then bind (number_of p) (fun p0 -> Good ((fun _ -> Huber p0),
                   more))
            else if eqb0 loss0
                      ('q'::('u'::('a'::('n'::('t'::('i'::('l'::('e'::[]))))))))
                 then bind (number_of p) (fun p0 -> Good ((fun _ -> Quantile
                        p0), more))
                 else if eqb0 loss0
                           ('s'::('q'::('u'::('a'::('r'::('e'::('d'::[])))))))
                      then Good ((fun _ -> Squared), rest)
                      else if eqb0 loss0 ('h'::('i'::('n'::('g'::('e'::[])))))
                           then Good ((fun _ -> Hinge), rest)
                           else if eqb0 loss0
                                     ('a'::('b'::('s'::('o'::('l'::('u'::('t'::('e'::[]))))))))
                                then Good ((fun _ -> Absolute), rest)
                                else if eqb0 loss0
                                          ('l'::('o'::('g'::('i'::('s'::('t'::('i'::('c'::[]))))))))
                                     then Good ((fun _ -> Logistic), rest)
                                     else if eqb0 loss0
                                               ('s'::('o'::('f'::('t'::('m'::('a'::('x'::[])))))))
                                          then Good ((fun _ -> Softmax), rest)
                                          else if eqb0 loss0
                                                    ('m'::('a'::('r'::('g'::('i'::('n'::[]))))))
                                               then Good ((fun _ -> Margin),
                                                      rest)
                                               else if eqb0 loss0
                                                         ('e'::('q'::('u'::('a'::('l'::('i'::('t'::('y'::[]))))))))
                                                    then Good ((fun r ->
                                                           Equality r), rest)
                                                    else mismatch)
         (fun pat ->
         let (kind, rest0) = pat in
         (match rest0 with
          | [] -> mismatch
          | n0 :: l0 ->
            (match l0 with
             | [] -> mismatch
             | beta :: l1 ->
               (match l1 with
                | [] ->
                  bind (number_of n0) (fun n1 ->
                    bind (number_of beta) (fun beta0 -> Good
                      ((((eqb0 model ('g'::('a'::('t'::('e'::('d'::[])))))),
                      kind), n1), beta0)))
                | _ :: _ -> mismatch))))))

(** val read_neuron :
    Big.t -> Big.t -> bool -> lines -> (dneuron * lines) result **)

let read_neuron o d free l =
  bind
    (numbers_line ('n'::('e'::('u'::('r'::('o'::('n'::[]))))))
      (Big.add (Big.add o d) (if free then Big.one else Big.zero)) l)
    (fun pat ->
    let (found, l0) = pat in
    let (w, more) = cut o found [] in
    let (u, b) = cut d more [] in
    Good ({ douter = w; dinner = u; dshift =
    (match b with
     | [] -> dzero
     | b0 :: _ -> b0) }, l0))

(** val chunks : nat -> Big.t -> dyadic list -> dyadic list list **)

let rec chunks count n0 l =
  match count with
  | O -> []
  | S k -> let (first, rest) = cut n0 l [] in first :: (chunks k n0 rest)

(** val read_gated : Big.t -> Big.t -> lines -> (dgated * lines) result **)

let read_gated o d l =
  bind (line_of ('n'::('e'::('u'::('r'::('o'::('n'::[])))))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | gate :: words1 ->
       bind (index_of gate) (fun gate0 ->
         need
           (Big.lt gate0 ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.succ (Big.shift_left p 1))
             ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
             Big.one)))))))))))))))))))))))) rejected
           ('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('g'::('a'::('t'::('e'::[])))))))))))))))))))))
           (fun _ ->
           bind (numbers_of (Big.mul o d) words1) (fun w -> Good ({ dgate =
             (Z.to_nat gate0); dmaps = (chunks (Z.to_nat o) d w) }, l0))))))

(** val count_line : char list -> lines -> (Big.t * lines) result **)

let count_line keyword l =
  bind (line_of keyword l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | count :: l1 ->
       (match l1 with
        | [] -> bind (index_of count) (fun count0 -> Good (count0, l0))
        | _ :: _ -> mismatch)))

(** val read_constant :
    Big.t -> bool -> lines -> (dyadic list * lines) result **)

let read_constant o free l =
  bind
    (numbers_line ('c'::('o'::('n'::('s'::('t'::('a'::('n'::('t'::[]))))))))
      o l) (fun pat ->
    let (c, l0) = pat in
    need ((||) free (dnull c)) rejected
      ('t'::('h'::('e'::(' '::('p'::('r'::('o'::('b'::('l'::('e'::('m'::(' '::('h'::('a'::('s'::(' '::('n'::('o'::(' '::('o'::('u'::('t'::('p'::('u'::('t'::(' '::('c'::('o'::('n'::('s'::('t'::('a'::('n'::('t'::[]))))))))))))))))))))))))))))))))))
      (fun _ -> Good ((if free then c else []), l0)))

(** val read_network :
    bool -> bool -> Big.t -> Big.t -> lines -> (dnetwork * lines) result **)

let read_network gated free o d l =
  bind (count_line ('n'::('e'::('t'::('w'::('o'::('r'::('k'::[]))))))) l)
    (fun pat ->
    let (count, l0) = pat in
    if gated
    then bind (many count (read_gated o d) l0) (fun pat0 ->
           let (found, l1) = pat0 in
           bind (read_constant o free l1) (fun pat1 ->
             let (c, l2) = pat1 in Good ((OnGates (found, c)), l2)))
    else bind (many count (read_neuron o d free) l0) (fun pat0 ->
           let (found, l1) = pat0 in
           bind (read_constant o free l1) (fun pat1 ->
             let (c, l2) = pat1 in Good ((Relu (found, c)), l2))))

(** val zip_cons : dyadic list -> dyadic list list -> dyadic list list **)

let rec zip_cons a l =
  match a with
  | [] -> []
  | x :: a0 ->
    (match l with
     | [] -> []
     | row :: l0 -> (x :: row) :: (zip_cons a0 l0))

(** val by_rows : 'a1 list -> dyadic list list -> dyadic list list **)

let by_rows rows0 outputs =
  fold_right zip_cons (map (fun _ -> []) rows0) outputs

(** val read_dual :
    context -> Big.t -> lines -> ((dyadic * dyadic list list) * lines) result **)

let read_dual c o l =
  let n0 = row_count c.set in
  bind
    (numbers_line ('d'::('u'::('a'::('l'::[]))))
      (Big.add Big.one (Big.mul o n0)) l) (fun pat ->
    let (found, l0) = pat in
    (match found with
     | [] -> mismatch
     | s :: v ->
       need (dle dzero s) rejected
         ('t'::('h'::('e'::(' '::('s'::('c'::('a'::('l'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('u'::('a'::('l'::(' '::('p'::('o'::('i'::('n'::('t'::(' '::('i'::('s'::(' '::('n'::('e'::('g'::('a'::('t'::('i'::('v'::('e'::[])))))))))))))))))))))))))))))))))))))))
         (fun _ -> Good ((s,
         (by_rows c.set.rows (chunks (Z.to_nat o) n0 (dtimes s v)))), l0))))

(** val multipliers :
    char list list -> (Big.t * dyadic) list -> (Big.t * dyadic) list result **)

let rec multipliers words0 made =
  match words0 with
  | [] -> Good (rev' made)
  | i :: l ->
    (match l with
     | [] -> mismatch
     | mu :: rest ->
       bind (index_of i) (fun i0 ->
         bind (number_of mu) (fun mu0 -> multipliers rest ((i0, mu0) :: made))))

(** val read_push : lines -> ((Big.t * dyadic) list * lines) result **)

let read_push l =
  bind (line_of ('p'::('u'::('s'::('h'::[])))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | count :: words1 ->
       bind (index_of count) (fun count0 ->
         need
           (Big.equal
             (Big.mul ((fun p -> Big.shift_left p 1) Big.one) count0)
             (length_of words1)) rejected
           ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('s'::('o'::(' '::('m'::('a'::('n'::('y'::(' '::('m'::('u'::('l'::('t'::('i'::('p'::('l'::('i'::('e'::('r'::('s'::[])))))))))))))))))))))))))))))))))
           (fun _ ->
           bind (multipliers words1 []) (fun found -> Good (found, l0))))))

(** val read_pushes :
    lines -> (((Big.t * dyadic) list * (Big.t * dyadic) list) * lines) result **)

let read_pushes l =
  bind (read_push l) (fun pat ->
    let (up, l0) = pat in
    bind (read_push l0) (fun pat0 ->
      let (down, l1) = pat0 in Good ((up, down), l1)))

(** val gates_listed : context -> Big.t **)

let gates_listed c =
  match c.gate_list with
  | Orientations l -> length_of l
  | Patterns l -> length_of l

(** val triples :
    char list list -> entry_of0 list -> entry_of0 list result **)

let rec triples words0 made =
  match words0 with
  | [] -> Good (rev' made)
  | i :: l ->
    (match l with
     | [] -> mismatch
     | j :: l0 ->
       (match l0 with
        | [] -> mismatch
        | theta :: rest ->
          bind (index_of i) (fun i0 ->
            bind (index_of j) (fun j0 ->
              bind (number_of theta) (fun theta0 ->
                triples rest (((i0, j0), theta0) :: made))))))

(** val read_tree :
    lines -> bool -> Big.t -> Big.t -> lines -> (tree * lines) result **)

let rec read_tree fuel lifted n0 depth l =
  match fuel with
  | [] -> mismatch
  | _ :: fuel0 ->
    if next_is ('s'::('p'::('l'::('i'::('t'::[]))))) l
    then bind (count_line ('s'::('p'::('l'::('i'::('t'::[]))))) l)
           (fun pat ->
           let (j, l0) = pat in
           bind (read_tree fuel0 lifted n0 (Big.add depth Big.one) l0)
             (fun pat0 ->
             let (above, l1) = pat0 in
             bind (read_tree fuel0 lifted n0 (Big.add depth Big.one) l1)
               (fun pat1 ->
               let (below, l2) = pat1 in Good ((Split (j, above, below)), l2))))
    else bind (line_of ('l'::('e'::('a'::('f'::[])))) l) (fun pat ->
           let (words0, l0) = pat in
           (match words0 with
            | [] -> mismatch
            | count :: words1 ->
              bind (index_of count) (fun count0 ->
                need
                  (Big.equal
                    (Big.mul ((fun p -> Big.succ (Big.shift_left p 1))
                      Big.one) count0) (length_of words1)) rejected
                  ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('s'::('o'::(' '::('m'::('a'::('n'::('y'::(' '::('e'::('n'::('t'::('r'::('i'::('e'::('s'::[])))))))))))))))))))))))))))))
                  (fun _ ->
                  bind (triples words1 []) (fun entries ->
                    bind
                      (numbers_line
                        ('w'::('e'::('i'::('g'::('h'::('t'::('s'::[])))))))
                        (Big.add (Big.add (Big.add n0 Big.one) depth)
                          (if lifted then Big.one else Big.zero)) l0)
                      (fun pat0 ->
                      let (weights, l1) = pat0 in
                      let (gamma, more) = cut (Big.add n0 Big.one) weights []
                      in
                      let (nu, lift) = cut depth more [] in
                      Good ((Leaf (entries, gamma, nu, lift)), l1)))))))

(** val read_price : char list -> lines -> (dyadic * lines) result **)

let read_price keyword l =
  bind (numbers_line keyword Big.one l) (fun pat ->
    let (p, l0) = pat in
    (match p with
     | [] -> mismatch
     | p0 :: _ ->
       need (dle dzero p0) rejected
         ('a'::(' '::('p'::('r'::('i'::('c'::('e'::(' '::('i'::('s'::(' '::('n'::('e'::('g'::('a'::('t'::('i'::('v'::('e'::[])))))))))))))))))))
         (fun _ -> Good (p0, l0))))

(** val read_two : Big.t -> lines -> ((tree * tree) * lines) result **)

let read_two n0 l =
  bind (read_tree l false n0 Big.zero l) (fun pat ->
    let (above, l0) = pat in
    bind (read_tree l0 false n0 Big.zero l0) (fun pat0 ->
      let (below, l1) = pat0 in Good ((above, below), l1)))

(** val read_direction :
    bool -> Big.t -> lines -> (direction * lines) result **)

let read_direction free n0 l =
  if next_is ('e'::('x'::('a'::('c'::('t'::[]))))) l
  then bind (read_price ('e'::('x'::('a'::('c'::('t'::[]))))) l) (fun pat ->
         let (p, l0) = pat in Good ((Exact p), l0))
  else if next_is ('k'::('i'::('n'::('k'::('s'::[]))))) l
       then bind (read_price ('k'::('i'::('n'::('k'::('s'::[]))))) l)
              (fun pat ->
              let (p, l0) = pat in
              need free rejected
                ('k'::('i'::('n'::('k'::('s'::(' '::('a'::('r'::('e'::(' '::('f'::('o'::('r'::(' '::('f'::('r'::('e'::('e'::(' '::('b'::('i'::('a'::('s'::('e'::('s'::[])))))))))))))))))))))))))
                (fun _ ->
                bind (many n0 (read_two n0) l0) (fun pat0 ->
                  let (found, l1) = pat0 in Good ((Kinks (p, found)), l1))))
       else bind (read_price ('s'::('i'::('d'::('e'::[])))) l) (fun pat ->
              let (p, l0) = pat in
              bind (read_tree l0 free n0 Big.zero l0) (fun pat0 ->
                let (above, l1) = pat0 in
                bind (read_price ('s'::('i'::('d'::('e'::[])))) l1)
                  (fun pat1 ->
                  let (q, l2) = pat1 in
                  bind (read_tree l2 free n0 Big.zero l2) (fun pat2 ->
                    let (below, l3) = pat2 in
                    Good ((Sides (p, q, above, below)), l3)))))

(** val read_corner :
    bool -> Big.t -> lines -> (new_corner * lines) result **)

let read_corner free n0 l =
  bind (line_of ('c'::('o'::('r'::('n'::('e'::('r'::[])))))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | i :: l1 ->
       (match l1 with
        | [] -> mismatch
        | j :: l2 ->
          (match l2 with
           | [] -> mismatch
           | a :: l3 ->
             (match l3 with
              | [] -> mismatch
              | b :: l4 ->
                (match l4 with
                 | [] ->
                   bind (index_of i) (fun i0 ->
                     bind (index_of j) (fun j0 ->
                       bind (number_of a) (fun a0 ->
                         bind (number_of b) (fun b0 ->
                           bind (read_direction free n0 l0) (fun pat0 ->
                             let (e, l5) = pat0 in
                             Good ({ from_corners = (i0, j0); in_parts = (a0,
                             b0); proved_by = e }, l5))))))
                 | _ :: _ -> mismatch))))))

(** val read_cone : lines -> Big.t -> lines -> (cone_tree * lines) result **)

let rec read_cone fuel o l =
  match fuel with
  | [] -> mismatch
  | _ :: fuel0 ->
    if next_is ('b'::('i'::('s'::('e'::('c'::('t'::[])))))) l
    then bind (count_line ('b'::('i'::('s'::('e'::('c'::('t'::[])))))) l)
           (fun pat ->
           let (k, l0) = pat in
           bind (read_cone fuel0 o l0) (fun pat0 ->
             let (first, l1) = pat0 in
             bind (read_cone fuel0 o l1) (fun pat1 ->
               let (second, l2) = pat1 in
               Good ((Bisect (k, first, second)), l2))))
    else bind (numbers_line ('p'::('i'::('e'::('c'::('e'::[]))))) o l)
           (fun pat -> let (p, l0) = pat in Good ((Piece p), l0))

(** val read_cones : Big.t -> lines -> (cone_tree * lines) result **)

let read_cones o l =
  read_cone l o l

(** val read_mode :
    lines -> (((bool * bool) * Big.t) option * lines) result **)

let read_mode l =
  let fan = next_is ('f'::('a'::('n'::[]))) l in
  if (||) fan (next_is ('c'::('o'::('v'::('e'::('r'::[]))))) l)
  then bind
         (line_of
           (if fan
            then 'f'::('a'::('n'::[]))
            else 'c'::('o'::('v'::('e'::('r'::[]))))) l) (fun pat ->
         let (words0, l0) = pat in
         (match words0 with
          | [] -> mismatch
          | kind :: l1 ->
            (match l1 with
             | [] -> mismatch
             | count :: l2 ->
               (match l2 with
                | [] ->
                  need
                    ((||)
                      (eqb0 kind
                        ('o'::('u'::('t'::('p'::('u'::('t'::('s'::[]))))))))
                      (eqb0 kind
                        ('d'::('i'::('f'::('f'::('e'::('r'::('e'::('n'::('c'::('e'::('s'::[])))))))))))))
                    rejected
                    ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('a'::(' '::('c'::('o'::('v'::('e'::('r'::[])))))))))))))))))))
                    (fun _ ->
                    bind (index_of count) (fun count0 -> Good ((Some ((fan,
                      (eqb0 kind
                        ('d'::('i'::('f'::('f'::('e'::('r'::('e'::('n'::('c'::('e'::('s'::[]))))))))))))),
                      count0)), l0)))
                | _ :: _ -> mismatch))))
  else Good (None, l)

(** val read_outputs :
    bool -> Big.t -> Big.t -> lines -> ((direction
    list * combination) * lines) result **)

let read_outputs free n0 o l =
  bind (read_mode l) (fun pat ->
    let (mode, l0) = pat in
    (match mode with
     | Some p ->
       let (p0, count) = p in
       let (fan, differences) = p0 in
       let k = Big.sub o (if differences then Big.one else Big.zero) in
       need (Big.lt Big.zero k) rejected
         ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::(' '::('a'::('x'::('e'::('s'::[])))))))))))))))))
         (fun _ ->
         need
           (Big.lt k ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
             ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
             Big.one)))))) uncovered
           ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('t'::('o'::('o'::(' '::('m'::('a'::('n'::('y'::(' '::('c'::('o'::('n'::('e'::('s'::(' '::('o'::('f'::(' '::('a'::('x'::('e'::('s'::[]))))))))))))))))))))))))))))))))
           (fun _ ->
           bind (many k (read_direction free n0) l0) (fun pat0 ->
             let (axes, l1) = pat0 in
             bind (many count (read_corner free n0) l1) (fun pat1 ->
               let (corners, l2) = pat1 in
               bind
                 (many
                   ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
                     ((fun p -> Big.shift_left p 1) Big.one)
                     (Big.sub k (if fan then Big.zero else Big.one)))
                   (read_cones o) l2) (fun pat2 ->
                 let (cones, l3) = pat2 in
                 Good ((axes, (Covered (fan, differences, corners, cones))),
                 l3))))))
     | None ->
       bind (many o (read_direction free n0) l0) (fun pat0 ->
         let (axes, l1) = pat0 in Good ((axes, Summed), l1))))

(** val read_point :
    context -> Big.t -> lines -> (((dyadic * dyadic list list) * (dyadic
    list * dyadic list) option) * lines) result **)

let read_point c o l =
  let n0 = row_count c.set in
  bind
    (numbers_line ('d'::('u'::('a'::('l'::[]))))
      (Big.add Big.one (Big.mul o n0)) l) (fun pat ->
    let (found, l0) = pat in
    bind
      (if next_is ('a'::('l'::('o'::('n'::('g'::[]))))) l0
       then bind
              (numbers_line ('a'::('l'::('o'::('n'::('g'::[])))))
                (Big.add c.set.columns n0) l0) (fun pat0 ->
              let (a, l1) = pat0 in Good ((Some (cut c.set.columns a [])), l1))
       else Good (None, l0)) (fun pat0 ->
      let (along, l1) = pat0 in
      (match found with
       | [] -> mismatch
       | s :: v ->
         need (dle dzero s) rejected
           ('t'::('h'::('e'::(' '::('s'::('c'::('a'::('l'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('u'::('a'::('l'::(' '::('p'::('o'::('i'::('n'::('t'::(' '::('i'::('s'::(' '::('n'::('e'::('g'::('a'::('t'::('i'::('v'::('e'::[])))))))))))))))))))))))))))))))))))))))
           (fun _ -> Good (((s,
           (by_rows c.set.rows (chunks (Z.to_nat o) n0 v))), along), l1)))))

(** val read_lower :
    context -> char list -> bool -> Big.t -> lines -> (lower_side * lines)
    result **)

let read_lower c kind gated o l =
  if eqb0 kind ('n'::('o'::('n'::('e'::[]))))
  then Good (Without, l)
  else let relu_only =
         (||)
           ((||) (eqb0 kind ('t'::('r'::('e'::('e'::('s'::[]))))))
             (eqb0 kind ('p'::('l'::('a'::('n'::('e'::[])))))))
           (eqb0 kind ('o'::('r'::('t'::('h'::('a'::('n'::('t'::[]))))))))
       in
       need (negb ((&&) gated relu_only)) rejected
         ('t'::('h'::('i'::('s'::(' '::('e'::('v'::('i'::('d'::('e'::('n'::('c'::('e'::(' '::('i'::('s'::(' '::('f'::('o'::('r'::(' '::('r'::('e'::('l'::('u'::(' '::('n'::('e'::('t'::('w'::('o'::('r'::('k'::('s'::[]))))))))))))))))))))))))))))))))))
         (fun _ ->
         if relu_only
         then bind (read_point c o l) (fun pat ->
                let (p, l0) = pat in
                let (p0, along) = p in
                let (s, vs) = p0 in
                if eqb0 kind ('p'::('l'::('a'::('n'::('e'::[])))))
                then Good ((WithPlane (s, vs, along)), l0)
                else if eqb0 kind
                          ('o'::('r'::('t'::('h'::('a'::('n'::('t'::[])))))))
                     then bind
                            (numbers_line
                              ('o'::('r'::('t'::('h'::('a'::('n'::('t'::[])))))))
                              (row_count c.set) l0) (fun pat0 ->
                            let (w, l1) = pat0 in
                            Good ((WithOrthant (s, vs, w)), l1))
                     else bind
                            (if is_free c
                             then numbers_line
                                    ('c'::('e'::('n'::('t'::('r'::('e'::[]))))))
                                    c.set.columns l0
                             else Good ([], l0)) (fun pat0 ->
                            let (m, l1) = pat0 in
                            bind
                              (read_outputs (is_free c) (row_count c.set) o
                                l1) (fun pat1 ->
                              let (p1, l2) = pat1 in
                              let (axes, how) = p1 in
                              Good ((WithTrees (s, vs, m, along, axes, how)),
                              l2))))
         else let all = eqb0 kind ('c'::('o'::('n'::('e'::('s'::[]))))) in
              need
                ((||) (eqb0 kind ('g'::('a'::('t'::('e'::('s'::[])))))) all)
                rejected
                ('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('e'::('v'::('i'::('d'::('e'::('n'::('c'::('e'::[])))))))))))))))))))))))))
                (fun _ ->
                bind (read_dual c o l) (fun pat ->
                  let (p, l0) = pat in
                  let (s, ws) = p in
                  bind
                    (if next_is ('a'::('l'::('o'::('n'::('g'::[]))))) l0
                     then bind
                            (numbers_line
                              ('a'::('l'::('o'::('n'::('g'::[])))))
                              (Big.add c.set.columns (row_count c.set)) l0)
                            (fun pat0 -> let (_, l1) = pat0 in Good l1)
                     else Good l0) (fun l1 ->
                    if gated
                    then Good ((WithGates (all, s, ws, [])), l1)
                    else bind (many (gates_listed c) (many o read_pushes) l1)
                           (fun pat0 ->
                           let (found, l2) = pat0 in
                           Good ((WithGates (all, s, ws, found)), l2))))))

(** val claim_train : context -> lines -> (verdict * lines) result **)

let claim_train c l =
  let free = is_free c in
  let d = c.set.columns in
  let o = Z.of_nat (outputs_of c.set.rows) in
  bind (line_of ('p'::('r'::('o'::('b'::('l'::('e'::('m'::[]))))))) l)
    (fun pat ->
    let (words0, l0) = pat in
    bind (read_problem words0) (fun pat0 ->
      let (p, beta) = pat0 in
      let (p0, n0) = p in
      let (gated, kind) = p0 in
      bind (line_of ('b'::('o'::('u'::('n'::('d'::[]))))) l0) (fun pat1 ->
        let (words1, l1) = pat1 in
        bind
          (match words1 with
           | [] -> mismatch
           | evidence1 :: l2 ->
             (match l2 with
              | [] -> mismatch
              | u :: l3 ->
                (match l3 with
                 | [] -> mismatch
                 | l4 :: l5 ->
                   (match l5 with
                    | [] ->
                      bind (number_of u) (fun u0 ->
                        bind (number_of l4) (fun l6 -> Good (evidence1, (u0,
                          l6))))
                    | _ :: _ -> mismatch)))) (fun pat2 ->
          let (evidence1, claimed0) = pat2 in
          bind (read_network gated free o d l1) (fun pat3 ->
            let (f, l2) = pat3 in
            bind
              (match kind dzero with
               | Equality _ ->
                 bind
                   (numbers_line
                     ('r'::('e'::('s'::('i'::('d'::('u'::('a'::('l'::[]))))))))
                     Big.one l2) (fun pat4 ->
                   let (r, l3) = pat4 in
                   Good ((kind (match r with
                                | [] -> dzero
                                | r0 :: _ -> r0)), l3))
               | x -> Good (x, l2)) (fun pat4 ->
              let (loss0, l3) = pat4 in
              bind (read_lower c evidence1 gated o l3) (fun pat5 ->
                let (p1, l4) = pat5 in
                (match check_train c.gate_list free (Z.to_nat d) c.set.rows
                         loss0 n0 beta f p1 claimed0 with
                 | Some p2 ->
                   let (u, l5) = p2 in
                   (match loss0 with
                    | Margin ->
                      need
                        ((&&) ((&&) (dlt dzero u) (dlt dzero beta))
                          (Big.lt Big.zero (row_count c.set))) rejected
                        ('a'::(' '::('n'::('e'::('t'::('w'::('o'::('r'::('k'::(' '::('w'::('i'::('t'::('h'::('o'::('u'::('t'::(' '::('n'::('e'::('u'::('r'::('o'::('n'::('s'::(' '::('h'::('a'::('s'::(' '::('n'::('o'::(' '::('m'::('a'::('r'::('g'::('i'::('n'::[])))))))))))))))))))))))))))))))))))))))
                        (fun _ ->
                        let (high, low) = as_margin beta u l5 in
                        Good ({ claim_of = (Largest ((is_gated f), n0, beta,
                        (evidence_of p1), (dlisted f), high, low)); top =
                        high; bottom = (Some low); listed_parts = (Some (f,
                        p1)) }, l4))
                    | _ ->
                      Good ({ claim_of = (Train ((is_gated f), loss0, n0,
                        beta, (evidence_of p1), (dlisted f), u, l5)); top =
                        (Some u); bottom = (Some l5); listed_parts = (Some
                        (f, p1)) }, l4))
                 | None ->
                   Bad (rejected,
                     ('w'::('h'::('a'::('t'::(' '::('i'::('s'::(' '::('c'::('l'::('a'::('i'::('m'::('e'::('d'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('p'::('r'::('o'::('v'::('e'::('d'::[]))))))))))))))))))))))))))))))))))))))

type features =
| FirstLayer
| BothLayers of dyadic list

(** val dfeature : gates -> features -> nat -> dyadic list -> dyadic list **)

let dfeature g z0 j x =
  match z0 with
  | FirstLayer -> x
  | BothLayers gains ->
    (ddot (match g with
           | Orientations l -> nth j l []
           | Patterns _ -> []) x) :: (dtimes (nth j gains dzero) x)

(** val dscore :
    gates -> features -> Big.t list -> dyadic list list -> orow -> dyadic **)

let dscore g z0 counts w p =
  dsum
    (map (fun j ->
      if snd p j
      then dmul (dint (nth j counts Big.zero))
             (dmul (dentry (fst p).dtarget)
               (ddot (dfeature g z0 j (fst p).dpoint) (nth j w [])))
      else dzero) (seq O (length counts)))

(** val weighted :
    gates -> features -> nat -> (orow * dyadic) list -> dyadic list **)

let weighted g z0 j l =
  dtotal
    (map (fun p ->
      if snd (fst p) j
      then dtimes (dmul (snd p) (dentry (fst (fst p)).dtarget))
             (dfeature g z0 j (fst (fst p)).dpoint)
      else []) l)

(** val dlengths :
    gates -> features -> Big.t list -> (orow * dyadic) list -> dyadic **)

let dlengths g z0 counts l =
  dsum
    (map (fun j ->
      dmul (dint (nth j counts Big.zero))
        (let s = weighted g z0 j l in dsqrt_up (ddot s s)))
      (seq O (length counts)))

(** val least : dyadic list -> dyadic **)

let least = function
| [] -> dzero
| a :: rest -> fold_left dmin rest a

(** val check_margin :
    gates -> features -> drow list -> Big.t list -> Big.t -> dyadic list list
    -> dyadic list -> (dyadic * dyadic) -> (dyadic * dyadic) option **)

let check_margin g z0 rows0 counts m w q claimed0 =
  let all = opened g O rows0 in
  let low = ddiv_down (least (map (dscore g z0 counts w) all)) (dint m) in
  let high =
    ddiv_up (dlengths g z0 counts (combine all q)) (dmul (dint m) (dsum q))
  in
  if (&&)
       ((&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&)
                 ((&&)
                   ((&&) ((&&) (signs rows0) (Big.lt Big.zero m))
                     (forallb (fun k -> Big.leq Big.zero k) counts))
                   (Nat.eqb (length q) (length rows0)))
                 (Nat.eqb (length counts) (gate_count g)))
               (forallb (fun v -> dle (ddot v v) done0) w))
             (forallb (fun t -> dle dzero t) q)) (dlt dzero (dsum q)))
         (dle (snd claimed0) low)) (dle high (fst claimed0))
  then Some ((double_up high), (double_down low))
  else None

(** val check_linear :
    gates -> drow list -> dyadic list list -> dyadic list ->
    (dyadic * dyadic) -> (dyadic * dyadic) option **)

let check_linear g rows0 w q claimed0 =
  if forallb (fun p -> snd p O) (opened g O rows0)
  then check_margin g FirstLayer rows0 (Big.one :: []) Big.one w q claimed0
  else None

(** val doubled : dyadic -> dyadic **)

let doubled t =
  dsub (dmul (dint ((fun p -> Big.shift_left p 1) Big.one)) (dmul t t)) done0

(** val doubled_up : dyadic -> dyadic **)

let doubled_up t =
  dtrim_up ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) Big.one)))))))) (doubled t)

(** val doubled_down : dyadic -> dyadic **)

let doubled_down t =
  dneg
    (dtrim_up ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1)
      ((fun p -> Big.succ (Big.shift_left p 1))
      ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
      Big.one)))))))) (dneg (doubled t)))

(** val half_turns : nat -> dyadic -> dyadic -> dyadic * dyadic **)

let rec half_turns steps low high =
  match steps with
  | O -> (dzero, done0)
  | S steps0 ->
    if dle dzero low
    then let (a, b) = half_turns steps0 (doubled_down low) (doubled_up high)
         in
         ((dhalf a), (dhalf b))
    else if dle high dzero
         then let (a, b) =
                half_turns steps0 (doubled_down high) (doubled_up low)
              in
              ((dsub done0 (dhalf b)), (dsub done0 (dhalf a)))
         else (dzero, done0)

(** val slack0 : dyadic **)

let slack0 =
  { mantissa = Big.one; exponent = (Big.neg ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) Big.one))))))) }

(** val turn_between : dyadic -> dyadic -> dyadic -> dyadic * dyadic **)

let turn_between ab aa bb =
  let square =
    dmul (dint ((fun p -> Big.shift_left p 1) Big.one)) (dmul ab ab)
  in
  let (a, b) =
    half_turns (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
      (dsub (ddiv_down square (dmul aa bb)) done0)
      (dsub (ddiv_up square (dmul aa bb)) done0)
  in
  if dle dzero ab
  then let a0 = dhalf a in
       let b0 = dhalf b in
       ((dsub (dhalf a0) slack0), (dadd (dhalf b0) slack0))
  else let a0 = dsub done0 (dhalf b) in
       let b0 = dsub done0 (dhalf a) in
       ((dsub (dhalf a0) slack0), (dadd (dhalf b0) slack0))

(** val dcross : dyadic list -> dyadic list -> dyadic list **)

let dcross a b =
  let p = fun k l -> dmul (nth k a dzero) (nth l b dzero) in
  (dsub (p (S O) (S (S O))) (p (S (S O)) (S O))) :: ((dsub (p (S (S O)) O)
                                                       (p O (S (S O)))) :: (
  (dsub (p O (S O)) (p (S O) O)) :: []))

(** val ddet : dyadic list -> dyadic list -> dyadic list -> dyadic **)

let ddet a b c =
  ddot (dcross a b) c

type half_space = dyadic list * bool

(** val turned0 : half_space -> dyadic list **)

let turned0 p =
  if snd p then fst p else map dneg (fst p)

type numbered = Big.t * dyadic list

(** val number_from : Big.t -> dyadic list list -> numbered list **)

let rec number_from i = function
| [] -> []
| x :: l0 -> (i, x) :: (number_from (Big.add i Big.one) l0)

(** val ratio_below :
    dyadic list -> nat -> dyadic list -> dyadic list -> Big.t **)

let ratio_below v k a b =
  dsgn
    (dsub (dmul (nth k a dzero) (ddot b v)) (dmul (nth k b dzero) (ddot a v)))

(** val before : dyadic list -> dyadic list -> dyadic list -> bool **)

let before v a b =
  (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
    (fun _ ->
    (fun zero pos neg z -> let s = Big.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Big.neg z))
      (fun _ -> Big.lt (ratio_below v (S (S O)) a b) Big.zero)
      (fun _ -> false)
      (fun _ -> true)
      (ratio_below v (S O) a b))
    (fun _ -> false)
    (fun _ -> true)
    (ratio_below v O a b)

(** val next_side : dyadic list -> numbered list -> numbered option **)

let next_side p all =
  fold_left (fun found r ->
    let c = dcross p (snd r) in
    (match found with
     | Some q ->
       let side = ddot (dcross p (snd q)) (snd r) in
       if (||) (dlt side dzero)
            ((&&) (deq side dzero)
              (dlt dzero (ddot (dcross (snd q) (snd r)) (dcross p (snd q)))))
       then Some r
       else found
     | None -> if dnull c then None else Some r)) all None

(** val wrapped :
    numbered list -> dyadic list -> dyadic list -> numbered list -> Big.t list **)

let rec wrapped fuel start0 p all =
  match fuel with
  | [] -> []
  | _ :: fuel0 ->
    (match next_side p all with
     | Some q ->
       if dnull (dcross start0 (snd q))
       then []
       else (fst q) :: (wrapped fuel0 start0 (snd q) all)
     | None -> [])

(** val sides_of : dyadic list -> numbered list -> Big.t list **)

let sides_of v all = match all with
| [] -> []
| r :: rest ->
  let first =
    fold_left (fun a b -> if before v (snd b) (snd a) then b else a) rest r
  in
  (fst first) :: (wrapped all (snd first) (snd first) all)

(** val same_ray0 : dyadic list -> dyadic list -> bool **)

let same_ray0 a n0 =
  (&&) (dlt dzero (ddot a n0))
    (deq (dmul (ddot a n0) (ddot a n0)) (dmul (ddot a a) (ddot n0 n0)))

(** val between_three :
    dyadic list -> dyadic list -> dyadic list -> dyadic list -> bool **)

let between_three a b c n0 =
  (&&)
    ((&&) ((&&) (dlt dzero (ddet a b c)) (dle dzero (ddet n0 b c)))
      (dle dzero (ddet a n0 c))) (dle dzero (ddet a b n0))

(** val between_two : dyadic list -> dyadic list -> dyadic list -> bool **)

let between_two a b n0 =
  let c = dcross a b in
  (&&) (between_three a b c n0) (deq (ddet a b n0) dzero)

(** val in_fan :
    dyadic list -> dyadic list -> dyadic list list -> dyadic list -> bool **)

let rec in_fan a b l n0 =
  match l with
  | [] -> false
  | c :: l0 -> (||) (between_three a b c n0) (in_fan a c l0 n0)

(** val in_sides : dyadic list list -> dyadic list -> bool **)

let in_sides sides n0 =
  match sides with
  | [] -> false
  | a :: rest ->
    (||) (same_ray0 a n0)
      (match rest with
       | [] -> false
       | b :: more -> (||) (between_two a b n0) (in_fan a b more n0))

(** val left_of : dyadic list -> dyadic list list -> bool **)

let rec left_of a = function
| [] -> true
| b :: l0 ->
  let c = dcross a b in
  (&&) (forallb (fun n0 -> dlt dzero (ddot c n0)) l0) (left_of a l0)

(** val all_left : dyadic list list -> bool **)

let rec all_left = function
| [] -> true
| a :: l0 -> (&&) (left_of a l0) (all_left l0)

(** val lookup :
    dyadic list list -> dyadic list -> Big.t list -> half_space list option **)

let rec lookup xs v = function
| [] -> Some []
| i :: l0 ->
  (match znth i xs with
   | Some x ->
     (match lookup xs v l0 with
      | Some more -> Some ((x, (dlt dzero (ddot x v))) :: more)
      | None -> None)
   | None -> None)

(** val cell_of :
    dyadic list list -> dyadic list -> half_space list option **)

let cell_of xs v =
  let normals = map (fun x -> turned0 (x, (dlt dzero (ddot x v)))) xs in
  (match lookup xs v (sides_of v (number_from Big.zero normals)) with
   | Some h ->
     let sides = map turned0 h in
     if (&&)
          ((||) ((&&) (Nat.eqb (length h) O) (Nat.eqb (length xs) O))
            (forallb (in_sides sides) normals)) (all_left sides)
     then Some h
     else None
   | None -> None)

(** val cells_of :
    dyadic list list -> dyadic list list -> half_space list list option **)

let rec cells_of xs = function
| [] -> Some []
| v :: l0 ->
  (match cell_of xs v with
   | Some c ->
     (match cells_of xs l0 with
      | Some rest -> Some (c :: rest)
      | None -> None)
   | None -> None)

(** val chain : 'a1 -> 'a1 -> 'a1 list -> ('a1 * 'a1) list **)

let rec chain first a = function
| [] -> (a, first) :: []
| b :: l0 -> (a, b) :: (chain first b l0)

(** val change_between : (half_space * half_space) -> dyadic * dyadic **)

let change_between p =
  let x = fst (fst p) in
  let z0 = fst (snd p) in
  let turn = turn_between (ddot x z0) (ddot x x) (ddot z0 z0) in
  let a = dadd (fst turn) (fst turn) in
  let b = dadd (snd turn) (snd turn) in
  if eqb (snd (fst p)) (snd (snd p))
  then (a, b)
  else ((dsub done0 b), (dsub done0 a))

(** val share_between : half_space list -> dyadic * dyadic **)

let share_between = function
| [] -> (done0, done0)
| p :: l ->
  let changes = map change_between (chain p p l) in
  let less0 = fun s -> dhalf (dsub done0 (dhalf (dsum s))) in
  ((less0 (map snd changes)), (less0 (map fst changes)))

(** val low_score :
    (dyadic * dyadic) list -> dyadic list list -> orow -> dyadic **)

let low_score shares w p =
  dsum
    (map (fun j ->
      if snd p j
      then let t =
             dmul (dentry (fst p).dtarget) (ddot (fst p).dpoint (nth j w []))
           in
           let s = nth j shares (dzero, dzero) in
           dmin (dmul t (fst s)) (dmul t (snd s))
      else dzero) (seq O (length shares)))

(** val high_lengths :
    gates -> (dyadic * dyadic) list -> (orow * dyadic) list -> dyadic **)

let high_lengths g shares l =
  dsum
    (map (fun j ->
      dmul (snd (nth j shares (dzero, dzero)))
        (let s = weighted g FirstLayer j l in dsqrt_up (ddot s s)))
      (seq O (length shares)))

(** val check_wide :
    nat -> gates -> drow list -> dyadic list list -> dyadic list ->
    (dyadic * dyadic) -> (dyadic * dyadic) option **)

let check_wide d g rows0 w q claimed0 =
  match g with
  | Orientations l ->
    (match cells_of (nonzero_points rows0) l with
     | Some cells ->
       let shares = map share_between cells in
       let all = opened g O rows0 in
       let low = least (map (low_score shares w) all) in
       let high = ddiv_up (high_lengths g shares (combine all q)) (dsum q) in
       if (&&)
            ((&&)
              ((&&)
                ((&&)
                  ((&&)
                    ((&&)
                      ((&&) ((&&) (cones_ok d g rows0) (signs rows0))
                        (forallb (fun x -> Nat.leb (length x) (S (S (S O))))
                          (map (fun d0 -> d0.dpoint) rows0)))
                      (Nat.eqb (length q) (length rows0)))
                    (forallb (fun v -> dle (ddot v v) done0) w))
                  (forallb (fun t -> dle dzero t) q)) (dlt dzero (dsum q)))
              (dle (snd claimed0) low)) (dle high (fst claimed0))
       then Some ((double_up high), (double_down low))
       else None
     | None -> None)
  | Patterns _ -> None

(** val pi_low : dyadic **)

let pi_low =
  { mantissa = ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
    exponent = (Big.neg ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))))) }

(** val pi_high : dyadic **)

let pi_high =
  { mantissa = ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.shift_left p 1) ((fun p -> Big.succ (Big.shift_left p 1))
    Big.one)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
    exponent = (Big.neg ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) ((fun p -> Big.shift_left p 1)
    ((fun p -> Big.succ (Big.shift_left p 1))
    ((fun p -> Big.succ (Big.shift_left p 1)) Big.one)))))))) }

(** val shared : Big.t list -> orow -> orow -> dyadic **)

let shared counts p q =
  dsum
    (map (fun j ->
      if snd p j
      then if snd q j then dint (nth j counts Big.zero) else dzero
      else dzero) (seq O (length counts)))

(** val by_angle : dyadic -> dyadic list -> dyadic list -> dyadic * dyadic **)

let by_angle t x z0 =
  let turn = turn_between (ddot x z0) (ddot x x) (ddot z0 z0) in
  let a =
    dmul t
      (dsub { mantissa = Big.one; exponent = (Big.neg Big.one) } (snd turn))
  in
  let b =
    dmul t
      (dsub { mantissa = Big.one; exponent = (Big.neg Big.one) } (fst turn))
  in
  ((dmin a b), (dmax a b))

(** val sine_part : dyadic list -> dyadic list -> dyadic * dyadic **)

let sine_part x z0 =
  let square =
    dsub (dmul (ddot x x) (ddot z0 z0)) (dmul (ddot x z0) (ddot x z0))
  in
  if dle square dzero
  then (dzero, dzero)
  else let root0 = dsqrt_up square in
       ((ddiv_down (ddiv_down square root0) (dadd pi_high pi_high)),
       (ddiv_up root0 (dadd pi_low pi_low)))

(** val dkernel : kernel -> dyadic -> orow -> orow -> dyadic * dyadic **)

let dkernel k factor p q =
  let x = (fst p).dpoint in
  let z0 = (fst q).dpoint in
  let t = dmul factor (ddot x z0) in
  (match k with
   | FirstLayerWide ->
     if (||) (dnull x) (dnull z0) then (dzero, dzero) else by_angle t x z0
   | BothLayersWide ->
     if (||) (dnull x) (dnull z0)
     then (dzero, dzero)
     else let first = by_angle (dadd t t) x z0 in
          let s = sine_part x z0 in
          ((dadd (fst first) (dmul factor (fst s))),
          (dadd (snd first) (dmul factor (snd s))))
   | FirstLayerGates (counts, m) ->
     let s = dmul t (shared counts p q) in
     ((ddiv_down s (dint m)), (ddiv_up s (dint m))))

(** val upper_triangle : ('a1 -> 'a1 -> 'a2) -> 'a1 list -> 'a2 list list **)

let rec upper_triangle f l = match l with
| [] -> []
| p :: rest -> (map (f p) l) :: (upper_triangle f rest)

(** val widest : (dyadic * dyadic) list list -> dyadic **)

let widest m =
  fold_left (fun e b ->
    fold_left (fun e0 p -> dmax e0 (dsub (snd p) (fst p))) b e) m dzero

(** val dform : dyadic list list -> dyadic list -> dyadic **)

let rec dform m v =
  match m with
  | [] -> dzero
  | l :: m0 ->
    (match l with
     | [] -> dzero
     | p :: r ->
       (match v with
        | [] -> dzero
        | t :: v0 ->
          dadd
            (dadd (dmul p (dmul t t))
              (dmul (dmul (dint ((fun p -> Big.shift_left p 1) Big.one)) t)
                (ddot r v0))) (dform m0 v0)))

(** val trace : dyadic list list -> dyadic **)

let trace m =
  dsum (map (fun b -> match b with
                      | [] -> dzero
                      | p :: _ -> dabs p) m)

(** val nowhere_negative : nat -> dyadic list list -> bool **)

let nowhere_negative n0 m =
  (&&) (Nat.eqb (length m) n0)
    (tri_definite
      (Big.sub
        (Big.add
          ((fun a -> if Big.sign a <= 0 then Big.zero else Big.of_int (Big.numbits a - 1))
            (Big.abs (trace m).mantissa)) (trace m).exponent)
        ((fun p -> Big.shift_left p 1) ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1)
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.succ (Big.shift_left p 1))
        ((fun p -> Big.shift_left p 1) Big.one)))))))) n0 m)

(** val gate_sum : (orow * dyadic) list -> (orow -> bool) -> dyadic list **)

let gate_sum l open0 =
  dtotal
    (map (fun p ->
      if open0 (fst p) then dtimes (snd p) (fst (fst p)).dpoint else []) l)

(** val same_line : dyadic list -> dyadic list -> bool **)

let same_line x z0 =
  (&&) (negb (deq (ddot x z0) dzero))
    (deq (dmul (ddot x z0) (ddot x z0)) (dmul (ddot x x) (ddot z0 z0)))

(** val balanced : (orow * dyadic) list -> dyadic list -> bool **)

let balanced l x =
  deq
    (dsum
      (map (fun p ->
        let z0 = (fst (fst p)).dpoint in
        if same_line x z0 then dmul (snd p) (dabs (ddot x z0)) else dzero) l))
    dzero

(** val check_null : kernel -> (orow * dyadic) list -> bool **)

let check_null k l =
  match k with
  | FirstLayerGates (counts, _) ->
    forallb (fun j -> dnull (gate_sum l (fun p -> snd p j)))
      (seq O (length counts))
  | _ ->
    (&&) (dnull (gate_sum l (fun _ -> true)))
      (forallb (fun p -> balanced l (fst (fst p)).dpoint) l)

(** val kernel_ok : kernel -> bool **)

let kernel_ok = function
| FirstLayerGates (counts, m) ->
  (&&) (Big.lt Big.zero m) (forallb (fun t -> Big.leq Big.zero t) counts)
| _ -> true

(** val check_spectrum :
    kernel -> dyadic -> spectral_end -> orow list -> dyadic list -> dyadic ->
    dyadic -> (dyadic * dyadic) option **)

let check_spectrum k factor which all v u l =
  let n0 = length all in
  let vv = ddot v v in
  if negb
       ((&&)
         ((&&) ((&&) (kernel_ok k) (dlt dzero factor))
           (Nat.eqb (length v) n0)) (dlt dzero vv))
  then None
  else (match which with
        | Null ->
          if (&&) ((&&) (check_null k (combine all v)) (dle dzero u))
               (dle l dzero)
          then Some (dzero, dzero)
          else None
        | _ ->
          let m = upper_triangle (dkernel k factor) all in
          let low = map (map fst) m in
          let e = widest m in
          let middle = dform low v in
          let spread = dsum (map dabs v) in
          let miss = dmul e (dmul spread spread) in
          let lost = dmul (dint (Z.of_nat n0)) e in
          (match which with
           | Least ->
             let high = ddiv_up (dadd middle miss) vv in
             if (&&) (dle high u)
                  ((||) (negb (dlt dzero l))
                    (nowhere_negative n0
                      (tri_plus (tri_diagonal n0 (dneg (dadd l lost))) low)))
             then Some ((double_up high),
                    (if dlt dzero l then double_down l else dzero))
             else None
           | _ ->
             let least0 = ddiv_down (dsub middle miss) vv in
             if (&&) (dle l least0)
                  (nowhere_negative n0
                    (tri_plus (tri_diagonal n0 (dsub u lost))
                      (tri_times (dint (Big.neg Big.one)) low)))
             then Some ((double_up u), (double_down least0))
             else None))

type sloped = dneuron * dyadic list

(** val dleaky : dyadic -> dyadic -> dyadic **)

let dleaky a t =
  dmax t (dmul a t)

(** val doutput_signed : dyadic -> sloped list -> drow -> dyadic **)

let doutput_signed a f r =
  dmul (dentry r.dtarget)
    (dsum
      (map (fun j ->
        dmul (dentry (fst j).douter) (dleaky a (ddot (fst j).dinner r.dpoint)))
        f))

(** val dforce : (dyadic * drow) -> dyadic **)

let dforce q =
  dmul (fst q) (dentry (snd q).dtarget)

(** val left_of_inner : dyadic list -> drow list -> sloped -> dyadic list **)

let left_of_inner l rows0 j =
  dplus (fst j).dinner
    (dtimes (dneg (dentry (fst j).douter))
      (dtotal_right
        (map (fun q ->
          dtimes (dmul (dforce (fst q)) (snd q)) (snd (fst q)).dpoint)
          (combine (combine l rows0) (snd j)))))

(** val left_of_outer :
    dyadic -> dyadic list -> drow list -> sloped -> dyadic **)

let left_of_outer a l rows0 j =
  dsub (dentry (fst j).douter)
    (dsum
      (map (fun q ->
        dmul (dforce q) (dleaky a (ddot (fst j).dinner (snd q).dpoint)))
        (combine l rows0)))

(** val dsquares :
    bool -> sloped list -> (sloped -> dyadic list) -> (sloped -> dyadic) ->
    dyadic **)

let dsquares both f u w =
  dsum
    (map (fun j ->
      dadd (ddot (u j) (u j)) (if both then dmul (w j) (w j) else dzero)) f)

type kink = (Big.t * Big.t) * dyadic

(** val at_kink :
    dyadic -> dyadic -> dyadic list -> dyadic list -> dyadic -> bool **)

let at_kink a k u x c =
  let h = ddot u x in
  (&&) ((&&) (dle a c) (dle c done0))
    (dle (dmul h h) (dmul (dmul k k) (dmul (ddot u u) (ddot x x))))

(** val slopes_of :
    dyadic -> dyadic -> Big.t -> Big.t -> dyadic list -> drow list -> kink
    list -> (dyadic list * kink list) option **)

let rec slopes_of a k j i u rows0 kinks =
  match rows0 with
  | [] -> Some ([], kinks)
  | r :: rows1 ->
    let plain0 = if dlt dzero (ddot u r.dpoint) then done0 else a in
    (match kinks with
     | [] ->
       let p = (plain0, true) in
       let rest = [] in
       let (c, ok) = p in
       if ok
       then (match slopes_of a k j (Big.add i Big.one) u rows1 rest with
             | Some p0 -> let (l, k0) = p0 in Some ((c :: l), k0)
             | None -> None)
       else None
     | k0 :: rest ->
       let (p, c) = k0 in
       let (j', i') = p in
       if (&&) (Big.equal j j') (Big.equal i i')
       then let p0 = (c, (at_kink a k u r.dpoint c)) in
            let (c0, ok) = p0 in
            if ok
            then (match slopes_of a k j (Big.add i Big.one) u rows1 rest with
                  | Some p1 -> let (l, k1) = p1 in Some ((c0 :: l), k1)
                  | None -> None)
            else None
       else let p0 = (plain0, true) in
            let (c0, ok) = p0 in
            if ok
            then (match slopes_of a k j (Big.add i Big.one) u rows1 kinks with
                  | Some p1 -> let (l, k1) = p1 in Some ((c0 :: l), k1)
                  | None -> None)
            else None)

(** val all_slopes :
    dyadic -> dyadic -> Big.t -> dneuron list -> drow list -> kink list ->
    (sloped list * kink list) option **)

let rec all_slopes a k j neurons rows0 kinks =
  match neurons with
  | [] -> Some ([], kinks)
  | n0 :: neurons0 ->
    (match slopes_of a k j Big.zero n0.dinner rows0 kinks with
     | Some p ->
       let (c, rest) = p in
       (match all_slopes a k (Big.add j Big.one) neurons0 rows0 rest with
        | Some p0 -> let (f, k0) = p0 in Some (((n0, c) :: f), k0)
        | None -> None)
     | None -> None)

(** val check_limit :
    bool -> dyadic -> dyadic -> dyadic -> dyadic -> drow list -> dneuron list
    -> dyadic list -> kink list -> (dyadic * dyadic) option **)

let check_limit both a r_ s_ k rows0 neurons l kinks =
  match all_slopes a k Big.zero neurons rows0 kinks with
  | Some p ->
    let (f, l0) = p in
    (match l0 with
     | [] ->
       let p0 = map (doutput_signed a f) rows0 in
       let m = least p0 in
       let size1 =
         dsquares both f (fun j -> (fst j).dinner) (fun j ->
           dentry (fst j).douter)
       in
       let rest =
         dsquares both f (left_of_inner l rows0) (left_of_outer a l rows0)
       in
       let waste =
         dsum
           (map (fun q -> dmul (fst q) (dsub (doutput_signed a f (snd q)) m))
             (combine l rows0))
       in
       let root0 = dsqrt_up size1 in
       let below = ddiv_down size1 root0 in
       if (&&)
            ((&&)
              ((&&)
                ((&&)
                  ((&&)
                    ((&&)
                      ((&&)
                        ((&&)
                          ((&&)
                            ((&&)
                              ((&&)
                                ((&&)
                                  ((&&) ((&&) (dle dzero a) (dlt a done0))
                                    (dle dzero r_)) (dle dzero s_))
                                (dle dzero k)) (signs rows0))
                            (Nat.eqb (length l) (length rows0)))
                          (dlt dzero m)) (forallb (fun t -> dle dzero t) l))
                      (dlt dzero (dsum l)))
                    (dle waste (dmul (dmul s_ m) (dsum l))))
                  (dlt dzero size1)) (dlt dzero root0)) (dlt dzero below))
            (dle rest (dmul (dmul r_ r_) size1))
       then Some
              (if both
               then ((double_up (ddiv_up m size1)),
                      (double_down (ddiv_down m size1)))
               else ((double_up (ddiv_up m below)),
                      (double_down (ddiv_down m root0))))
       else None
     | _ :: _ -> None)
  | None -> None

(** val triples_of :
    char list list -> ((Big.t * Big.t) * dyadic) list ->
    ((Big.t * Big.t) * dyadic) list result **)

let rec triples_of words0 made =
  match words0 with
  | [] -> Good (rev' made)
  | a :: l ->
    (match l with
     | [] -> mismatch
     | b :: l0 ->
       (match l0 with
        | [] -> mismatch
        | m :: rest ->
          bind (index_of a) (fun a0 ->
            bind (index_of b) (fun b0 ->
              bind (number_of m) (fun m0 ->
                triples_of rest (((a0, b0), m0) :: made))))))

(** val zero_verdict : zero_reason -> lines -> (verdict * lines) result **)

let zero_verdict why l =
  Good ({ claim_of = (ZeroMargin why); top = (Some dzero); bottom = (Some
    dzero); listed_parts = None }, l)

(** val row_index : context -> char list -> nat result **)

let row_index c word0 =
  bind (index_of word0) (fun i ->
    need (Big.lt i (row_count c.set)) rejected
      ('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('r'::('o'::('w'::[]))))))))))))))))))))
      (fun _ -> Good (Z.to_nat i)))

(** val claim_zero : context -> lines -> (verdict * lines) result **)

let claim_zero c l =
  need (signs c.set.rows) rejected
    ('t'::('h'::('e'::(' '::('t'::('a'::('r'::('g'::('e'::('t'::('s'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('-'::('1'::(' '::('a'::('n'::('d'::(' '::('+'::('1'::(' '::('i'::('n'::(' '::('o'::('n'::('e'::(' '::('c'::('o'::('l'::('u'::('m'::('n'::[])))))))))))))))))))))))))))))))))))))))))))
    (fun _ ->
    need
      (negb
        ((&&) (is_free c)
          (negb (next_is ('e'::('q'::('u'::('a'::('l'::[]))))) l)))) rejected
      ('t'::('h'::('i'::('s'::(' '::('m'::('a'::('r'::('g'::('i'::('n'::(' '::('i'::('s'::(' '::('o'::('n'::('e'::(' '::('o'::('f'::(' '::('n'::('e'::('t'::('w'::('o'::('r'::('k'::('s'::(' '::('w'::('i'::('t'::('h'::('o'::('u'::('t'::(' '::('f'::('r'::('e'::('e'::(' '::('b'::('i'::('a'::('s'::('e'::('s'::[]))))))))))))))))))))))))))))))))))))))))))))))))))
      (fun _ ->
      if next_is ('o'::('r'::('i'::('g'::('i'::('n'::[])))))) l
      then bind (line_of ('o'::('r'::('i'::('g'::('i'::('n'::[])))))) l)
             (fun pat ->
             let (words0, l0) = pat in
             (match words0 with
              | [] -> mismatch
              | i :: l1 ->
                (match l1 with
                 | [] ->
                   bind (row_index c i) (fun i0 ->
                     need (check_origin c.set.rows i0) rejected
                       ('t'::('h'::('e'::(' '::('r'::('o'::('w'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('0'::[]))))))))))))))))
                       (fun _ -> zero_verdict (AtOrigin i0) l0))
                 | _ :: _ -> mismatch)))
      else if next_is ('e'::('q'::('u'::('a'::('l'::[]))))) l
           then bind (line_of ('e'::('q'::('u'::('a'::('l'::[]))))) l)
                  (fun pat ->
                  let (words0, l0) = pat in
                  (match words0 with
                   | [] -> mismatch
                   | a :: l1 ->
                     (match l1 with
                      | [] -> mismatch
                      | b :: l2 ->
                        (match l2 with
                         | [] ->
                           bind (row_index c a) (fun a0 ->
                             bind (row_index c b) (fun b0 ->
                               need (check_equal c.set.rows a0 b0) rejected
                                 ('t'::('h'::('e'::(' '::('r'::('o'::('w'::('s'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('e'::('q'::('u'::('a'::('l'::(' '::('w'::('i'::('t'::('h'::(' '::('o'::('p'::('p'::('o'::('s'::('i'::('t'::('e'::(' '::('t'::('a'::('r'::('g'::('e'::('t'::('s'::[]))))))))))))))))))))))))))))))))))))))))))))
                                 (fun _ ->
                                 zero_verdict (EqualRows (a0, b0)) l0)))
                         | _ :: _ -> mismatch))))
           else bind (line_of ('p'::('a'::('i'::('r'::('s'::[]))))) l)
                  (fun pat ->
                  let (words0, l0) = pat in
                  (match words0 with
                   | [] -> mismatch
                   | count :: words1 ->
                     bind (index_of count) (fun count0 ->
                       need
                         (Big.equal
                           (Big.mul ((fun p -> Big.succ (Big.shift_left p 1))
                             Big.one) count0) (length_of words1)) rejected
                         ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('s'::('o'::(' '::('m'::('a'::('n'::('y'::(' '::('p'::('a'::('i'::('r'::('s'::[])))))))))))))))))))))))))))
                         (fun _ ->
                         bind (triples_of words1 []) (fun pairs ->
                           need (check_zero c.set.rows pairs) rejected
                             ('t'::('h'::('e'::(' '::('p'::('a'::('i'::('r'::('s'::(' '::('p'::('r'::('o'::('v'::('e'::(' '::('n'::('o'::('t'::('h'::('i'::('n'::('g'::[])))))))))))))))))))))))
                             (fun _ -> zero_verdict ByPairs l0))))))))

(** val claim_cone : context -> lines -> (verdict * lines) result **)

let claim_cone c l =
  bind (line_of ('c'::('o'::('n'::('e'::[])))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | kind :: l1 ->
       (match l1 with
        | [] -> mismatch
        | digits0 :: l2 ->
          (match l2 with
           | [] ->
             need
               ((||) (eqb0 kind ('e'::('m'::('p'::('t'::('y'::[]))))))
                 (eqb0 kind ('p'::('o'::('i'::('n'::('t'::[]))))))) rejected
               ('a'::(' '::('c'::('o'::('n'::('e'::(' '::('i'::('s'::(' '::('e'::('m'::('p'::('t'::('y'::(','::(' '::('o'::('r'::(' '::('h'::('a'::('s'::(' '::('a'::(' '::('p'::('o'::('i'::('n'::('t'::[])))))))))))))))))))))))))))))))
               (fun _ ->
               bind (pattern_of (row_count c.set) digits0) (fun pattern ->
                 if eqb0 kind ('p'::('o'::('i'::('n'::('t'::[])))))
                 then bind
                        (numbers_line ('p'::('o'::('i'::('n'::('t'::[])))))
                          c.set.columns l0) (fun pat0 ->
                        let (z0, l3) = pat0 in
                        bind
                          (numbers_line
                            ('w'::('e'::('i'::('g'::('h'::('t'::('s'::[])))))))
                            (row_count c.set) l3) (fun pat1 ->
                          let (weights, l4) = pat1 in
                          (match check_dimension (Z.to_nat c.set.columns)
                                   c.set.rows pattern z0 weights with
                           | Some k ->
                             Good ({ claim_of = (ConeDimension (pattern, k));
                               top = (Some (dint (Z.of_nat k))); bottom =
                               (Some (dint (Z.of_nat k))); listed_parts =
                               None }, l4)
                           | None ->
                             Bad (rejected,
                               ('t'::('h'::('e'::(' '::('p'::('o'::('i'::('n'::('t'::(' '::('a'::('n'::('d'::(' '::('t'::('h'::('e'::(' '::('w'::('e'::('i'::('g'::('h'::('t'::('s'::(' '::('p'::('r'::('o'::('v'::('e'::(' '::('n'::('o'::('t'::('h'::('i'::('n'::('g'::[])))))))))))))))))))))))))))))))))))))))))))
                 else bind
                        (numbers_line
                          ('w'::('e'::('i'::('g'::('h'::('t'::('s'::[])))))))
                          (row_count c.set) l0) (fun pat0 ->
                        let (weights, l3) = pat0 in
                        need (check_cone_empty c.set.rows pattern weights)
                          rejected
                          ('t'::('h'::('e'::(' '::('w'::('e'::('i'::('g'::('h'::('t'::('s'::(' '::('p'::('r'::('o'::('v'::('e'::(' '::('n'::('o'::('t'::('h'::('i'::('n'::('g'::[])))))))))))))))))))))))))
                          (fun _ -> Good ({ claim_of = (EmptyCone pattern);
                          top = (Some (dint (Big.neg Big.one))); bottom =
                          (Some (dint (Big.neg Big.one))); listed_parts =
                          None }, l3)))))
           | _ :: _ -> mismatch))))

(** val claim_cones : context -> lines -> (verdict * lines) result **)

let claim_cones c l =
  need (cones_ok (Z.to_nat c.set.columns) c.gate_list c.set.rows) rejected
    ('t'::('h'::('e'::(' '::('g'::('a'::('t'::('e'::('s'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('a'::('l'::('l'::(' '::('c'::('o'::('n'::('e'::('s'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::[])))))))))))))))))))))))))))))))))))))))
    (fun _ ->
    let m = gate_count c.gate_list in
    Good ({ claim_of = (Cones m); top = (Some (dint (Z.of_nat m))); bottom =
    (Some (dint (Z.of_nat m))); listed_parts = None }, l))

(** val claim_faces : context -> lines -> (verdict * lines) result **)

let claim_faces c l =
  need (check_faces (Z.to_nat c.set.columns) c.gate_list c.set.rows) rejected
    ('t'::('h'::('e'::(' '::('g'::('a'::('t'::('e'::('s'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('a'::('l'::('l'::(' '::('s'::('e'::('t'::('s'::(' '::('o'::('f'::(' '::('a'::('c'::('t'::('i'::('v'::('e'::(' '::('r'::('o'::('w'::('s'::[])))))))))))))))))))))))))))))))))))))))))
    (fun _ ->
    let m = gate_count c.gate_list in
    Good ({ claim_of = (Faces m); top = (Some (dint (Z.of_nat m))); bottom =
    (Some (dint (Z.of_nat m))); listed_parts = None }, l))

(** val claim_spike : context -> lines -> (verdict * lines) result **)

let claim_spike c l =
  bind (line_of ('s'::('p'::('i'::('k'::('e'::[]))))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | kind :: l1 ->
       (match l1 with
        | [] ->
          if eqb0 kind ('f'::('r'::('e'::('e'::[]))))
          then need
                 (check_spike_free (Z.to_nat c.set.columns)
                   (map (fun d -> d.dpoint) c.set.rows)) rejected
                 ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('s'::('h'::('o'::('w'::('n'::(' '::('t'::('o'::(' '::('b'::('e'::(' '::('s'::('p'::('i'::('k'::('e'::('-'::('f'::('r'::('e'::('e'::[])))))))))))))))))))))))))))))))))))))))
                 (fun _ -> Good ({ claim_of = SpikeFree; top = (Some done0);
                 bottom = (Some done0); listed_parts = None }, l0))
          else need (eqb0 kind ('s'::('h'::('o'::('w'::('n'::[]))))))
                 rejected
                 ('a'::(' '::('s'::('p'::('i'::('k'::('e'::(' '::('i'::('s'::(' '::('s'::('h'::('o'::('w'::('n'::(','::(' '::('o'::('r'::(' '::('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::('n'::('e'::[]))))))))))))))))))))))))))))))))))
                 (fun _ ->
                 bind
                   (numbers_line ('p'::('o'::('i'::('n'::('t'::[])))))
                     c.set.columns l0) (fun pat0 ->
                   let (u, l2) = pat0 in
                   bind
                     (numbers_line
                       ('c'::('o'::('m'::('b'::('i'::('n'::('a'::('t'::('i'::('o'::('n'::[])))))))))))
                       (row_count c.set) l2) (fun pat1 ->
                     let (combination0, l3) = pat1 in
                     (match check_spike c.set.rows u combination0 with
                      | Some least0 ->
                        Good ({ claim_of = (SpikeShown least0); top = (Some
                          dzero); bottom = (Some dzero); listed_parts =
                          None }, l3)
                      | None ->
                        Bad (rejected,
                          ('t'::('h'::('e'::(' '::('p'::('o'::('i'::('n'::('t'::(' '::('a'::('n'::('d'::(' '::('t'::('h'::('e'::(' '::('c'::('o'::('m'::('b'::('i'::('n'::('a'::('t'::('i'::('o'::('n'::(' '::('s'::('h'::('o'::('w'::(' '::('n'::('o'::(' '::('s'::('p'::('i'::('k'::('e'::[]))))))))))))))))))))))))))))))))))))))))))))))))
        | _ :: _ -> mismatch)))

(** val read_measure :
    context -> char list -> lines -> (((features * Big.t
    list) * Big.t) * lines) result **)

let read_measure c kind l =
  bind
    (line_of
      (if eqb0 kind ('u'::('n'::('i'::('t'::('s'::[])))))
       then 'c'::('o'::('u'::('n'::('t'::('s'::[])))))
       else 'g'::('a'::('i'::('n'::('s'::[]))))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | m :: words1 ->
       bind (index_of m) (fun m0 ->
         need (Big.equal (length_of words1) (gates_listed c)) rejected
           ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('a'::('s'::(' '::('m'::('a'::('n'::('y'::(' '::('g'::('a'::('t'::('e'::('s'::[])))))))))))))))))))))))))))
           (fun _ ->
           need
             ((&&) (Big.lt Big.zero m0)
               (Big.leq m0
                 ((fun a k -> if Big.sign k < 0 then Big.zero else Big.pow a (Big.to_int k))
                   ((fun p -> Big.shift_left p 1) Big.one)
                   ((fun p -> Big.shift_left p 1)
                   ((fun p -> Big.shift_left p 1)
                   ((fun p -> Big.shift_left p 1)
                   ((fun p -> Big.succ (Big.shift_left p 1))
                   ((fun p -> Big.shift_left p 1) Big.one)))))))) rejected
             ('t'::('h'::('e'::(' '::('n'::('u'::('m'::('b'::('e'::('r'::(' '::('o'::('f'::(' '::('n'::('e'::('u'::('r'::('o'::('n'::('s'::[])))))))))))))))))))))
             (fun _ ->
             if eqb0 kind ('u'::('n'::('i'::('t'::('s'::[])))))
             then bind (traverse index_of words1 []) (fun counts ->
                    need
                      ((&&) (forallb (fun k -> Big.lt Big.zero k) counts)
                        (Big.leq (fold_left Big.add counts Big.zero) m0))
                      rejected
                      ('g'::('a'::('t'::('e'::('s'::(' '::('a'::('r'::('e'::(' '::('c'::('o'::('u'::('n'::('t'::('e'::('d'::(' '::('m'::('o'::('r'::('e'::(' '::('o'::('f'::('t'::('e'::('n'::(' '::('t'::('h'::('a'::('n'::(' '::('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('e'::('u'::('r'::('o'::('n'::('s'::[])))))))))))))))))))))))))))))))))))))))))))))))))))
                      (fun _ -> Good (((FirstLayer, counts), m0), l0)))
             else need
                    (match c.gate_list with
                     | Orientations _ -> Big.leq (gates_listed c) m0
                     | Patterns _ -> false) rejected
                    ('n'::('e'::('u'::('r'::('o'::('n'::('s'::(' '::('h'::('a'::('v'::('e'::(' '::('o'::('r'::('i'::('e'::('n'::('t'::('a'::('t'::('i'::('o'::('n'::('s'::[])))))))))))))))))))))))))
                    (fun _ ->
                    bind (traverse number_of words1 []) (fun gains -> Good
                      ((((BothLayers gains), (map (fun _ -> Big.one) gains)),
                      m0), l0))))))))

(** val wide_margin :
    context -> bool -> dyadic -> dyadic -> lines -> (verdict * lines) result **)

let wide_margin c plane u l l0 =
  need
    (if plane
     then Big.equal c.set.columns ((fun p -> Big.shift_left p 1) Big.one)
     else Big.leq c.set.columns ((fun p -> Big.succ (Big.shift_left p 1))
            Big.one)) rejected
    ('t'::('h'::('e'::(' '::('d'::('a'::('t'::('a'::(' '::('h'::('a'::('s'::(' '::('a'::('n'::('o'::('t'::('h'::('e'::('r'::(' '::('n'::('u'::('m'::('b'::('e'::('r'::(' '::('o'::('f'::(' '::('c'::('o'::('l'::('u'::('m'::('n'::('s'::[]))))))))))))))))))))))))))))))))))))))
    (fun _ ->
    need (negb (is_free c)) rejected
      ('t'::('h'::('i'::('s'::(' '::('m'::('a'::('r'::('g'::('i'::('n'::(' '::('i'::('s'::(' '::('o'::('n'::('e'::(' '::('o'::('f'::(' '::('n'::('e'::('t'::('w'::('o'::('r'::('k'::('s'::(' '::('w'::('i'::('t'::('h'::('o'::('u'::('t'::(' '::('f'::('r'::('e'::('e'::(' '::('b'::('i'::('a'::('s'::('e'::('s'::[]))))))))))))))))))))))))))))))))))))))))))))))))))
      (fun _ ->
      bind
        (many (gates_listed c)
          (numbers_line ('v'::('e'::('c'::('t'::('o'::('r'::[]))))))
            c.set.columns) l0) (fun pat ->
        let (w, l1) = pat in
        bind
          (numbers_line ('d'::('u'::('a'::('l'::[])))) (row_count c.set) l1)
          (fun pat0 ->
          let (q, l2) = pat0 in
          (match check_wide (Z.to_nat c.set.columns) c.gate_list c.set.rows w
                   q (u, l) with
           | Some p ->
             let (u0, l3) = p in
             Good ({ claim_of = (WideMargin (plane, u0, l3)); top = (Some
             u0); bottom = (Some l3); listed_parts = None }, l2)
           | None ->
             Bad (rejected,
               ('w'::('h'::('a'::('t'::(' '::('i'::('s'::(' '::('c'::('l'::('a'::('i'::('m'::('e'::('d'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('p'::('r'::('o'::('v'::('e'::('d'::[])))))))))))))))))))))))))))))))))))

(** val linear_margin :
    context -> dyadic -> dyadic -> lines -> (verdict * lines) result **)

let linear_margin c u l l0 =
  need (Big.equal (gates_listed c) Big.one) rejected
    ('a'::(' '::('l'::('i'::('n'::('e'::('a'::('r'::(' '::('f'::('u'::('n'::('c'::('t'::('i'::('o'::('n'::(' '::('h'::('a'::('s'::(' '::('o'::('n'::('e'::(' '::('g'::('a'::('t'::('e'::[]))))))))))))))))))))))))))))))
    (fun _ ->
    need (negb (is_free c)) rejected
      ('t'::('h'::('i'::('s'::(' '::('m'::('a'::('r'::('g'::('i'::('n'::(' '::('i'::('s'::(' '::('o'::('n'::('e'::(' '::('o'::('f'::(' '::('n'::('e'::('t'::('w'::('o'::('r'::('k'::('s'::(' '::('w'::('i'::('t'::('h'::('o'::('u'::('t'::(' '::('f'::('r'::('e'::('e'::(' '::('b'::('i'::('a'::('s'::('e'::('s'::[]))))))))))))))))))))))))))))))))))))))))))))))))))
      (fun _ ->
      bind
        (numbers_line ('v'::('e'::('c'::('t'::('o'::('r'::[]))))))
          c.set.columns l0) (fun pat ->
        let (w, l1) = pat in
        bind
          (numbers_line ('d'::('u'::('a'::('l'::[])))) (row_count c.set) l1)
          (fun pat0 ->
          let (q, l2) = pat0 in
          (match check_linear c.gate_list c.set.rows (w :: []) q (u, l) with
           | Some p ->
             let (u0, l3) = p in
             Good ({ claim_of = (LinearMargin (u0, l3)); top = (Some u0);
             bottom = (Some l3); listed_parts = None }, l2)
           | None ->
             Bad (rejected,
               ('w'::('h'::('a'::('t'::(' '::('i'::('s'::(' '::('c'::('l'::('a'::('i'::('m'::('e'::('d'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('p'::('r'::('o'::('v'::('e'::('d'::[])))))))))))))))))))))))))))))))))))

(** val claim_margin : context -> lines -> (verdict * lines) result **)

let claim_margin c l =
  bind (line_of ('b'::('o'::('u'::('n'::('d'::[]))))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | kind :: l1 ->
       (match l1 with
        | [] -> mismatch
        | u :: l2 ->
          (match l2 with
           | [] -> mismatch
           | l3 :: l4 ->
             (match l4 with
              | [] ->
                need
                  (existsb (eqb0 kind)
                    (('u'::('n'::('i'::('t'::('s'::[]))))) :: (('n'::('e'::('u'::('r'::('o'::('n'::('s'::[]))))))) :: (('p'::('l'::('a'::('n'::('e'::[]))))) :: (('s'::('p'::('a'::('c'::('e'::[]))))) :: (('l'::('i'::('n'::('e'::('a'::('r'::[])))))) :: []))))))
                  rejected
                  ('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('m'::('e'::('a'::('s'::('u'::('r'::('e'::[]))))))))))))))))))))))))
                  (fun _ ->
                  bind (number_of u) (fun u0 ->
                    bind (number_of l3) (fun l5 ->
                      if (||)
                           (eqb0 kind ('p'::('l'::('a'::('n'::('e'::[]))))))
                           (eqb0 kind ('s'::('p'::('a'::('c'::('e'::[]))))))
                      then wide_margin c
                             (eqb0 kind ('p'::('l'::('a'::('n'::('e'::[]))))))
                             u0 l5 l0
                      else if eqb0 kind
                                ('l'::('i'::('n'::('e'::('a'::('r'::[]))))))
                           then linear_margin c u0 l5 l0
                           else bind (read_measure c kind l0) (fun pat0 ->
                                  let (p, l6) = pat0 in
                                  let (p0, m) = p in
                                  let (z0, counts) = p0 in
                                  need (negb (is_free c)) rejected
                                    ('t'::('h'::('i'::('s'::(' '::('m'::('a'::('r'::('g'::('i'::('n'::(' '::('i'::('s'::(' '::('o'::('n'::('e'::(' '::('o'::('f'::(' '::('n'::('e'::('t'::('w'::('o'::('r'::('k'::('s'::(' '::('w'::('i'::('t'::('h'::('o'::('u'::('t'::(' '::('f'::('r'::('e'::('e'::(' '::('b'::('i'::('a'::('s'::('e'::('s'::[]))))))))))))))))))))))))))))))))))))))))))))))))))
                                    (fun _ ->
                                    let width0 =
                                      Big.add c.set.columns
                                        (match z0 with
                                         | FirstLayer -> Big.zero
                                         | BothLayers _ -> Big.one)
                                    in
                                    bind
                                      (many (gates_listed c)
                                        (numbers_line
                                          ('v'::('e'::('c'::('t'::('o'::('r'::[]))))))
                                          width0) l6) (fun pat1 ->
                                      let (w, l7) = pat1 in
                                      bind
                                        (numbers_line
                                          ('d'::('u'::('a'::('l'::[]))))
                                          (row_count c.set) l7) (fun pat2 ->
                                        let (q, l8) = pat2 in
                                        (match check_margin c.gate_list z0
                                                 c.set.rows counts m w q (u0,
                                                 l5) with
                                         | Some p1 ->
                                           let (u1, l9) = p1 in
                                           (match z0 with
                                            | FirstLayer ->
                                              Good ({ claim_of = (Units
                                                (counts, m, u1, l9)); top =
                                                (Some u1); bottom = (Some
                                                l9); listed_parts = None },
                                                l8)
                                            | BothLayers gains ->
                                              need
                                                ((&&)
                                                  (forallb
                                                    (Big.equal Big.one)
                                                    counts)
                                                  (Big.equal
                                                    (length_of counts)
                                                    (length_of gains)))
                                                rejected
                                                ('c'::('o'::('u'::('n'::('t'::('s'::[]))))))
                                                (fun _ -> Good ({ claim_of =
                                                (Neurons (gains, m, u1, l9));
                                                top = (Some u1); bottom =
                                                (Some l9); listed_parts =
                                                None }, l8)))
                                         | None ->
                                           Bad (rejected,
                                             ('w'::('h'::('a'::('t'::(' '::('i'::('s'::(' '::('c'::('l'::('a'::('i'::('m'::('e'::('d'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('p'::('r'::('o'::('v'::('e'::('d'::[]))))))))))))))))))))))))))))))))))))))
              | _ :: _ -> mismatch)))))

(** val read_kernel :
    context -> lines -> ((kernel * dyadic) * lines) result **)

let read_kernel c l =
  bind (line_of ('k'::('e'::('r'::('n'::('e'::('l'::[])))))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | layer :: l1 ->
       (match l1 with
        | [] -> mismatch
        | width0 :: l2 ->
          (match l2 with
           | [] -> mismatch
           | factor :: l3 ->
             (match l3 with
              | [] ->
                need
                  ((&&)
                    (existsb (eqb0 layer)
                      (('f'::('i'::('r'::('s'::('t'::[]))))) :: (('b'::('o'::('t'::('h'::[])))) :: [])))
                    (existsb (eqb0 width0)
                      (('i'::('n'::('f'::('i'::('n'::('i'::('t'::('e'::[])))))))) :: (('g'::('a'::('t'::('e'::('s'::[]))))) :: []))))
                  rejected
                  ('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('k'::('e'::('r'::('n'::('e'::('l'::[])))))))))))))))))))))))
                  (fun _ ->
                  bind (number_of factor) (fun factor0 ->
                    need (dlt dzero factor0) rejected
                      ('t'::('h'::('e'::(' '::('f'::('a'::('c'::('t'::('o'::('r'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('p'::('o'::('s'::('i'::('t'::('i'::('v'::('e'::[]))))))))))))))))))))))))))
                      (fun _ ->
                      need
                        ((||)
                          (eqb0 layer ('f'::('i'::('r'::('s'::('t'::[]))))))
                          (eqb0 width0
                            ('i'::('n'::('f'::('i'::('n'::('i'::('t'::('e'::[]))))))))))
                        rejected
                        ('a'::(' '::('k'::('e'::('r'::('n'::('e'::('l'::(' '::('o'::('f'::(' '::('g'::('a'::('t'::('e'::('s'::(' '::('i'::('s'::(' '::('o'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('f'::('i'::('r'::('s'::('t'::(' '::('l'::('a'::('y'::('e'::('r'::[])))))))))))))))))))))))))))))))))))))))))))
                        (fun _ ->
                        if eqb0 width0
                             ('i'::('n'::('f'::('i'::('n'::('i'::('t'::('e'::[]))))))))
                        then Good
                               (((if eqb0 layer
                                       ('f'::('i'::('r'::('s'::('t'::[])))))
                                  then FirstLayerWide
                                  else BothLayersWide), factor0), l0)
                        else bind
                               (read_measure c
                                 ('u'::('n'::('i'::('t'::('s'::[]))))) l0)
                               (fun pat0 ->
                               let (p, l4) = pat0 in
                               let (p0, m) = p in
                               let (_, counts) = p0 in
                               Good (((FirstLayerGates (counts, m)),
                               factor0), l4))))))
              | _ :: _ -> mismatch)))))

(** val claim_spectrum : context -> lines -> (verdict * lines) result **)

let claim_spectrum c l =
  bind (read_kernel c l) (fun pat ->
    let (p, l0) = pat in
    let (k, factor) = p in
    bind (line_of ('b'::('o'::('u'::('n'::('d'::[]))))) l0) (fun pat0 ->
      let (words0, l1) = pat0 in
      (match words0 with
       | [] -> mismatch
       | kind :: l2 ->
         (match l2 with
          | [] -> mismatch
          | u :: l3 ->
            (match l3 with
             | [] -> mismatch
             | l4 :: l5 ->
               (match l5 with
                | [] ->
                  bind
                    (if eqb0 kind ('l'::('e'::('a'::('s'::('t'::[])))))
                     then Good Least
                     else if eqb0 kind
                               ('l'::('a'::('r'::('g'::('e'::('s'::('t'::[])))))))
                          then Good Greatest
                          else if eqb0 kind ('n'::('u'::('l'::('l'::[]))))
                               then Good Null
                               else Bad (rejected,
                                      ('t'::('h'::('e'::('r'::('e'::(' '::('i'::('s'::(' '::('n'::('o'::(' '::('s'::('u'::('c'::('h'::(' '::('e'::('n'::('d'::(' '::('o'::('f'::(' '::('a'::(' '::('s'::('p'::('e'::('c'::('t'::('r'::('u'::('m'::[]))))))))))))))))))))))))))))))))))))
                    (fun which ->
                    bind (number_of u) (fun u0 ->
                      bind (number_of l4) (fun l6 ->
                        bind
                          (numbers_line
                            ('v'::('e'::('c'::('t'::('o'::('r'::[]))))))
                            (row_count c.set) l1) (fun pat1 ->
                          let (v, l7) = pat1 in
                          (match check_spectrum k factor which
                                   (opened c.gate_list O c.set.rows) v u0 l6 with
                           | Some p0 ->
                             let (u1, l8) = p0 in
                             Good ({ claim_of = (Spectrum (k, factor, which,
                             u1, l8)); top = (Some u1); bottom = (Some l8);
                             listed_parts = None }, l7)
                           | None ->
                             Bad (rejected,
                               ('w'::('h'::('a'::('t'::(' '::('i'::('s'::(' '::('c'::('l'::('a'::('i'::('m'::('e'::('d'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('p'::('r'::('o'::('v'::('e'::('d'::[])))))))))))))))))))))))))))))))))))
                | _ :: _ -> mismatch))))))

(** val kinks_of : char list list -> kink list -> kink list result **)

let rec kinks_of words0 made =
  match words0 with
  | [] -> Good (rev' made)
  | j :: l ->
    (match l with
     | [] -> mismatch
     | i :: l0 ->
       (match l0 with
        | [] -> mismatch
        | slope :: rest ->
          bind (index_of j) (fun j0 ->
            bind (index_of i) (fun i0 ->
              bind (number_of slope) (fun slope0 ->
                kinks_of rest (((j0, i0), slope0) :: made))))))

(** val read_dynamics : char list list -> (bool * dyadic option) result **)

let read_dynamics = function
| [] -> mismatch
| kind :: l ->
  (match l with
   | [] -> mismatch
   | layers :: more ->
     need
       (existsb (eqb0 layers)
         (('f'::('i'::('r'::('s'::('t'::[]))))) :: (('b'::('o'::('t'::('h'::[])))) :: [])))
       rejected
       ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('p'::('r'::('o'::('b'::('l'::('e'::('m'::[])))))))))))))))))))))))
       (fun _ ->
       let both = eqb0 layers ('b'::('o'::('t'::('h'::[])))) in
       (match more with
        | [] ->
          need (eqb0 kind ('r'::('e'::('l'::('u'::[]))))) rejected
            ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('p'::('r'::('o'::('b'::('l'::('e'::('m'::[])))))))))))))))))))))))
            (fun _ -> Good (both, None))
        | slope :: l0 ->
          (match l0 with
           | [] ->
             need (eqb0 kind ('l'::('e'::('a'::('k'::('y'::[])))))) rejected
               ('t'::('h'::('e'::(' '::('l'::('i'::('n'::('e'::(' '::('o'::('f'::(' '::('t'::('h'::('e'::(' '::('p'::('r'::('o'::('b'::('l'::('e'::('m'::[])))))))))))))))))))))))
               (fun _ ->
               bind (number_of slope) (fun a -> Good (both, (Some a))))
           | _ :: _ -> mismatch))))

(** val claim_limit : context -> lines -> (verdict * lines) result **)

let claim_limit c l =
  bind (line_of ('p'::('r'::('o'::('b'::('l'::('e'::('m'::[]))))))) l)
    (fun pat ->
    let (words0, l0) = pat in
    bind (read_dynamics words0) (fun pat0 ->
      let (both, slope) = pat0 in
      bind
        (numbers_line ('b'::('o'::('u'::('n'::('d'::[])))))
          ((fun p -> Big.succ (Big.shift_left p 1)) Big.one) l0) (fun pat1 ->
        let (bounds0, l1) = pat1 in
        need (negb (is_free c)) rejected
          ('t'::('h'::('i'::('s'::(' '::('c'::('l'::('a'::('i'::('m'::(' '::('i'::('s'::(' '::('o'::('n'::('e'::(' '::('o'::('f'::(' '::('n'::('e'::('t'::('w'::('o'::('r'::('k'::('s'::(' '::('w'::('i'::('t'::('h'::('o'::('u'::('t'::(' '::('f'::('r'::('e'::('e'::(' '::('b'::('i'::('a'::('s'::('e'::('s'::[])))))))))))))))))))))))))))))))))))))))))))))))))
          (fun _ ->
          bind
            (count_line ('n'::('e'::('t'::('w'::('o'::('r'::('k'::[])))))))
              l1) (fun pat2 ->
            let (count, l2) = pat2 in
            bind (many count (read_neuron Big.one c.set.columns false) l2)
              (fun pat3 ->
              let (neurons, l3) = pat3 in
              bind
                (numbers_line
                  ('m'::('u'::('l'::('t'::('i'::('p'::('l'::('i'::('e'::('r'::('s'::[])))))))))))
                  (row_count c.set) l3) (fun pat4 ->
                let (multipliers0, l4) = pat4 in
                bind (line_of ('k'::('i'::('n'::('k'::('s'::[]))))) l4)
                  (fun pat5 ->
                  let (words1, l5) = pat5 in
                  (match bounds0 with
                   | [] -> mismatch
                   | r_ :: l6 ->
                     (match l6 with
                      | [] -> mismatch
                      | s_ :: l7 ->
                        (match l7 with
                         | [] -> mismatch
                         | k :: l8 ->
                           (match l8 with
                            | [] ->
                              (match words1 with
                               | [] -> mismatch
                               | count0 :: words2 ->
                                 bind (index_of count0) (fun count1 ->
                                   need
                                     (Big.equal
                                       (Big.mul
                                         ((fun p -> Big.succ (Big.shift_left p 1))
                                         Big.one) count1) (length_of words2))
                                     rejected
                                     ('t'::('h'::('e'::('r'::('e'::(' '::('a'::('r'::('e'::(' '::('n'::('o'::('t'::(' '::('s'::('o'::(' '::('m'::('a'::('n'::('y'::(' '::('k'::('i'::('n'::('k'::('s'::[])))))))))))))))))))))))))))
                                     (fun _ ->
                                     bind (kinks_of words2 []) (fun kinks ->
                                       need (dle dzero k) rejected
                                         ('a'::(' '::('b'::('o'::('u'::('n'::('d'::(' '::('i'::('s'::(' '::('n'::('e'::('g'::('a'::('t'::('i'::('v'::('e'::[])))))))))))))))))))
                                         (fun _ ->
                                         let k0 =
                                           match kinks with
                                           | [] -> dzero
                                           | _ :: _ -> k
                                         in
                                         (match check_limit both
                                                  (match slope with
                                                   | Some a -> a
                                                   | None -> dzero) r_ s_ k0
                                                  c.set.rows neurons
                                                  multipliers0 kinks with
                                          | Some p ->
                                            let (u, l9) = p in
                                            Good ({ claim_of = (Limit (both,
                                            slope, r_, s_, k0,
                                            (length neurons), u, l9)); top =
                                            (Some u); bottom = (Some l9);
                                            listed_parts = (Some ((Relu
                                            (neurons, [])), Without)) }, l5)
                                          | None ->
                                            Bad (rejected,
                                              ('w'::('h'::('a'::('t'::(' '::('i'::('s'::(' '::('c'::('l'::('a'::('i'::('m'::('e'::('d'::(' '::('i'::('s'::(' '::('n'::('o'::('t'::(' '::('p'::('r'::('o'::('v'::('e'::('d'::[]))))))))))))))))))))))))))))))))))))
                            | _ :: _ -> mismatch))))))))))))

(** val read_claim : context -> lines -> (verdict * lines) result **)

let read_claim c l =
  bind (line_of ('c'::('l'::('a'::('i'::('m'::[]))))) l) (fun pat ->
    let (words0, l0) = pat in
    (match words0 with
     | [] -> mismatch
     | kind :: l1 ->
       (match l1 with
        | [] ->
          let exact_only =
            (||)
              ((||)
                ((||) (eqb0 kind ('t'::('r'::('a'::('i'::('n'::[]))))))
                  (eqb0 kind ('m'::('a'::('r'::('g'::('i'::('n'::[]))))))))
                (eqb0 kind
                  ('s'::('p'::('e'::('c'::('t'::('r'::('u'::('m'::[]))))))))))
              (eqb0 kind ('l'::('i'::('m'::('i'::('t'::[]))))))
          in
          need (negb ((&&) exact_only c.from_source.decimals)) rejected
            ('t'::('h'::('i'::('s'::(' '::('c'::('l'::('a'::('i'::('m'::(' '::('i'::('s'::(' '::('a'::('b'::('o'::('u'::('t'::(' '::('d'::('o'::('u'::('b'::('l'::('e'::('s'::(','::(' '::('n'::('o'::('t'::(' '::('a'::('b'::('o'::('u'::('t'::(' '::('d'::('e'::('c'::('i'::('m'::('a'::('l'::('s'::[])))))))))))))))))))))))))))))))))))))))))))))))
            (fun _ ->
            if eqb0 kind ('z'::('e'::('r'::('o'::[]))))
            then claim_zero c l0
            else if eqb0 kind ('c'::('o'::('n'::('e'::[]))))
                 then claim_cone c l0
                 else if eqb0 kind ('c'::('o'::('n'::('e'::('s'::[])))))
                      then claim_cones c l0
                      else if eqb0 kind ('s'::('p'::('i'::('k'::('e'::[])))))
                           then claim_spike c l0
                           else if eqb0 kind
                                     ('t'::('r'::('a'::('i'::('n'::[])))))
                                then claim_train c l0
                                else if eqb0 kind
                                          ('m'::('a'::('r'::('g'::('i'::('n'::[]))))))
                                     then claim_margin c l0
                                     else if eqb0 kind
                                               ('f'::('a'::('c'::('e'::('s'::[])))))
                                          then claim_faces c l0
                                          else if eqb0 kind
                                                    ('s'::('p'::('e'::('c'::('t'::('r'::('u'::('m'::[]))))))))
                                               then claim_spectrum c l0
                                               else if eqb0 kind
                                                         ('l'::('i'::('m'::('i'::('t'::[])))))
                                                    then claim_limit c l0
                                                    else if eqb0 kind
                                                              ('s'::('a'::('m'::('p'::('l'::('e'::('d'::[])))))))
                                                         then Bad (uncovered,
                                                                ('k'::('i'::('n'::('d'::(' '::('n'::('o'::('t'::(' '::('c'::('o'::('v'::('e'::('r'::('e'::('d'::(':'::(' '::('s'::('a'::('m'::('p'::('l'::('e'::('d'::(' '::('m'::('a'::('r'::('g'::('i'::('n'::('s'::[]))))))))))))))))))))))))))))))))))
                                                         else mismatch)
        | _ :: _ -> mismatch)))

(** val answer_of : context -> verdict -> answer **)

let answer_of c v =
  { said = { hash = c.file_hash; labels_hash = c.second_hash; about =
    c.from_source; listed_gates = c.gate_list; claimed = v.claim_of }; read =
    c.set; upper_bound = v.top; lower_bound = v.bottom; parts_of =
    v.listed_parts }

(** val read_claims :
    lines -> context -> lines -> answer list -> answer list result **)

let rec read_claims fuel c l made =
  match fuel with
  | [] -> mismatch
  | _ :: fuel0 ->
    bind (read_claim c l) (fun pat ->
      let (v, l0) = pat in
      let made0 = (answer_of c v) :: made in
      if next_is ('c'::('l'::('a'::('i'::('m'::[]))))) l0
      then read_claims fuel0 c l0 made0
      else (match l0 with
            | [] -> mismatch
            | l1 :: l2 ->
              (match l1 with
               | [] -> mismatch
               | last :: l3 ->
                 (match l3 with
                  | [] ->
                    (match l2 with
                     | [] ->
                       if eqb0 last ('e'::('n'::('d'::[])))
                       then Good (rev' made0)
                       else mismatch
                     | _ :: _ -> mismatch)
                  | _ :: _ -> mismatch))))

(** val checked :
    char list -> char list -> char list -> answer list result **)

let checked certificate data labels =
  bind (words_of certificate) (fun l ->
    bind (read_context data labels l) (fun pat ->
      let (c, l0) = pat in read_claims l0 c l0 []))
