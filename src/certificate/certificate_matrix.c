/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about the data matrix itself: one cone, the ends of a kernel's spectrum, and whether it is
 * spike-free.
 *
 * An end of a spectrum was proved for the kernel's matrix as it is stored, whose entries are within
 * (d + 10) 2^-52 |x_i||x_k| of the exact ones (three times that for both layers), times the factor: its
 * norm is wrong by at most that times sum_i |x_i|^2 [Frobenius]. The claim is wider by twice as much, and
 * the checker finds the quotient of the listed vector anew.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include <flint/fmpz.h>

#include "blas.h"
#include "certificate_internal.h"
#include "context_internal.h"
#include "data_internal.h"
#include "fathom/cones.h"
#include "fathom/kernel.h"
#include "inner/certificate.h"
#include "inner/cones.h"
#include "inner/kernel.h"
#include "dense.h"
#include "kernel_internal.h"
#include "memory.h"

/* A decimal integer in hexadecimal, after a space. */
static void put_integer(fathom_certificate *c, const char *decimal, size_t length)
{
    fmpz_t value;
    char *copy = fathom_memory_alloc(c->context, (int64_t)length + 1, 1);
    if (!copy)
        return;
    memcpy(copy, decimal, length);
    copy[length] = 0;
    fmpz_init(value);
    fmpz_set_str(value, copy, 10);
    char *text = fmpz_get_str(NULL, 16, value);
    fathom_file_print(c->file, " ");
    fathom_file_write(c->file, text, strlen(text));
    flint_free(text);
    fmpz_clear(value);
    fathom_memory_free(c->context, copy);
}

static fathom_status put_integers(fathom_certificate *c, const char *keyword, const char *const *text,
                                  int64_t count)
{
    fathom_file_print(c->file, "%s", keyword);
    for (int64_t k = 0; k < count; k++)
        put_integer(c, text[k], strlen(text[k]));
    return fathom_file_print(c->file, "\n");
}

fathom_status fathom_certificate_add_cone(fathom_certificate *certificate, const fathom_cone *cone,
                                          const bool *active)
{
    const fathom_cone_view view = fathom_cone_look(cone);
    FATHOM_TRY(
        fathom_certificate_begin(certificate, "cone", certificate->coded, &(fathom_certificate_gates){0}));
    fathom_file_print(certificate->file, "cone %s ", view.empty ? "empty" : "point");
    for (int64_t i = 0; i < view.n; i += 4) {
        unsigned digit = 0;
        for (int64_t k = i; k < view.n && k < i + 4; k++)
            digit |= (unsigned)active[k] << (k - i);
        fathom_file_print(certificate->file, "%x", digit);
    }
    fathom_file_print(certificate->file, "\n");
    if (!view.empty)
        put_integers(certificate, "point", view.witness, view.d);
    return put_integers(certificate, "weights", view.weight, view.n);
}

