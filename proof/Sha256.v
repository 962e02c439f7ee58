(* SPDX-License-Identifier: Apache-2.0 *)
(* SHA-256 [FIPS 180-4], which ties a certificate to its data. Nothing is proved of it; the test vectors below are computed. *)
From Coq Require Import ZArith List String Ascii.
From Fathom Require Import Text.
Import ListNotations.
Open Scope Z_scope.

Definition mask := 4294967295.
Definition add32 (a b : Z) : Z := Z.land (a + b) mask.
Definition rotate (k a : Z) : Z := Z.lor (Z.shiftr a k) (Z.land (Z.shiftl a (32 - k)) mask).
Definition xor3 (a b c : Z) : Z := Z.lxor (Z.lxor a b) c.
Definition choose (e f g : Z) : Z := Z.lxor (Z.land e f) (Z.land (mask - e) g).
Definition majority (a b c : Z) : Z := xor3 (Z.land a b) (Z.land a c) (Z.land b c).
(* Fractional parts of cube roots of the first 64 primes, and of square roots of the first 8. *)
Definition rounds : list Z :=
  [1116352408; 1899447441; 3049323471; 3921009573; 961987163; 1508970993; 2453635748; 2870763221;
   3624381080; 310598401; 607225278; 1426881987; 1925078388; 2162078206; 2614888103; 3248222580;
   3835390401; 4022224774; 264347078; 604807628; 770255983; 1249150122; 1555081692; 1996064986;
   2554220882; 2821834349; 2952996808; 3210313671; 3336571891; 3584528711; 113926993; 338241895;
   666307205; 773529912; 1294757372; 1396182291; 1695183700; 1986661051; 2177026350; 2456956037;
   2730485921; 2820302411; 3259730800; 3345764771; 3516065817; 3600352804; 4094571909; 275423344;
   430227734; 506948616; 659060556; 883997877; 958139571; 1322822218; 1537002063; 1747873779;
   1955562222; 2024104815; 2227730452; 2361852424; 2428436474; 2756734187; 3204031479; 3329325298].
Definition start : list Z :=
  [1779033703; 3144134277; 1013904242; 2773480762; 1359893119; 2600822924; 528734635; 1541459225].

(* The message schedule: the last 16 words, the newest first. *)
Definition next_word (w : list Z) : Z :=
  let a := nth 1 w 0 in let b := nth 14 w 0 in
  add32 (add32 (xor3 (rotate 17 a) (rotate 19 a) (Z.shiftr a 10)) (nth 6 w 0))
        (add32 (xor3 (rotate 7 b) (rotate 18 b) (Z.shiftr b 3)) (nth 15 w 0)).
Fixpoint schedule (count : nat) (w all : list Z) : list Z :=
  match count with
  | O => rev' all
  | S k => let x := next_word w in schedule k (x :: removelast w) (x :: all)
  end.
Definition round (s : list Z) (kw : Z * Z) : list Z :=
  match s with
  | [a; b; c; d; e; f; g; h] =>
      let t := add32 (add32 (add32 h (xor3 (rotate 6 e) (rotate 11 e) (rotate 25 e))) (add32 (choose e f g) (fst kw))) (snd kw) in
      let m := add32 (xor3 (rotate 2 a) (rotate 13 a) (rotate 22 a)) (majority a b c) in
      [add32 t m; a; b; c; add32 d t; e; f; g]
  | _ => s
  end.
Definition block (h words : list Z) : list Z :=
  let w := rev' words in
  map (fun p => add32 (fst p) (snd p)) (combine h (fold_left round (combine rounds (schedule 48 w w)) h)).

(* Bytes to words, 16 of them to a block; the count of words in the block and of bytes in the word are kept. *)
Record state := State { hashed : list Z; words : list Z; word : Z; bytes : Z }.
Definition feed (s : state) (b : Z) : state :=
  let w := Z.lor (Z.shiftl (word s) 8) b in
  let k := bytes s + 1 in
  if negb (Z.land k 3 =? 0) then State (hashed s) (words s) w k
  else if Z.land k 63 =? 0 then State (block (hashed s) (rev' (w :: words s))) [] 0 k
  else State (hashed s) (w :: words s) 0 k.
Fixpoint feed_all (s : state) (text : string) : state :=
  match text with EmptyString => s | String c rest => feed_all (feed s (code c)) rest end.
Fixpoint pad (fuel : nat) (s : state) : state :=
  match fuel with O => s | S k => if Z.land (bytes s) 63 =? 56 then s else pad k (feed s 0) end.
Definition digest (text : string) : list Z :=
  let s := feed_all (State start [] 0 0) text in
  let length := 8 * bytes s in
  let s := pad 64 (feed s 128) in
  hashed (fold_left feed (map (fun k => Z.land (Z.shiftr length k) 255) [56; 48; 40; 32; 24; 16; 8; 0]) s).
Definition hex (k : Z) : ascii := nth (Z.to_nat k) (list_ascii_of_string "0123456789abcdef") zero.
Definition hex_word (w : Z) : list ascii := map (fun k => hex (Z.land (Z.shiftr w k) 15)) [28; 24; 20; 16; 12; 8; 4; 0].
Definition sha256 (text : string) : string := string_of_list_ascii (flat_map hex_word (digest text)).

Local Open Scope string_scope.
Example of_nothing : sha256 "" = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".
Proof. vm_compute. reflexivity. Qed.
Example of_abc : sha256 "abc" = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".
Proof. vm_compute. reflexivity. Qed.
Example of_two_blocks : sha256 "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq" = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1".
Proof. vm_compute. reflexivity. Qed.
