(* SPDX-License-Identifier: Apache-2.0 *)
(* --model FILE: is the network that a claim lists that of a model file, number by number (checker/model.c)? And the members of a JSON
   object (checker/json.c): keys without escapes, each once, and their values as texts. *)
open Checker
open Words

let blank c = c = ' ' || c = '\t' || c = '\r' || c = '\n'
let rec skip s at = if at < String.length s && blank s.[at] then skip s (at + 1) else at
let is_object s = let at = skip s 0 in at < String.length s && s.[at] = '{'

let members what s =
  let bad why = stop 5 (Printf.sprintf "%s %s" what why) in
  let get at = if at < String.length s then s.[at] else bad "does not end" in
  let rec text_end at = match get at with '"' -> at + 1 | '\\' -> ignore (get (at + 1)); text_end (at + 2) | _ -> text_end (at + 1) in
  let rec value_end at depth = match get at with
    | '"' -> value_end (text_end (at + 1)) depth
    | (',' | '}') when depth = 0 -> at
    | '[' | '{' -> value_end (at + 1) (depth + 1)
    | ']' | '}' -> value_end (at + 1) (depth - 1)
    | _ -> value_end (at + 1) depth in
  let rec next at made =
    let key = skip s at in
    if get key <> '"' then bad "has a member without a name";
    let stop_ = text_end (key + 1) in
    let colon = skip s stop_ in
    if get colon <> ':' then bad "has a member without a value";
    let name = String.sub s (key + 1) (stop_ - key - 2) and from = skip s (colon + 1) in
    let to_ = value_end from 0 in
    if List.mem_assoc name made then bad ("has a member twice: " ^ name);
    let value = String.trim (String.sub s from (to_ - from)) in
    let made = (name, value) :: made in
    if get to_ = ',' then next (to_ + 1) made
    else if skip s (to_ + 1) <> String.length s then bad "goes on behind its end" else List.rev made in
  let from = skip s 0 in
  if not (is_object s) then bad "is not a JSON object";
  next (from + 1) []
let plain v = let n = String.length v in if n > 1 && v.[0] = '"' && v.[n - 1] = '"' then String.sub v 1 (n - 2) else v
(* "gap<=" of an object is "gap<" here. *)
let texts what s = List.map (fun (key, value) -> List.hd (String.split_on_char '=' key), plain value) (members what s)

let find list key = List.assoc_opt key list
let need_word list key word = match find list key with
  | Some v when plain v = word -> ()
  | v -> stop 4 (Printf.sprintf "the model's %s is %s, the certificate's is %s" key (match v with Some v -> plain v | None -> "missing") word)
let numbers list key count =
  let words = List.filter (fun w -> w <> "") (String.split_on_char ' ' (String.map (fun c -> if blank c || c = '[' || c = ']' || c = ',' then ' ' else c)
                                                                        (Option.value (find list key) ~default:""))) in
  let number w = match plain_number w with Some v -> v | None -> stop 5 (Printf.sprintf "the model's %s holds something other than numbers" key) in
  let found = List.map number words in
  if List.length found <> count then
    stop 4 (Printf.sprintf "the model's %s has %d numbers, the certificate's has %d" key (List.length found) count);
  Array.of_list found

let same listed from values = List.for_all Fun.id (List.mapi (fun k a -> deq a values.(from + k)) listed)
let compare bytes answers =
  let list = members "the model" bytes in
  let steps = match find list "preprocess" with
    | Some text -> members "the model's preprocess" text
    | None -> stop 5 "the model has no member 'preprocess'" in
  match answers with
  | [ ({ parts_of = Some (f, _); _ } as a) ] ->
    let d = Big.to_int a.read.columns and o = match a.read.rows with r :: _ -> List.length r.dtarget | [] -> 0 in
    let free = a.said.about.bias = Free in
    need_word steps "normalize" (normalize a.said.about);
    need_word steps "bias" (bias_of a.said.about);
    let need k holds = if not holds then stop 4 (Printf.sprintf "neuron %d (from 0) of the model is not the one that is listed" k) in
    let constant c = (* without a free bias there is none *)
      let values = numbers list "c" o in
      let c = if c = [] then List.init o (fun _ -> dzero) else c in
      if not (same c 0 values) then stop 4 "the model's constant is not the one that is listed" in
    (match f with
     | Relu (neurons, c) ->
       let n = List.length neurons in
       need_word list "kind" (match a.said.claimed with Limit (_, Some _, _, _, _, _, _, _) -> "leaky" | _ -> "relu");
       let w = numbers list "W" (n * o) and u = numbers list "U" (n * d) in
       let b = if free then numbers list "b" n else [||] in
       List.iteri (fun k j -> need k (same j.douter (k * o) w && same j.dinner (k * d) u && (not free || deq j.dshift b.(k)))) neurons;
       constant c
     | OnGates (neurons, c) ->
       let n = List.length neurons in
       need_word list "kind" "gated";
       let w = numbers list "W" (n * o * d) and v = numbers list "V" (n * d) in
       let rows = opened a.said.listed_gates O a.read.rows in
       List.iteri (fun k j ->
         let orientation = Array.to_list (Array.sub v (k * d) d) in
         let opens = List.for_all (fun q -> dlt dzero (ddot (fst q).dpoint orientation) = snd q j.dgate) rows in
         need k (same (List.concat j.dmaps) (k * o * d) w && opens)) neurons;
       constant c)
  | _ -> stop 4 "a model is compared with the one network of a certificate"
