/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fathom-check: is what a certificate claims true of this data?
 *
 * The program shares no code with what makes certificates. It trusts the compiler, the C library's strtod
 * and sqrt, and the arithmetic of FLINT, Arb and GMP. Nothing is compared with a tolerance: numbers are
 * balls (`num`, number.c) whose sums and products are exact, and a claim holds only where the whole ball
 * satisfies it. docs/reference/certificate.md has the format and the proofs.
 *
 * Failure is a jump to the end (check_that): every block of memory is on one list and freed there, so that
 * nothing else needs to be.
 */
#ifndef FATHOM_CHECKER_H
#define FATHOM_CHECKER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#if __has_include(<flint/arb_mat.h>)
#include <flint/arb.h> /* FLINT 3 has Arb inside */
#include <flint/arb_mat.h>
#else
#include <arb.h>
#include <arb_mat.h>
#endif
#include <flint/fmpz_mat.h>

/* A ball. Zeroed memory is 0. Values are never changed once they are made, except through a pointer that
 * says so: copies share their digits. */
typedef arb_struct num;

enum { PRECISION = 128 }; /* of what is enclosed */
enum { LEAST = -1100 };   /* every double is a multiple of 2^LEAST */
enum { BIAS_NONE, BIAS_AUGMENT, BIAS_FREE };
enum {
    LOSS_SQUARED,
    LOSS_EQUALITY,
    LOSS_MARGIN,
    LOSS_HINGE,
    LOSS_LOGISTIC,
    LOSS_SOFTMAX,
    LOSS_HUBER,
    LOSS_ABSOLUTE,
    LOSS_QUANTILE
};

/* The data: doubles as they are read, then exact numbers after all steps. */
typedef struct dataset {
    int64_t n, d, outputs;
    double *x, *raw, *mass;  /* n x d, targets n x outputs, weights n */
    const char **word;       /* n x d: x as it is written, NULL where nothing is; NULL for arrays */
    bool decimals;           /* points are these texts, not the doubles */
    int64_t rows;            /* of the file */
    int64_t *kept;           /* n: which of them these are */
    int64_t target, mass_at; /* columns of a table, or -1 */
    int format, coding, normalize;
    char sha[65], labels_sha[65], ranges[200]; /* ranges: the rows that are kept, or "all" */
    char names[200];                           /* of the classes, in their order */
    char **text;                               /* n: targets that are texts, or NULL */
    int bias;
    num *point;  /* n x (d + 1): x and a column of ones */
    num *y;      /* n x outputs */
    num *weight; /* n */
} dataset;

/* open[j * n + i]: gate j is open on point i. */
typedef struct gates {
    int64_t m;
    unsigned char *open;
    num *orientation; /* m x d, or NULL where only patterns are listed */
    bool inside;      /* no orientation lies on a hyperplane of the data: each is inside a cone */
} gates;

typedef struct verdict {
    double upper, lower; /* of the last claim, rounded outwards */
    int64_t claims;
} verdict;

enum {
    CLAIM_TRAIN,
    CLAIM_MARGIN,
    CLAIM_SPECTRUM,
    CLAIM_ZERO, /* from here on they may be about decimals */
    CLAIM_CONES,
    CLAIM_FACES,
    CLAIM_CONE,
    CLAIM_SPIKE,
    CLAIM_LIMIT, /* of doubles again */
    CLAIM_SAMPLED
};
enum { BOUND_NONE, BOUND_GATES, BOUND_CONES, BOUND_TREES, BOUND_PLANE, BOUND_ORTHANT };
enum { UNITS, PLANE, NEURONS, SPACE, LINEAR }; /* measures of a margin */
enum { ZERO_PAIRS, ZERO_ORIGIN, ZERO_EQUAL };  /* what makes a margin 0 */
enum { END_LEAST, END_LARGEST, END_NULL };
enum {
    WEAK_GATES = 1,
    WEAK_BOUND = 2,
    WEAK_RESIDUAL = 4,
    WEAK_NETWORK = 8,
    WEAK_PENALTY = 16,
    WEAK_LIMIT = 32,
    WEAK_CHANCE = 64,
    WEAKNESSES = 7
};

