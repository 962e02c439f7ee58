(* SPDX-License-Identifier: Apache-2.0 *)
(* Certificates in gzip (RFC 1951, 1952): all members of a file, behind which nothing but zero bytes may stand. What comes out is
   evidence, which the checker judges: nothing depends on how it was packed. *)
exception Damaged

let most = 2_000_000_000
let packed s = String.length s > 1 && s.[0] = '\x1f' && s.[1] = '\x8b'

type reader = { bytes : string; mutable at : int; mutable held : int; mutable bits : int } (* `bits` low bits of `held` are unread *)
let byte r = if r.at >= String.length r.bytes then raise Damaged else (let c = Char.code r.bytes.[r.at] in r.at <- r.at + 1; c)
let rec take r count =
  if r.bits >= count then begin
    let v = r.held land ((1 lsl count) - 1) in
    r.held <- r.held lsr count; r.bits <- r.bits - count; v
  end else begin
    r.held <- r.held lor (byte r lsl r.bits); r.bits <- r.bits + 8; take r count
  end

(* Canonical codes: how many there are of each length, and their symbols in order. *)
let code_of lengths =
  let count = Array.make 16 0 in
  Array.iter (fun k -> count.(k) <- count.(k) + 1) lengths;
  count.(0) <- 0;
  let left = ref 1 in
  for k = 1 to 15 do left := 2 * !left - count.(k); if !left < 0 then raise Damaged done;
  let order = List.concat_map (fun k -> List.filter (fun s -> lengths.(s) = k) (List.init (Array.length lengths) Fun.id)) (List.init 15 (fun k -> k + 1)) in
  count, Array.of_list order
let symbol r (count, order) =
  let rec step length code first index =
    if length > 15 then raise Damaged;
    let code = code lor take r 1 in
    let here = count.(length) in
    if code - here < first then order.(index + code - first)
    else step (length + 1) (2 * code) (2 * (first + here)) (index + here) in
  step 1 0 0 0

let bases start step = let list = ref [] and at = ref start in List.iter (fun extra -> list := (!at, extra) :: !list; at := !at + (1 lsl extra)) step; Array.of_list (List.rev !list)
let repeated l = List.concat_map (fun (count, extra) -> List.init count (fun _ -> extra)) l
let lengths = Array.append (bases 3 (repeated [ 8, 0; 4, 1; 4, 2; 4, 3; 4, 4; 4, 5 ])) [| 258, 0 |]
let () = lengths.(28) <- (258, 0)
let distances = bases 1 (repeated ((4, 0) :: List.init 13 (fun k -> 2, k + 1)))
let fixed = code_of (Array.init 288 (fun k -> if k < 144 then 8 else if k < 256 then 9 else if k < 280 then 7 else 8)), code_of (Array.make 30 5)

let dynamic r =
  let literal = 257 + take r 5 in
  let distance = 1 + take r 5 in
  let count = 4 + take r 4 in
  let first = Array.make 19 0 in
  Array.iteri (fun k place -> if k < count then first.(place) <- take r 3) [| 16; 17; 18; 0; 8; 7; 9; 6; 10; 5; 11; 4; 12; 3; 13; 2; 14; 1; 15 |];
  let code = code_of first and all = Array.make (literal + distance) 0 and at = ref 0 in
  let put v times = if !at + times > literal + distance then raise Damaged; Array.fill all !at times v; at := !at + times in
  while !at < literal + distance do
    match symbol r code with
    | 16 -> if !at = 0 then raise Damaged; put all.(!at - 1) (3 + take r 2)
    | 17 -> put 0 (3 + take r 3)
    | 18 -> put 0 (11 + take r 7)
    | v -> put v 1
  done;
  code_of (Array.sub all 0 literal), code_of (Array.sub all literal distance)

let coded r out begins (literal, distance) =
  let rec go () = match symbol r literal with
    | 256 -> ()
    | s when s < 256 -> Buffer.add_char out (Char.chr s); go ()
    | s ->
      if s > 285 then raise Damaged;
      let base, extra = lengths.(s - 257) in
      let length = base + take r extra in
      let d = symbol r distance in
      if d > 29 then raise Damaged;
      let base, extra = distances.(d) in
      let back = base + take r extra in
      if back > Buffer.length out - begins || Buffer.length out > most then raise Damaged;
      for _ = 1 to length do Buffer.add_char out (Buffer.nth out (Buffer.length out - back)) done;
      go () in
  go ()
let stored r out =
  r.held <- 0; r.bits <- 0;
  let size = take r 16 in
  if take r 16 <> size lxor 0xffff then raise Damaged;
  for _ = 1 to size do Buffer.add_char out (Char.chr (byte r)) done

let crc_table = Array.init 256 (fun n -> let c = ref n in for _ = 1 to 8 do c := if !c land 1 = 1 then 0xedb88320 lxor (!c lsr 1) else !c lsr 1 done; !c)
let crc s from = let c = ref 0xffffffff in for k = from to String.length s - 1 do c := crc_table.((!c lxor Char.code s.[k]) land 255) lxor (!c lsr 8) done; !c lxor 0xffffffff

(* One member behind its first two bytes. *)
let member r out =
  let begins = Buffer.length out in
  if byte r <> 8 then raise Damaged;
  let flags = byte r in
  if flags land 0xe0 <> 0 then raise Damaged;
  for _ = 1 to 6 do ignore (byte r) done;
  if flags land 4 <> 0 then (let low = byte r in let size = low + 256 * byte r in for _ = 1 to size do ignore (byte r) done);
  List.iter (fun flag -> if flags land flag <> 0 then while byte r <> 0 do () done) [ 8; 16 ];
  if flags land 2 <> 0 then for _ = 1 to 2 do ignore (byte r) done;
  let rec blocks () =
    let last = take r 1 in
    (match take r 2 with 0 -> stored r out | 1 -> coded r out begins fixed | 2 -> coded r out begins (dynamic r) | _ -> raise Damaged);
    if last = 0 then blocks () in
  blocks ();
  r.held <- 0; r.bits <- 0;
  let made = Buffer.contents out in
  let low = take r 16 in
  let sum = low + 65536 * take r 16 in
  let low = take r 16 in
  let size = low + 65536 * take r 16 in
  if sum <> crc made begins || size <> (String.length made - begins) land 0xffffffff then raise Damaged

let unpack bytes =
  let r = { bytes; at = 0; held = 0; bits = 0 } and out = Buffer.create (8 * String.length bytes) in
  let rec members () =
    if byte r <> 0x1f || byte r <> 0x8b then raise Damaged;
    member r out;
    if r.at < String.length bytes && bytes.[r.at] <> '\x00' then members () in
  members ();
  String.iteri (fun k c -> if k >= r.at && c <> '\x00' then raise Damaged) bytes;
  Buffer.contents out
