/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fathom-check: is what a certificate claims true of this data?
 *
 * The program shares no code with what makes certificates. It trusts the compiler, the C library's strtod, GMP for
 * integers and Arb for logarithms and square roots. Nothing is compared with a tolerance: a number m 2^e is exact,
 * sums and products of such numbers are integers on a common grid, and where a value is irrational it is enclosed in a
 * ball whose far end must satisfy the claim. docs/certificate.md has the format and the proofs.
 *
 * Failure is a jump to the end (check_fail): every block of memory is on one list and freed there.
 */
#ifndef FATHOM_CHECKER_H
#define FATHOM_CHECKER_H

#include <gmp.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* m 2^e exactly, |m| < 2^63, |e| <= 4000. */
typedef struct dyadic {
    int64_t m;
    int64_t e;
} dyadic;

/* count integers z_k that stand for z_k 2^e. */
typedef struct grid {
    int64_t count;
    int64_t e;
    mpz_t *z;
} grid;

enum { LOSS_SQUARED, LOSS_LOGISTIC, LOSS_HINGE, LOSS_SOFTMAX, LOSS_EQUALITY };
enum { NORMALIZE_NONE, NORMALIZE_UNIT, NORMALIZE_STANDARDIZE };
enum { BIAS_NONE, BIAS_AUGMENT, BIAS_FREE };

/* The data after all steps. Targets as numbers, and the classes they fall into. */
typedef struct dataset {
    int64_t n, d;
    double *x; /* n x d */
    int64_t outputs;
    double *y;      /* n x outputs */
    double *weight; /* n, or NULL */
    char **text;    /* n text labels, or NULL */
    int64_t classes;
    double *class_value; /* ascending; none where the target has no classes */
    bool text_classes;
    int bias;
} dataset;

/* Gates as patterns: bit i of gate j at bits[j * words + i / 64]. */
typedef struct gates {
    int64_t m, words;
    uint64_t *bits;
    grid orientation; /* m x 2 in the plane, each on its own grid; else empty */
    bool full;        /* each is the pattern of a listed v inside a cone: on no hyperplane of the data */
} gates;

typedef struct verdict {
    double upper, lower; /* of the last claim, rounded outwards */
    int64_t claims;
} verdict;

typedef struct check {
    jmp_buf end;
    struct block *blocks; /* all memory in use */
    int64_t bytes;
    char message[400];
    int code; /* 4: rejected, 5: the data cannot be read, 6: too large */

    char *rest; /* of the certificate: what follows the current line */
    char *word; /* the next word of the current line */
    int64_t line;

    dataset data;
    grid x; /* n * d, the data as integers */
    gates gates;
    FILE *out; /* where accepted claims are printed, or NULL */
    verdict verdict;
} check;

/* --- memory.c --- */
void check_fail(check *c, int code, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));
void *check_alloc(check *c, int64_t count, size_t size); /* zeroed; fails with code 6 beyond 8 GB in all */
void *check_resize(check *c, void *block, size_t size);  /* a copy */
void check_free(check *c, void *block);                  /* NULL is fine */
void check_gmp(check *c);                                /* lets GMP allocate from this check */
void check_release(check *c);

/* --- words.c: the certificate's lines --- */
void check_open_text(check *c, const char *bytes, int64_t size);
void check_next_line(check *c, const char *keyword); /* the next line must begin with it */
bool check_line_is(const check *c, const char *keyword);
const char *check_word(check *c);
int64_t check_integer(check *c, int64_t low, int64_t high);
int check_choice(check *c, const char *const *words);
dyadic check_number(check *c);
dyadic *check_numbers(check *c, int64_t count);
void check_line_end(check *c);

/* --- hash.c --- */
void check_sha256(char hex[65], const unsigned char *bytes, int64_t size);

/* --- table.c, npy.c, prepare.c: bytes to data --- */
typedef struct source {
    int format; /* 0 csv, 1 npy, 2 libsvm */
    int64_t header, target, weights, columns;
} source;
void check_read_csv(check *c, const source *from, const char *text);
void check_read_libsvm(check *c, const source *from, const char *text);
void check_read_npy(check *c, const unsigned char *bytes, int64_t size, bool labels);
void check_prepare(check *c);
void check_code_targets(check *c, int loss, double **y, int64_t *outputs); /* y is n x outputs */

/* --- exact.c: numbers --- */
dyadic dyadic_from(double value);
void grid_init(check *c, grid *g, int64_t count, int64_t e);
void grid_from(check *c, grid *g, const dyadic *values, int64_t count);
void grid_from_doubles(check *c, grid *g, const double *values, int64_t count);
void grid_clear(check *c, grid *g);

/* --- claims --- */
void check_gates(check *c);
void check_claim_train(check *c);
void check_claim_margin(check *c);
void check_claim_zero(check *c);
void check_claim_cones(check *c);
void check_all_cones(check *c, int64_t claimed); /* the gates are oriented, distinct, and all there are */

/* The bytes of the three files; labels may be absent (NULL). */
typedef struct inputs {
    const char *certificate, *data, *labels;
    int64_t certificate_size, data_size, labels_size;
} inputs;

/* Everything: 0 accepted, else a code and c->message. `data` must be followed by a zero byte. All memory of the check is
 * released; a line per claim goes to `out` where that is not NULL. */
int check_run(check *c, const inputs *in, FILE *out);

#endif