/* What was verified of a claim, and what is said of it (statement.c). */
typedef struct claim {
    struct claim *next;
    int kind, loss,
        evidence; /* evidence: of the bound, the measure of a margin, what makes it 0, the end of a spectrum */
    bool gated, single;     /* single: of several outputs every neuron feeds one */
    const char *pattern;    /* of a cone: a sign for every row */
    num divisor, beta;      /* N, beta */
    num slope;              /* below the kink, of a limit */
    int64_t neurons, gates; /* listed */
    const num **neuron;     /* neurons: the numbers of each */
    int64_t *gate;          /* neurons: gated ones have one */
    const num *constant;    /* outputs */
    bool is_model;          /* this network is that of the model file */
    int64_t units;          /* M of a margin, or pairs of directions that were drawn, */
    int64_t seed, unclear;  /* from this seed; those that were counted against the claim */
    double confidence;      /* of draws, from below */
    int64_t row[2];         /* rows that make a margin 0 by themselves */
    int weak;               /* a sum of WEAK_.. */
    double upper, lower;    /* proved, rounded outwards */
    double residual;        /* what targets may be missed by, from above */
    double loss_part, norm; /* (1/N) sum_i c_i l_i, and R: from above */
    double objective;       /* F of the network, from above */
    double none;            /* F of a network without neurons, from above */
    double dual;            /* D(w) / N, from below */
    double price;           /* the largest price over N beta, from above */
    const char *class, *type, *loss_name, *bound, *scale; /* words of the statement, or NULL */
    const char *weakness[WEAKNESSES + 1];                 /* ended by NULL */
    double parameter;                                     /* of the loss; 0: it has none */
    char named[48];                                       /* the loss with its parameter */
    char number[32];                                      /* for a scale that has no word */
    char statement[3000];
} claim;

/* What a check may take. */
typedef struct limits {
    int64_t bytes; /* of memory */
    int64_t steps; /* of the count of cones */
    int coarse;    /* bits by which words of the generator are cut: 0 but in tests */
} limits;
static const limits check_limits = {INT64_C(8) << 30, 30000000, 0};

typedef struct check {
    jmp_buf end;
    struct block *blocks; /* all memory in use, the newest first */
    int64_t bytes, serial;
    const limits *limits;
    double budget; /* words of numbers that may be multiplied: what the sizes of the files justify */
    char message[400];
    int code; /* 4: rejected, 5: the data cannot be read, 6: too large */

    const char *original; /* the certificate's bytes; `text` is the copy of them that is read */
    char *text, *rest;    /* rest: what follows the current line */
    char *next;           /* the next word of the current line, or NULL */
    int64_t line;

    dataset data;
    gates gates;
    const num *claimed; /* the upper and the lower bound, on line `bound` */
    int64_t bound;
    verdict verdict;
    claim *claims, *claim; /* all of them, and the one at hand */
} check;

/* --- memory.c --- */
/* Where something does not hold, the check ends with this code and message: the certificate is rejected at
 * its current line (4), the data cannot be read (5), or it is all too large (6). */
