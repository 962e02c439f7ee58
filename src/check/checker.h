/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fathom-check: is what a certificate claims true of this data?
 *
 * The program shares no code with what makes certificates. It trusts the compiler, the C library's strtod, and the
 * arithmetic of FLINT, Arb and GMP. Nothing is compared with a tolerance: a number m 2^e is exact, and so are sums and
 * products of such numbers (`num`, Arb's arf_t without a limit of precision); logarithms, roots, angles and the last step
 * of a test for positive definiteness are enclosed in balls, whose far end must satisfy the claim. docs/certificate.md has
 * the format and the proofs.
 *
 * Failure is a jump to the end (check_fail): every block of memory is on one list and freed there, so that nothing else
 * needs to be.
 */
#ifndef FATHOM_CHECKER_H
#define FATHOM_CHECKER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <arb.h>

/* m 2^e exactly. Zeroed memory is 0. */
typedef arf_struct num;
#define EXACT ARF_PREC_EXACT, ARF_RND_DOWN
enum { PRECISION = 256 }; /* of balls */

enum { LOSS_SQUARED, LOSS_LOGISTIC, LOSS_HINGE, LOSS_SOFTMAX, LOSS_EQUALITY };
enum { BIAS_NONE, BIAS_AUGMENT, BIAS_FREE };

/* The data after all steps. */
typedef struct dataset {
    int64_t n, d, outputs;
    double *x;        /* n x d */
    double *y;        /* n x outputs */
    double *weight;   /* n, or NULL */
    char **text;      /* n text labels, or NULL */
    int64_t classes;  /* 0 where the targets are no classes */
    int64_t *label;   /* n: the class of each row, in ascending order of values or texts */
    bool one_is_plus; /* what a single class is coded as */
    int bias;
    num *point; /* n x (d + 1): x and a column of ones */
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

typedef struct check {
    jmp_buf end;
    struct block *blocks; /* all memory in use, the newest first */
    int64_t bytes, serial;
    const struct limits *limits;
    char message[400];
    int code; /* 4: rejected, 5: the data cannot be read, 6: too large */

    char *rest; /* of the certificate: what follows the current line */
    char *next; /* the next word of the current line, or NULL */
    int64_t line;

    dataset data;
    gates gates;
    FILE *out; /* where accepted claims are printed, or NULL */
    verdict verdict;
} check;

/* --- memory.c --- */
void check_fail(check *c, int code, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));
void check_reject(check *c, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void *check_alloc(check *c, int64_t count, size_t size); /* zeroed; fails with code 6 beyond the ceiling */
void check_open(check *c); /* lets FLINT, Arb and GMP allocate from this check too */
int64_t check_mark(const check *c);
void check_release(check *c, int64_t mark); /* frees all that was allocated after the mark */
void check_close(check *c);

/* --- words.c: the certificate's lines --- */
void check_text(check *c, const char *bytes, int64_t size);
void check_line(check *c, const char *keyword); /* the next line must begin with it */
bool check_line_is(const check *c, const char *keyword);
char *check_word(check *c);
int64_t check_integer(check *c, int64_t low, int64_t high);
int check_choice(check *c, const char *words); /* which of these words, from 0 */
int64_t check_room(const check *c);            /* so many words may follow in this line at most */
num *check_numbers(check *c, int64_t count);
void check_end(check *c);
/* Lines of one keyword and one word, or of `count` numbers. */
int check_line_choice(check *c, const char *keyword, const char *words);
int64_t check_line_integer(check *c, const char *keyword, int64_t low, int64_t high);
num *check_line_numbers(check *c, const char *keyword, int64_t count);
int check_hex(char digit); /* 0..15, or -1 */

/* --- hash.c --- */
void check_sha256(char hex[65], const unsigned char *bytes, int64_t size);

/* --- table.c, npy.c, prepare.c: bytes to data --- */
void check_read_csv(check *c, const char *bytes, int64_t size);
void check_read_libsvm(check *c, const char *bytes, int64_t size);
double *check_read_npy(check *c, const char *bytes, int64_t size, int64_t shape[2]);
void check_prepare(check *c);
void check_code_targets(check *c, int loss, double **y, int64_t *outputs); /* y is n x outputs */

/* --- exact.c: exact numbers and balls --- */
void num_dot(num *out, const num *a, const num *b, int64_t count);
void num_mul(num *out, const num *a, const num *b);
void num_add(num *out, const num *a, int sign);                  /* out += sign a */
void num_addmul(num *out, const num *a, const num *b, int sign); /* out += sign a b */
void num_norm(arb_t out, const num *a, int64_t count);           /* sqrt(sum of squares) */
double ball_end(const arb_t x, int side);           /* a double beyond the ball: 1 above, -1 below */
bool ball_at_most(const arb_t x, const num *bound); /* the whole ball */
bool ball_at_least(const arb_t x, const num *bound);

/* --- gates.c, cones.c, plane.c --- */
void check_gates(check *c);
void check_all_cones(check *c); /* the gates are all full-dimensional cones of the data */
bool check_relation(check *c, const int64_t *row,
                    int64_t count); /* sum l_k x_row[k] = 0: one l, all positive */

/* A ray orthogonal to a point of the plane: sign > 0 is 90 degrees after it. */
typedef struct ray {
    num at[2];
    int64_t point;
    int sign;
} ray;
ray *plane_rays(check *c, const num *point, int64_t *count); /* of n points (n x 2), counterclockwise */
int plane_order(const void *left, const void *right);  /* of rays, counterclockwise from the first axis */
int plane_cross(num *out, const num *a, const num *b); /* a x b and its sign */

/* --- train.c, dual.c, tree.c: one claim about training --- */
enum { MODEL_RELU, MODEL_GATED };
enum { BOUND_NONE, BOUND_GATES, BOUND_GLOBAL };

typedef struct train {
    int model, loss, bound;
    bool mean, hidden_bias;
    const num *beta, *upper, *lower;
    int64_t outputs, width; /* width: columns of a neuron, d or d + 1 */
    double *y;              /* n x outputs, coded for the loss */
    num *f;                 /* outputs x n */
    arb_t norm;             /* R */
    num *v, *w;             /* outputs x n: the dual point, and w = s v */
    const num *scale;       /* s */
    num limit;              /* (N beta)^2, or 1 for equality */
} train;

void check_claim_train(check *c);
void check_gate_sum(num *sum, const check *c, const num *v, int64_t outputs, int64_t j);
void check_dual(check *c, train *t, int64_t line); /* from `evidence` on; `line` is that of the lower bound */
void check_trees(check *c, const train *t);
void check_plane(check *c, const train *t);

void check_claim_global(check *c);
void check_claim_margin(check *c);
void check_claim_zero(check *c);
void check_claim_cones(check *c);

/* What a check may take. */
typedef struct limits {
    int64_t bytes; /* of memory */
    int64_t steps; /* of the count of cones */
} limits;
static const limits check_limits = {INT64_C(8) << 30, 30000000};

/* The bytes of the three files; labels may be absent (NULL). */
typedef struct inputs {
    const char *certificate, *data, *labels;
    int64_t certificate_size, data_size, labels_size;
} inputs;

/* Everything: 0 accepted, else a code and c->message. All memory of the check is released; a line per claim goes to `out`
 * where that is not NULL. */
int check_run(check *c, const inputs *in, FILE *out, const limits *most);

#endif