/* sum_i |x_i|^2. */
static fathom_status squares(double *sum, const fathom_certificate *c)
{
    const fathom_data_view view = fathom_data_look(c->data);
    double *x = fathom_memory_alloc(c->context, view.d, sizeof *x);
    *sum = 0;
    for (int64_t i = 0; i < view.n && x; i++) {
        fathom_dense_row(x, &view, i);
        const double length = fathom_blas_norm(x, view.d);
        *sum += length * length;
    }
    fathom_memory_free(c->context, x);
    return x ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* "kernel .." and, of gates, how often each one counts. */
static void put_kernel(fathom_certificate *c, const fathom_kernel_claim *claim,
                       const fathom_gates_view *gates)
{
    const fathom_kernel_options *options = claim->options;
    fathom_file_print(c->file, "kernel %s %s", options->layers == 1 ? "both" : "first",
                      claim->gates ? "gates" : "infinite");
    fathom_certificate_put_line(c, "", &options->factor, 1, 0);
    if (!claim->gates)
        return;
    fathom_file_print(c->file, "counts %lld", (long long)claim->units);
    for (int64_t j = 0; j < gates->m; j++) {
        const double share = gates->weight ? gates->weight[j] : 1 / (double)gates->m;
        fathom_file_print(c->file, " %lld", (long long)llround(share * (double)claim->units));
    }
    fathom_file_print(c->file, "\n");
}

static fathom_status put_end(fathom_certificate *c, const fathom_kernel_claim *claim,
                             const fathom_certificate_gates *listed, const char *end, double upper,
                             double lower, const double *vector)
{
    const fathom_gates_view gates = claim->gates ? fathom_gates_look(claim->gates) : (fathom_gates_view){0};
    FATHOM_TRY(fathom_certificate_begin(c, "spectrum", c->coded, listed));
    put_kernel(c, claim, &gates);
    FATHOM_TRY(fathom_certificate_put_bound(c, end, upper, lower, 0));
    if (vector)
        return fathom_certificate_put_line(c, "vector", vector, c->data->n, 0);
    fathom_file_print(c->file, "vector");
    for (const char *at = claim->null_vector; *at; at += at[0] == ' ') { /* integers between spaces */
        const size_t length = strcspn(at, " ");
        put_integer(c, at, length);
        at += length;
    }
    return fathom_file_print(c->file, "\n");
}

/* Both ends; vector (n x n): the eigenvectors in rows, ascending. */
static fathom_status put_ends(fathom_certificate *c, const fathom_kernel_claim *claim, const double *vector)
{
    const fathom_gates_view view = claim->gates ? fathom_gates_look(claim->gates) : (fathom_gates_view){0};
    const fathom_certificate_gates listed = {view.m, view.words, view.bits, NULL, NULL, NULL};
    const fathom_spectrum *s = claim->spectrum;
    const int64_t n = c->data->n;
    double sum;
    fathom_status status = squares(&sum, c);
    const double entries = 6 * (double)(c->data->d + 12) * DBL_EPSILON * claim->options->factor * sum,
                 slack = 2 * entries + 16 * (double)(n + 8) * DBL_EPSILON * s->lambda_max_upper;
    if (status == FATHOM_OK && claim->null_vector)
        status = put_end(c, claim, &listed, "null", 0, 0, NULL);
    else if (status == FATHOM_OK)
        status = put_end(c, claim, &listed, "least", fmax(s->lambda_min_upper, 0) + slack,
                         fmax(s->lambda_min_lower - slack, 0), vector);
    FATHOM_THEN(status, put_end(c, claim, &listed, "largest", s->lambda_max_upper + slack,
                                fmax(s->lambda_max_lower - slack, 0), vector + (n - 1) * n));
    return status;
}

fathom_status fathom_certificate_add_spectrum(fathom_certificate *certificate,
                                              const fathom_kernel_claim *claim)
{
    fathom_context *context = certificate->context;
    const int64_t n = certificate->data->n;
    if (claim->options->layers == 1 && claim->gates)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "a certificate of a kernel of both layers is for infinite width");
    FATHOM_TRY(
        fathom_context_require(context, 16.0 * (double)n * (double)n, "the eigenvectors of the kernel"));
    double *vector = fathom_memory_alloc(context, n * n, sizeof *vector),
           *value = fathom_memory_alloc(context, n, sizeof *value);
    fathom_status status = vector && value ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++)
        memcpy(vector + i * n, claim->matrix + i * claim->ld, (size_t)n * sizeof *vector);
    FATHOM_THEN(status, fathom_blas_eigen(value, vector, n, n, true, context));
    FATHOM_THEN(status, put_ends(certificate, claim, vector));
    FATHOM_FREE(context, vector, value);
    return status;
}

fathom_status fathom_certificate_add_spike(fathom_certificate *certificate, const double *point,
                                           const double *combination)
{
    FATHOM_TRY(
        fathom_certificate_begin(certificate, "spike", certificate->coded, &(fathom_certificate_gates){0}));
    fathom_status status = fathom_file_print(certificate->file, "spike %s\n", point ? "shown" : "free");
    if (!point)
        return status;
    fathom_certificate_put_line(certificate, "point", point, certificate->data->d, 0);
    return fathom_certificate_put_line(certificate, "combination", combination, certificate->data->n, 0);
}