void check_that(check *c, int code, bool holds, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define need(c, ...) check_that(c, 4, __VA_ARGS__)
#define need_data(c, ...) check_that(c, 5, __VA_ARGS__)
void *check_alloc(check *c, int64_t count, size_t size); /* zeroed; fails with code 6 beyond the ceiling */
void check_open(check *c);                  /* lets FLINT, Arb and GMP allocate from this check too */
void check_release(check *c, int64_t mark); /* frees all blocks with a later serial number */
void check_close(check *c);

/* Work so far, in words of 64 bits that were multiplied; and the end, with code 6, where `more` would be
 * beyond the budget. */
extern double num_work;
void check_work(check *c, double more);

/* --- words.c: the certificate's lines. A keyword begins the next line; NULL stays in the current one --- */
void check_text(check *c, const char *bytes, int64_t size);
bool check_line_is(const check *c, const char *keyword);
void check_line(check *c, const char *keyword);
void check_end(check *c); /* of the line's words; every check_line asks for it too */
char *check_word(check *c, const char *keyword);
int check_choice(check *c, const char *keyword, const char *words); /* which of these words, from 0 */
int64_t check_integer(check *c, const char *keyword, int64_t low, int64_t high);
int64_t check_count(check *c, const char *keyword); /* of the entries that follow in the line */
num *check_numbers(check *c, const char *keyword, int64_t count);
int check_hex(char digit); /* 0..15, or -1 */

/* --- hash.c --- */
void check_sha256(char hex[65], const unsigned char *bytes, int64_t size);

/* --- table.c, prepare.c: bytes to data --- */
void check_read_csv(check *c, const char *bytes, int64_t size);
void check_read_libsvm(check *c, const char *bytes, int64_t size);
void check_read_npy(check *c, const char *bytes, int64_t size, const char *labels, int64_t labels_size);
void check_prepare(check *c);
void check_signs(check *c); /* targets are -1 and +1 in one column */

/* --- number.c --- */
num num_real(double value);
num num_norm(const num *a, int64_t count);
num num_add(num a, num b); /* exact, as are differences and products, where a and b are */
num num_sub(num a, num b);
num num_mul(num a, num b);
num num_times(num a, int k);
num num_div(num a, num b); /* enclosed; exact where b is a power of two and a is exact */
num num_root(num a);
num num_log(num a);
num num_exp(num a);
void num_add_to(num *out, num a);        /* out += a */
void num_mul_to(num *out, num a, num b); /* out += a b */
void num_dot(num *out, const num *a, const num *b, int64_t count);
double num_nearest(num a);
void check_said(check *c, num a); /* a number that a statement repeats */
int num_sign(num a);              /* of an exact number */
bool num_at_most(num a, num b);   /* certainly */
double num_end(num a, int side);  /* a double beyond the ball: 1 above, -1 below */

/* --- unpack.c --- */
/* Whether bytes begin as gzip; what they hold, to be freed, or NULL where they are damaged or hold more than
 * about `most` bytes. */
bool check_packed(const char *bytes, int64_t size);
char *check_unpack(const char *bytes, int64_t size, int64_t most, int64_t *length);

/* --- gates.c --- */
void check_gates(check *c);
void check_pattern(check *c, const char *keyword, unsigned char *open); /* n: a pattern in hexadecimal */
void check_all_cones(check *c); /* the gates are all full-dimensional cones of the data */
void check_gate_sum(num *sum, const check *c, const num *v, int64_t j); /* sum_i D_ij v_i x_i', outputs x d */

/* --- train.c, tree.c, cover.c, plane.c, margin.c: claims --- */
typedef struct train {
    bool gated;
    int loss, bound;
    int64_t width;        /* columns of a neuron: d, or with a free bias d + 1 */
    const num *problem;   /* N, beta */
    const num *point;     /* n x (d + 1): the points of trees, less their centre where a bias is free */
    num *f;               /* n x outputs */
    int *sign;            /* n: of <x_i, u> for the last neuron */
    num norm;             /* R */
    const num *scale, *v; /* the dual point s v, v outputs x n */
    num edge, limit;      /* N beta, and its square: what a price may be */
    const num *along;     /* d + n: a line a and places t_i on it that stand for the points, or NULL */
    num miss;             /* the residual that is stated */
    num low, high;        /* of the slopes of a loss after softmax (boxed.c) */
    double *most;         /* where the largest price over N beta is kept, or NULL */
} train;

int check_bounds(check *c, const char *kinds); /* "bound KIND U L": which kind */
/* A value from above (side 1) or below (-1) against what is claimed; `what` begins the message. */
void check_bound(check *c, int side, num value, const char *what);
void check_price(check *c, const train *t, num square, num length); /* s^2 square / length <= limit */
void check_direction(num price[2], check *c, const train *t, const num *direction); /* by side, + and - */
void check_trees(check *c, const train *t);
void check_plane(check *c, const train *t);
void check_orthant(check *c, const train *t); /* orthant.c */
void check_exactly(check *c, const train *t); /* the price of v in one or two columns */
void check_arcs(check *c,
                num *rho); /* m: the angles over 2 pi of all arcs of the plane, which are the gates */
/* A ray orthogonal to a point of the plane: sign > 0 is 90 degrees after it. */
typedef struct plane_ray {
    num at[2];
    int64_t point;
    int sign;
} plane_ray;
plane_ray *check_rays(check *c, const num *point, int64_t n,
                      int64_t *count);                /* of n points, counterclockwise */
int check_order(const void *left, const void *right); /* of two rays: 0 for one direction */
void check_cells(check *c, num *share); /* space.c: m: the solid angles over 4 pi of all cones, the gates */
void check_claim_train(check *c);
void check_box(check *c, train *t);                             /* boxed.c: the parameter of the loss */
num check_box_loss(const train *t, num r);                      /* l(r) */
num check_box_dual(check *c, const train *t, num w, int64_t i); /* -c l*(-w / c) of point i */
num check_box_none(const check *c, const train *t); /* about the least sum of losses of constants */
void check_claim_margin(check *c);
void check_claim_zero(check *c);
void check_claim_faces(check *c);                       /* faces.c */
void check_claim_cone(check *c);                        /* cone.c */
void check_claim_spectrum(check *c);                    /* spectrum.c */
void check_claim_spike(check *c);                       /* spike.c */
void check_claim_limit(check *c);                       /* limit.c */
void check_claim_sampled(check *c);                     /* sampled.c */
num check_kernel(const check *c, int64_t p, int64_t q); /* <x_p, x_q> (pi - theta) / (2 pi) */

num *check_counts(check *c); /* "counts M k..": k_j / M, the weights of gates */
/* 1 where x_b = t x_a with t > 0, -1 with t < 0, otherwise 0. */
int check_parallel(const check *c, int64_t a, int64_t b);
double check_words(const fmpz_mat_t x); /* of the longest entry */

/* --- statement.c: what was verified, in words --- */
const char *check_shortest(char *text, size_t size,
                           double value); /* the fewest digits that read back as it */
void check_state(
    check *c,
    const char *model); /* the statements of all claims; `model`: name of a file that was compared */
void check_print(const check *c, FILE *out, bool explain);
void check_print_json(const check *c, FILE *out, bool explain);

/* --- json.c: an object's members, without recursion --- */
typedef struct member {
    const char *key, *value; /* zero-terminated; a value that is a text is without its quotes */
    int64_t size;            /* of the value */
} member;
member *check_json(check *c, const char *bytes, int64_t size, int64_t *count, const char *what);

/* --- expect.c, model.c --- */
void check_expect(check *c, const char *text,
                  int64_t size); /* "key=value ..", or a JSON object: else code 4 */
void check_model(check *c, const char *bytes, int64_t size); /* the network of the one claim is this file's */

/* The bytes of the three files; labels may be absent (NULL). */
typedef struct inputs {
    const char *certificate, *data, *labels;
    int64_t certificate_size, data_size, labels_size;
} inputs;

/* What is asked beside: where statements go (NULL: nowhere), and what they are compared with (NULL:
 * nothing). */
typedef struct question {
    FILE *out;
    bool json, explain;
    const char *model, *model_name, *expect;
    int64_t model_size, expect_size;
} question;

/* Everything: 0 accepted, else a code and c->message. Nothing is printed before all is checked. All memory
 * of the check is released. `asked` may be NULL. */
int check_run(check *c, const inputs *in, const question *asked, const limits *most);

#endif
