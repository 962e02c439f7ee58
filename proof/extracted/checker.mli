
val negb : bool -> bool

type nat =
| O
| S of nat

type ('a, 'b) sum =
| Inl of 'a
| Inr of 'b

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> nat

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

val compOpp : comparison -> comparison

val add : nat -> nat -> nat

val mul : nat -> nat -> nat

val sub : nat -> nat -> nat

val eqb : bool -> bool -> bool

module Nat :
 sig
  val eqb : nat -> nat -> bool

  val leb : nat -> nat -> bool

  val ltb : nat -> nat -> bool
 end

module Pos :
 sig
  type mask =
  | IsNul
  | IsPos of Big.t
  | IsNeg
 end

module Coq_Pos :
 sig
  val succ : Big.t -> Big.t

  val add : Big.t -> Big.t -> Big.t

  val add_carry : Big.t -> Big.t -> Big.t

  val pred_double : Big.t -> Big.t

  val pred_N : Big.t -> Big.t

  type mask = Pos.mask =
  | IsNul
  | IsPos of Big.t
  | IsNeg

  val succ_double_mask : mask -> mask

  val double_mask : mask -> mask

  val double_pred_mask : Big.t -> mask

  val sub_mask : Big.t -> Big.t -> mask

  val sub_mask_carry : Big.t -> Big.t -> mask

  val sub : Big.t -> Big.t -> Big.t

  val mul : Big.t -> Big.t -> Big.t

  val iter : ('a1 -> 'a1) -> 'a1 -> Big.t -> 'a1

  val div2 : Big.t -> Big.t

  val div2_up : Big.t -> Big.t

  val size_nat : Big.t -> nat

  val size : Big.t -> Big.t

  val compare_cont : comparison -> Big.t -> Big.t -> comparison

  val compare : Big.t -> Big.t -> comparison

  val eqb : Big.t -> Big.t -> bool

  val leb : Big.t -> Big.t -> bool

  val sqrtrem_step :
    (Big.t -> Big.t) -> (Big.t -> Big.t) -> (Big.t * mask) -> Big.t * mask

  val sqrtrem : Big.t -> Big.t * mask

  val sqrt : Big.t -> Big.t

  val gcdn : nat -> Big.t -> Big.t -> Big.t

  val gcd : Big.t -> Big.t -> Big.t

  val coq_Nsucc_double : Big.t -> Big.t

  val coq_Ndouble : Big.t -> Big.t

  val coq_lor : Big.t -> Big.t -> Big.t

  val coq_land : Big.t -> Big.t -> Big.t

  val ldiff : Big.t -> Big.t -> Big.t

  val coq_lxor : Big.t -> Big.t -> Big.t

  val testbit : Big.t -> Big.t -> bool

  val iter_op : ('a1 -> 'a1 -> 'a1) -> Big.t -> 'a1 -> 'a1

  val to_nat : Big.t -> nat

  val of_succ_nat : nat -> Big.t
 end

module N :
 sig
  val succ_pos : Big.t -> Big.t

  val add : Big.t -> Big.t -> Big.t

  val mul : Big.t -> Big.t -> Big.t

  val coq_lor : Big.t -> Big.t -> Big.t

  val coq_land : Big.t -> Big.t -> Big.t

  val ldiff : Big.t -> Big.t -> Big.t

  val coq_lxor : Big.t -> Big.t -> Big.t

  val testbit : Big.t -> Big.t -> bool

  val of_nat : nat -> Big.t
 end

module Z :
 sig
  val double : Big.t -> Big.t

  val succ_double : Big.t -> Big.t

  val pred_double : Big.t -> Big.t

  val pos_sub : Big.t -> Big.t -> Big.t

  val pow_pos : Big.t -> Big.t -> Big.t

  val compare : Big.t -> Big.t -> comparison

  val to_nat : Big.t -> nat

  val of_nat : nat -> Big.t

  val pos_div_eucl : Big.t -> Big.t -> Big.t * Big.t

  val odd : Big.t -> bool

  val div2 : Big.t -> Big.t
 end

val hd : 'a1 -> 'a1 list -> 'a1

val tl : 'a1 list -> 'a1 list

val nth : nat -> 'a1 list -> 'a1 -> 'a1

val nth_error : 'a1 list -> nat -> 'a1 option

val removelast : 'a1 list -> 'a1 list

val rev_append : 'a1 list -> 'a1 list -> 'a1 list

val rev' : 'a1 list -> 'a1 list

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list

val find : ('a1 -> bool) -> 'a1 list -> 'a1 option

val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list

val seq : nat -> nat -> nat list

val repeat : 'a1 -> nat -> 'a1 list

val zero : char

val ascii_of_nat : nat -> char



val eqb0 : char list -> char list -> bool

val append : char list -> char list -> char list

val length0 : char list -> nat

val substring : nat -> nat -> char list -> char list

val prefix : char list -> char list -> bool

val string_of_list_ascii : char list -> char list

val list_ascii_of_string : char list -> char list

type dyadic = { mantissa : Big.t; exponent : Big.t }

val dint : Big.t -> dyadic

val dzero : dyadic

val done0 : dyadic

val dadd : dyadic -> dyadic -> dyadic

val dneg : dyadic -> dyadic

val dsub : dyadic -> dyadic -> dyadic

val dmul : dyadic -> dyadic -> dyadic

val dsgn : dyadic -> Big.t

val dle : dyadic -> dyadic -> bool

val dlt : dyadic -> dyadic -> bool

val deq : dyadic -> dyadic -> bool

val dabs : dyadic -> dyadic

val dmax : dyadic -> dyadic -> dyadic

val dmin : dyadic -> dyadic -> dyadic

val dhalf : dyadic -> dyadic

val precision : Big.t

val ceil_div : Big.t -> Big.t -> Big.t

val ddiv_up : dyadic -> dyadic -> dyadic

val ddiv_down : dyadic -> dyadic -> dyadic

val dsqrt_up : dyadic -> dyadic

val double_up : dyadic -> dyadic

val double_down : dyadic -> dyadic

val dtrim_up : Big.t -> dyadic -> dyadic

type 'a result =
| Good of 'a
| Bad of Big.t * char list

val bind : 'a1 result -> ('a1 -> 'a2 result) -> 'a2 result

val need : bool -> Big.t -> char list -> (unit -> 'a1 result) -> 'a1 result

val rejected : Big.t

val unreadable : Big.t

val uncovered : Big.t

val traverse : ('a1 -> 'a2 result) -> 'a1 list -> 'a2 list -> 'a2 list result

val rev_onto : char list -> char list -> char list

val split_onto :
  char -> char list -> char list -> char list list -> char list list

val split : char -> char list -> char list list

val newline : char

val code : char -> Big.t

val blank : char -> bool

val white : char -> bool

val skip : (char -> bool) -> char list -> char list

val strip_end : (char -> bool) -> char list -> char list

val strip : (char -> bool) -> char list -> char list

val has : char -> char list -> bool

val size_onto : char list -> Big.t -> Big.t

val size0 : char list -> Big.t

val digit : Big.t -> char -> Big.t option

val digits :
  Big.t -> char list -> Big.t -> Big.t -> (Big.t * Big.t) * char list

val index : char list -> Big.t option

val sign_of : char list -> bool -> Big.t * char list

val number : char list -> dyadic option

val words_of : char list -> char list list list result

type lines = char list list list

val mismatch : 'a1 result

val line_of : char list -> lines -> (char list list * lines) result

val next_is : char list -> lines -> bool

val number_of : char list -> dyadic result

val index_of : char list -> Big.t result

val length_onto : 'a1 list -> Big.t -> Big.t

val length_of : 'a1 list -> Big.t

val numbers_of : Big.t -> char list list -> dyadic list result

val numbers_line : char list -> Big.t -> lines -> (dyadic list * lines) result

val cut : Big.t -> 'a1 list -> 'a1 list -> 'a1 list * 'a1 list

val repeat_lines :
  char list list list -> Big.t -> (lines -> ('a1 * lines) result) -> lines ->
  'a1 list -> ('a1 list * lines) result

val many :
  Big.t -> (lines -> ('a1 * lines) result) -> lines -> ('a1 list * lines)
  result

val half_even : Big.t -> Big.t -> Big.t

val scaled : Big.t -> Big.t -> Big.t -> Big.t * Big.t

val nearest_exponent : Big.t -> Big.t -> Big.t

val nearest : Big.t -> Big.t -> dyadic

val finite : dyadic -> bool

val ratio : Big.t -> Big.t -> Big.t -> dyadic option

val rounded : dyadic -> dyadic option

val quotient : dyadic -> dyadic -> dyadic option

val root : dyadic -> dyadic option

type field = { decimal : Big.t; tens : Big.t; nearest_double : dyadic }

val field_of : Big.t -> Big.t -> Big.t -> field option

val plain : char list -> field option

type line = { fields : field list; label : (field list, char list) sum;
              mass : dyadic }

val one_field : field

val nth_field : Big.t -> char list list -> char list option

val without : Big.t -> Big.t -> Big.t -> char list list -> char list list

val plain_of : char list -> field result

val row_words : char list -> char list list

val csv_row : Big.t -> Big.t -> Big.t -> bool -> char list -> line result

val is_text : char list -> bool

val read_csv : bool -> Big.t -> Big.t -> char list -> line list result

val not_empty : char list -> bool

val svm_words : char list -> char list list

val zero_field : field

val zeros : nat -> field list

val svm_fields :
  char list list -> Big.t -> Big.t -> field list -> field list result

val svm_row : Big.t -> char list list -> line result

val read_libsvm : Big.t -> char list -> line list result

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

val count_names : names -> Big.t

val place : ('a1 -> bool) -> 'a1 list -> Big.t -> Big.t option

val class_of : names -> (field list, char list) sum -> Big.t option

val unit_vector : nat -> Big.t -> dyadic list

val target_of : source -> line -> dyadic list option

val lift2 :
  (dyadic -> dyadic -> dyadic option) -> dyadic option -> dyadic option ->
  dyadic option

val add64 : dyadic -> dyadic -> dyadic option

val mul64 : dyadic -> dyadic -> dyadic option

val sum64 : dyadic list -> dyadic option

val squares64 : dyadic list -> dyadic option

val all_some : 'a1 option list -> 'a1 list option

val is_zero : dyadic -> bool

val over : dyadic list -> dyadic option -> dyadic list option

val unit_row : dyadic list -> dyadic list option

val standard_column : dyadic list -> dyadic list option

val transpose : nat -> dyadic list list -> dyadic list list

val standardized : dyadic list list -> dyadic list list option

val drop_tens : nat -> Big.t -> Big.t -> Big.t * Big.t

val lowest_terms : field -> Big.t * Big.t

val whole : field list -> dyadic list result

val from : Big.t -> 'a1 list -> 'a1 list

val indexed : Big.t -> 'a1 list -> (Big.t * 'a1) list

val in_range : (Big.t * line) list -> (Big.t * Big.t) -> (Big.t * line) list

type drow = { dpoint : dyadic list; dtarget : dyadic list; dweight : dyadic }

type dataset = { rows_of_file : Big.t; kept : Big.t list; columns : Big.t;
                 rows : drow list }

val points : source -> line list -> dyadic list list result

val little : nat -> char list -> (Big.t * char list) option

val float_of : Big.t -> Big.t -> Big.t -> dyadic option

val element : char -> Big.t -> Big.t -> dyadic option

val elements :
  char list -> char -> Big.t -> char list -> field list -> field list result

val drop : nat -> char list -> char list

val after : char list -> char list -> char list option

val value_of : char list -> char list -> char list option

val without_spaces : char list -> char list

val dimension_of : char list -> Big.t option

val shape_of : char list -> (Big.t * Big.t) option

val form_of : char list -> (char * Big.t) option

val take : Big.t -> char list -> char list -> (char list * char list) option

val grouped : nat -> Big.t -> 'a1 list -> 'a1 list list

val turned_over : nat -> 'a1 list list -> 'a1 list list

val read_array : char list -> field list list result

val read_npy : char list -> char list -> line list result

val read_file : layout -> char list -> char list -> line list result

val dataset_of : source -> char list -> char list -> dataset result

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

val gate_count : gates -> nat

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

val dplus : dyadic list -> dyadic list -> dyadic list

val dtimes : dyadic -> dyadic list -> dyadic list

val ddot_onto : dyadic list -> dyadic list -> dyadic -> dyadic

val ddot : dyadic list -> dyadic list -> dyadic

val dsum : dyadic list -> dyadic

val dtotal : dyadic list list -> dyadic list

val dnull : dyadic list -> bool

val znth : Big.t -> 'a1 list -> 'a1 option

val is_sign : dyadic list -> bool

val signs : drow list -> bool

val mask0 : Big.t

val add32 : Big.t -> Big.t -> Big.t

val rotate : Big.t -> Big.t -> Big.t

val xor3 : Big.t -> Big.t -> Big.t -> Big.t

val choose : Big.t -> Big.t -> Big.t -> Big.t

val majority : Big.t -> Big.t -> Big.t -> Big.t

val rounds : Big.t list

val start : Big.t list

val next_word : Big.t list -> Big.t

val schedule : nat -> Big.t list -> Big.t list -> Big.t list

val round : Big.t list -> (Big.t * Big.t) -> Big.t list

val block : Big.t list -> Big.t list -> Big.t list

type state = { hashed : Big.t list; words : Big.t list; word : Big.t;
               bytes : Big.t }

val feed : state -> Big.t -> state

val feed_all : state -> char list -> state

val pad : nat -> state -> state

val digest : char list -> Big.t list

val hex : Big.t -> char

val hex_word : Big.t -> char list

val sha256 : char list -> char list

type context = { from_source : source; file_hash : char list;
                 second_hash : char list option; set : dataset;
                 gate_list : gates }

val before_bytes :
  char list list -> char list list -> char list list * char list list

val int_of : char list -> Big.t result

val is_size : char list -> char list -> bool

val read_layout :
  char list list -> char list -> char list ->
  ((layout * char list) * char list option) result

val pairs_of :
  char list list -> (Big.t * Big.t) list -> (Big.t * Big.t) list result

val read_ranges : char list list -> (Big.t * Big.t) list result

val hex_text : char list -> char list option

val hex_text_of : char list -> char list result

val read_classes : char list list -> (coding * names) result

val read_steps :
  char list list -> ((((normalisation * biases) * Big.t) * Big.t) * bool)
  result

val bits_of : char list -> bool list option

val pattern_of : Big.t -> char list -> bool list result

val read_gates : Big.t -> Big.t -> lines -> (gates * lines) result

val row_count : dataset -> Big.t

val read_context : char list -> char list -> lines -> (context * lines) result

type evidence0 = { a_row : drow; b_row : drow; l_of : dyadic }

val pair_ok : evidence0 -> bool

val on_ray : evidence0 -> bool

val zero_ok : evidence0 list -> bool

val find_pairs :
  drow list -> ((Big.t * Big.t) * dyadic) list -> evidence0 list option

val check_zero : drow list -> ((Big.t * Big.t) * dyadic) list -> bool

val check_origin : drow list -> nat -> bool

val dsame : dyadic list -> dyadic list -> bool

val check_equal : drow list -> nat -> nat -> bool

val turned : drow list -> bool list -> dyadic list -> dyadic list list

val marked : bool list -> dyadic list -> bool

val check_cone_empty : drow list -> bool list -> dyadic list -> bool

val gained : drow list -> dyadic list -> dyadic list -> dyadic

val combined : drow list -> dyadic list -> dyadic list list

val check_spike :
  drow list -> dyadic list -> dyadic list -> dyadic option option

val same_ray : dyadic list -> dyadic list -> bool

val rays : dyadic list list -> dyadic list list -> dyadic list list

val zip_with :
  (Big.t -> Big.t -> Big.t) -> Big.t list -> Big.t list -> Big.t list

val jordan :
  nat -> Big.t -> Big.t list list -> Big.t list list -> Big.t list list option

val whole_rows : dyadic list list -> Big.t list list

val zdot : Big.t list -> Big.t list -> Big.t

val unit_row0 : nat -> nat -> Big.t list

val reciprocals : dyadic list list -> dyadic list list option

val at_row : dyadic list list -> nat -> dyadic list

val reciprocal : dyadic -> dyadic list list -> dyadic list list -> bool

val obtuse : nat -> dyadic list list -> bool

val check_spike_free : nat -> dyadic list list -> bool

val whole_row : dyadic list -> Big.t list

val zero_row : Big.t list -> bool

val primitive : Big.t list -> Big.t list

val combined0 : Big.t -> Big.t list -> Big.t -> Big.t list -> Big.t list

val restricted : Big.t list -> Big.t list -> Big.t list

val single_entry : Big.t list -> bool

val count_cones : nat -> Big.t list list -> Big.t option

val distinct : nat -> bool list list -> bool

val nonzero_points : drow list -> dyadic list list

val cones_ok : nat -> gates -> drow list -> bool

val pivot_of : Big.t list list -> (Big.t * Big.t list) option

val nullity : nat -> Big.t list list -> nat

val placed : drow list -> bool list -> dyadic list -> dyadic list -> bool

val forced : drow list -> dyadic list -> dyadic list list

val check_dimension :
  nat -> drow list -> bool list -> dyadic list -> dyadic list -> nat option

val zip : (Big.t -> Big.t -> Big.t) -> Big.t list -> Big.t list -> Big.t list

val first_positive : nat -> Big.t list -> nat option

val entry_of : nat -> (nat * Big.t list) -> Big.t

val sooner : nat -> (nat * Big.t list) -> (nat * Big.t list) -> bool

val leaving :
  nat -> (nat * Big.t list) list -> (nat * Big.t list) option -> (nat * Big.t
  list) option

val simplex :
  nat -> nat -> Big.t -> (nat * Big.t list) list -> (nat * Big.t list) list

val weights_of : nat -> (Big.t list * bool) list -> Big.t list

val summed : (Big.t list * bool) list -> Big.t list -> Big.t list

val vacant : (Big.t list * bool) list -> Big.t list -> bool

val covers :
  nat -> (Big.t list * bool) list -> Big.t list list -> bool list list -> bool

val check_faces : nat -> gates -> drow list -> bool

val halvings : nat

val pow_minus_k : dyadic

val pow_k : dyadic

val squared_up : nat -> dyadic -> dyadic

val rooted_up : nat -> dyadic -> dyadic

val exp_up : dyadic -> dyadic

val ln_up : dyadic -> dyadic

val lse_up : dyadic list -> dyadic

val entropy_down : dyadic -> dyadic -> dyadic

val row_minus : Big.t -> Big.t -> Big.t list -> Big.t list -> Big.t list

val eliminated : Big.t -> Big.t list -> Big.t list list -> Big.t list list

val divisible : Big.t -> Big.t list list -> bool

val reduced : Big.t -> Big.t list list -> Big.t list list

val definite : Big.t list list -> Big.t -> Big.t list list -> bool

val outer_product : dyadic list -> dyadic list list

val tri_plus : dyadic list list -> dyadic list list -> dyadic list list

val tri_times : dyadic -> dyadic list list -> dyadic list list

val tri_diagonal : nat -> dyadic -> dyadic list list

val floor_at : Big.t -> dyadic -> Big.t

val lowered : Big.t -> Big.t list -> Big.t list

val on_grid : Big.t -> Big.t -> dyadic list list -> Big.t list list

val tri_definite : Big.t -> nat -> dyadic list list -> bool

type term = { col : Big.t; coef : dyadic; pt : dyadic list }

val same_column : Big.t -> term list -> (Big.t * term list) list option

val grouped0 :
  nat -> Big.t -> Big.t -> term list -> (Big.t * term list) list option

val by_column : Big.t -> Big.t -> term list -> (Big.t * term list) list option

type entry_of0 = (Big.t * Big.t) * dyadic

type signs_fixed = (Big.t * bool) list

val sign_at : Big.t -> signs_fixed -> bool option

val signed : bool -> dyadic -> dyadic

val redirected : signs_fixed -> term -> term

val rows_terms : Big.t -> dyadic list list -> dyadic list -> term list

val entry_terms :
  dyadic list list -> entry_of0 list -> (term * Big.t) list option

val psi_terms :
  dyadic list list -> (Big.t * term list) list -> term list option

val nu_terms :
  dyadic list list -> signs_fixed -> dyadic list -> term list option

val column_of : term list -> dyadic list

val weigh_columns :
  dyadic list -> (Big.t * term list) list -> (dyadic * dyadic list) list
  option

val leaf_columns :
  dyadic list list -> dyadic list -> signs_fixed -> entry_of0 list -> dyadic
  list -> dyadic list -> (dyadic * dyadic list) list option

val bound_columns : nat -> dyadic -> (dyadic * dyadic list) list -> bool

val bound_lifted :
  nat -> dyadic -> dyadic -> dyadic -> (dyadic * dyadic list) list -> bool

type tree =
| Split of Big.t * tree * tree
| Leaf of entry_of0 list * dyadic list * dyadic list * dyadic list

type bounds = dyadic list -> (dyadic * dyadic list) list -> bool

val leaf_ok :
  bounds -> dyadic list list -> dyadic list -> signs_fixed -> entry_of0 list
  -> dyadic list -> dyadic list -> dyadic list -> bool

val tree_ok :
  bounds -> dyadic list list -> dyadic list -> signs_fixed -> tree -> bool

val less : dyadic list -> dyadic list -> dyadic list

val radius : dyadic list list -> dyadic

val side_ok :
  bool -> nat -> dyadic list -> dyadic list list -> dyadic list -> dyadic ->
  tree -> bool

val kinks_ok :
  nat -> dyadic list list -> dyadic list -> dyadic -> dyadic list list ->
  (tree * tree) list -> bool

type place0 = dyadic * dyadic

val cross : place0 -> place0 -> dyadic

val inner_product : place0 -> place0 -> dyadic

type ray = { at_place : place0; products : dyadic list; ahead : dyadic;
             behind : dyadic }

val ray_at : dyadic list -> dyadic list list -> place0 -> ray

val straight : dyadic list -> dyadic list -> bool

val copositive : dyadic -> place0 -> place0 -> dyadic -> dyadic -> bool

val arc_ok : dyadic -> ray -> ray -> bool

val chain_ok : dyadic -> ray -> ray list -> bool

val merged : place0 list -> place0 list -> place0 list

val halves : place0 list -> place0 list * place0 list

val sorted : nat -> place0 list -> place0 list

val ray_of : dyadic list -> place0 list

val east : place0

val north : place0

val west : place0

val plane_ok : dyadic -> dyadic list -> dyadic list list -> bool

val line_at : dyadic -> dyadic -> dyadic list -> dyadic list -> dyadic -> bool

val line_ok : bool -> dyadic -> dyadic -> dyadic list -> dyadic list -> bool

val miss_along :
  dyadic list -> dyadic list -> dyadic list -> dyadic list list -> dyadic

val exact_ok :
  bool -> nat -> (dyadic list * dyadic list) option -> dyadic list list ->
  dyadic list -> dyadic -> bool

type direction =
| Sides of dyadic * dyadic * tree * tree
| Kinks of dyadic * (tree * tree) list
| Exact of dyadic

type setting = { any_bias : bool; width : nat; centre : dyadic list;
                 line0 : (dyadic list * dyadic list) option;
                 xs_of : dyadic list list }

val direction_prices :
  setting -> dyadic list -> direction -> (dyadic * dyadic) option

type corner = { parents : (Big.t * Big.t); parts : (dyadic * dyadic);
                at_corner : dyadic list; price_plus : dyadic;
                price_minus : dyadic }

type edge = (Big.t * bool) * corner

val edge_price : edge -> dyadic

val directed : edge -> dyadic list

type cone_tree =
| Bisect of Big.t * cone_tree * cone_tree
| Piece of dyadic list

val picked : Big.t -> edge list -> (edge * edge list) option

val between : corner -> edge -> edge -> bool option

val cone_bound : corner list -> edge list -> cone_tree -> dyadic option

val axis : bool -> nat -> nat -> dyadic list

val corner_at :
  setting -> bool -> dyadic list list -> (Big.t * Big.t) -> (dyadic * dyadic)
  -> dyadic list -> direction -> corner option

val axes_of :
  setting -> bool -> bool -> nat -> dyadic list list -> nat -> direction list
  -> corner list option

type new_corner = { from_corners : (Big.t * Big.t);
                    in_parts : (dyadic * dyadic); proved_by : direction }

val corners_of :
  setting -> bool -> dyadic list list -> corner list -> new_corner list ->
  corner list option

val all_signs : nat -> bool list list

val edges_of : Big.t -> bool list -> corner list -> edge list

val cones_bound :
  corner list -> corner list -> bool list list -> cone_tree list -> dyadic
  option

type combination =
| Summed
| Covered of bool * bool * new_corner list * cone_tree list

val is_fan : combination -> bool

val by_differences : combination -> bool

val outputs_bound :
  setting -> nat -> dyadic list list -> direction list -> combination ->
  dyadic option

type held = (dyadic list * dyadic list) * dyadic

val dmass : held list -> dyadic list -> dyadic

val orthant_ok :
  dyadic -> dyadic -> dyadic list list -> dyadic list list -> dyadic list ->
  bool

val dopen : gates -> dyadic list -> nat -> nat -> bool

type orow = drow * (nat -> bool)

val opened : gates -> nat -> drow list -> orow list

type dneuron = { douter : dyadic list; dinner : dyadic list; dshift : dyadic }

type dgated = { dgate : nat; dmaps : dyadic list list }

type dnetwork =
| Relu of dneuron list * dyadic list
| OnGates of dgated list * dyadic list

val dtotal_right : dyadic list list -> dyadic list

val drelu : dyadic -> dyadic

val doutput : dnetwork -> orow -> dyadic list

val dpenalty : dnetwork -> dyadic

val dlisted : dnetwork -> nat

val dentry : dyadic list -> dyadic

val dmiss : dyadic list -> dyadic list -> dyadic list

val dloss_at : loss -> dyadic list -> dyadic list -> dyadic

val dallowed : loss -> dyadic list -> dyadic list -> bool

val is_share : dyadic list -> bool

val suits : loss -> drow list -> bool

val dual_term : loss -> dyadic list -> dyadic -> dyadic list -> dyadic option

val slack : loss -> dyadic list -> dyadic

val dual_terms :
  loss -> drow list -> dyadic list list -> (dyadic * dyadic) list option

val gate_vector : nat -> nat -> (orow * dyadic list) list -> dyadic list

val gated_price : nat -> nat -> (orow * dyadic list) list -> dyadic

val push :
  nat -> dyadic -> orow list -> (Big.t * dyadic) list -> dyadic list list
  option

val relu_price :
  nat -> nat -> dyadic -> dyadic -> orow list -> dyadic list list ->
  (Big.t * dyadic) list -> dyadic option

val at_most : dyadic -> dyadic option -> bool

type pushes = ((Big.t * dyadic) list * (Big.t * dyadic) list) list list

val output_prices :
  nat -> nat -> dyadic -> dyadic -> orow list -> dyadic list list ->
  ((Big.t * dyadic) list * (Big.t * dyadic) list) list -> bool

val relu_prices :
  nat -> nat -> dyadic -> dyadic -> orow list -> dyadic list list -> pushes
  -> bool

val dfeeds_one : dyadic list -> bool

val neuron_in_cone : nat -> orow list -> dneuron -> bool

type lower_side =
| Without
| WithGates of bool * dyadic * dyadic list list * pushes
| WithTrees of dyadic * dyadic list list * dyadic list
   * (dyadic list * dyadic list) option * direction list * combination
| WithPlane of dyadic * dyadic list list * (dyadic list * dyadic list) option
| WithOrthant of dyadic * dyadic list list * dyadic list

val evidence_of : lower_side -> evidence

val scaled_by : dyadic -> dyadic list list -> dyadic list list

val is_gated : dnetwork -> bool

val network_ok :
  nat -> nat -> nat -> bool -> bool -> bool -> orow list -> dnetwork -> bool

val sums_vanish : nat -> dyadic list list -> bool

val dual_ok : bool -> nat -> nat -> dyadic -> dyadic list list -> bool

val prices_ok :
  bool -> bool -> nat -> nat -> nat -> dyadic -> orow list -> lower_side ->
  bool

val proved_below :
  loss -> dyadic -> drow list -> lower_side -> (dyadic * dyadic) option

val outputs_of : drow list -> nat

val check_train :
  gates -> bool -> nat -> drow list -> loss -> dyadic -> dyadic -> dnetwork
  -> lower_side -> (dyadic * dyadic) -> (dyadic * dyadic) option

val as_margin : dyadic -> dyadic -> dyadic -> dyadic option * dyadic

type verdict = { claim_of : claim; top : dyadic option;
                 bottom : dyadic option;
                 listed_parts : (dnetwork * lower_side) option }

type answer = { said : statement; read : dataset;
                upper_bound : dyadic option; lower_bound : dyadic option;
                parts_of : (dnetwork * lower_side) option }

val is_free : context -> bool

val read_problem :
  char list list -> (((bool * (dyadic -> loss)) * dyadic) * dyadic) result

val read_neuron : Big.t -> Big.t -> bool -> lines -> (dneuron * lines) result

val chunks : nat -> Big.t -> dyadic list -> dyadic list list

val read_gated : Big.t -> Big.t -> lines -> (dgated * lines) result

val count_line : char list -> lines -> (Big.t * lines) result

val read_constant : Big.t -> bool -> lines -> (dyadic list * lines) result

val read_network :
  bool -> bool -> Big.t -> Big.t -> lines -> (dnetwork * lines) result

val zip_cons : dyadic list -> dyadic list list -> dyadic list list

val by_rows : 'a1 list -> dyadic list list -> dyadic list list

val read_dual :
  context -> Big.t -> lines -> ((dyadic * dyadic list list) * lines) result

val multipliers :
  char list list -> (Big.t * dyadic) list -> (Big.t * dyadic) list result

val read_push : lines -> ((Big.t * dyadic) list * lines) result

val read_pushes :
  lines -> (((Big.t * dyadic) list * (Big.t * dyadic) list) * lines) result

val gates_listed : context -> Big.t

val triples : char list list -> entry_of0 list -> entry_of0 list result

val read_tree :
  lines -> bool -> Big.t -> Big.t -> lines -> (tree * lines) result

val read_price : char list -> lines -> (dyadic * lines) result

val read_two : Big.t -> lines -> ((tree * tree) * lines) result

val read_direction : bool -> Big.t -> lines -> (direction * lines) result

val read_corner : bool -> Big.t -> lines -> (new_corner * lines) result

val read_cone : lines -> Big.t -> lines -> (cone_tree * lines) result

val read_cones : Big.t -> lines -> (cone_tree * lines) result

val read_mode : lines -> (((bool * bool) * Big.t) option * lines) result

val read_outputs :
  bool -> Big.t -> Big.t -> lines -> ((direction list * combination) * lines)
  result

val read_point :
  context -> Big.t -> lines -> (((dyadic * dyadic list list) * (dyadic
  list * dyadic list) option) * lines) result

val read_lower :
  context -> char list -> bool -> Big.t -> lines -> (lower_side * lines)
  result

val claim_train : context -> lines -> (verdict * lines) result

type features =
| FirstLayer
| BothLayers of dyadic list

val dfeature : gates -> features -> nat -> dyadic list -> dyadic list

val dscore :
  gates -> features -> Big.t list -> dyadic list list -> orow -> dyadic

val weighted : gates -> features -> nat -> (orow * dyadic) list -> dyadic list

val dlengths :
  gates -> features -> Big.t list -> (orow * dyadic) list -> dyadic

val least : dyadic list -> dyadic

val check_margin :
  gates -> features -> drow list -> Big.t list -> Big.t -> dyadic list list
  -> dyadic list -> (dyadic * dyadic) -> (dyadic * dyadic) option

val check_linear :
  gates -> drow list -> dyadic list list -> dyadic list -> (dyadic * dyadic)
  -> (dyadic * dyadic) option

val doubled : dyadic -> dyadic

val doubled_up : dyadic -> dyadic

val doubled_down : dyadic -> dyadic

val half_turns : nat -> dyadic -> dyadic -> dyadic * dyadic

val slack0 : dyadic

val turn_between : dyadic -> dyadic -> dyadic -> dyadic * dyadic

val dcross : dyadic list -> dyadic list -> dyadic list

val ddet : dyadic list -> dyadic list -> dyadic list -> dyadic

type half_space = dyadic list * bool

val turned0 : half_space -> dyadic list

type numbered = Big.t * dyadic list

val number_from : Big.t -> dyadic list list -> numbered list

val ratio_below : dyadic list -> nat -> dyadic list -> dyadic list -> Big.t

val before : dyadic list -> dyadic list -> dyadic list -> bool

val next_side : dyadic list -> numbered list -> numbered option

val wrapped :
  numbered list -> dyadic list -> dyadic list -> numbered list -> Big.t list

val sides_of : dyadic list -> numbered list -> Big.t list

val same_ray0 : dyadic list -> dyadic list -> bool

val between_three :
  dyadic list -> dyadic list -> dyadic list -> dyadic list -> bool

val between_two : dyadic list -> dyadic list -> dyadic list -> bool

val in_fan :
  dyadic list -> dyadic list -> dyadic list list -> dyadic list -> bool

val in_sides : dyadic list list -> dyadic list -> bool

val left_of : dyadic list -> dyadic list list -> bool

val all_left : dyadic list list -> bool

val lookup :
  dyadic list list -> dyadic list -> Big.t list -> half_space list option

val cell_of : dyadic list list -> dyadic list -> half_space list option

val cells_of :
  dyadic list list -> dyadic list list -> half_space list list option

val chain : 'a1 -> 'a1 -> 'a1 list -> ('a1 * 'a1) list

val change_between : (half_space * half_space) -> dyadic * dyadic

val share_between : half_space list -> dyadic * dyadic

val low_score : (dyadic * dyadic) list -> dyadic list list -> orow -> dyadic

val high_lengths :
  gates -> (dyadic * dyadic) list -> (orow * dyadic) list -> dyadic

val check_wide :
  nat -> gates -> drow list -> dyadic list list -> dyadic list ->
  (dyadic * dyadic) -> (dyadic * dyadic) option

val pi_low : dyadic

val pi_high : dyadic

val shared : Big.t list -> orow -> orow -> dyadic

val by_angle : dyadic -> dyadic list -> dyadic list -> dyadic * dyadic

val sine_part : dyadic list -> dyadic list -> dyadic * dyadic

val dkernel : kernel -> dyadic -> orow -> orow -> dyadic * dyadic

val upper_triangle : ('a1 -> 'a1 -> 'a2) -> 'a1 list -> 'a2 list list

val widest : (dyadic * dyadic) list list -> dyadic

val dform : dyadic list list -> dyadic list -> dyadic

val trace : dyadic list list -> dyadic

val nowhere_negative : nat -> dyadic list list -> bool

val gate_sum : (orow * dyadic) list -> (orow -> bool) -> dyadic list

val same_line : dyadic list -> dyadic list -> bool

val balanced : (orow * dyadic) list -> dyadic list -> bool

val check_null : kernel -> (orow * dyadic) list -> bool

val kernel_ok : kernel -> bool

val check_spectrum :
  kernel -> dyadic -> spectral_end -> orow list -> dyadic list -> dyadic ->
  dyadic -> (dyadic * dyadic) option

type sloped = dneuron * dyadic list

val dleaky : dyadic -> dyadic -> dyadic

val doutput_signed : dyadic -> sloped list -> drow -> dyadic

val dforce : (dyadic * drow) -> dyadic

val left_of_inner : dyadic list -> drow list -> sloped -> dyadic list

val left_of_outer : dyadic -> dyadic list -> drow list -> sloped -> dyadic

val dsquares :
  bool -> sloped list -> (sloped -> dyadic list) -> (sloped -> dyadic) ->
  dyadic

type kink = (Big.t * Big.t) * dyadic

val at_kink : dyadic -> dyadic -> dyadic list -> dyadic list -> dyadic -> bool

val slopes_of :
  dyadic -> dyadic -> Big.t -> Big.t -> dyadic list -> drow list -> kink list
  -> (dyadic list * kink list) option

val all_slopes :
  dyadic -> dyadic -> Big.t -> dneuron list -> drow list -> kink list ->
  (sloped list * kink list) option

val check_limit :
  bool -> dyadic -> dyadic -> dyadic -> dyadic -> drow list -> dneuron list
  -> dyadic list -> kink list -> (dyadic * dyadic) option

val triples_of :
  char list list -> ((Big.t * Big.t) * dyadic) list ->
  ((Big.t * Big.t) * dyadic) list result

val zero_verdict : zero_reason -> lines -> (verdict * lines) result

val row_index : context -> char list -> nat result

val claim_zero : context -> lines -> (verdict * lines) result

val claim_cone : context -> lines -> (verdict * lines) result

val claim_cones : context -> lines -> (verdict * lines) result

val claim_faces : context -> lines -> (verdict * lines) result

val claim_spike : context -> lines -> (verdict * lines) result

val read_measure :
  context -> char list -> lines -> (((features * Big.t
  list) * Big.t) * lines) result

val wide_margin :
  context -> bool -> dyadic -> dyadic -> lines -> (verdict * lines) result

val linear_margin :
  context -> dyadic -> dyadic -> lines -> (verdict * lines) result

val claim_margin : context -> lines -> (verdict * lines) result

val read_kernel : context -> lines -> ((kernel * dyadic) * lines) result

val claim_spectrum : context -> lines -> (verdict * lines) result

val kinks_of : char list list -> kink list -> kink list result

val read_dynamics : char list list -> (bool * dyadic option) result

val claim_limit : context -> lines -> (verdict * lines) result

val read_claim : context -> lines -> (verdict * lines) result

val answer_of : context -> verdict -> answer

val read_claims :
  lines -> context -> lines -> answer list -> answer list result

val checked : char list -> char list -> char list -> answer list result
