/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the tangent kernel of infinite width singular? Decided exactly on the stored doubles.
 *
 * c'Hc = E |S_c(z)|^2, S_c(z) = sum_i c_i 1[<x_i, z> > 0] x_i, so that H c = 0 iff S_c = 0 almost everywhere.
 * Crossing the hyperplane of a line, on which lie x_a = s_a N (s_a > 0) on one ray and x_b = -s_b N on the
 * other, changes S_c by (sum_a c_a s_a + sum_b c_b s_b) N, which must be 0 for every line; what is left, sum
 * over lines of (sum_a c_a s_a) N, must be 0 as well. Hence the null space is spanned by zero rows, by pairs
 * of points on one ray, and by linear relations sum_h g_h N_h = 0 between the lines that have points on both
 * rays (c_a = g / s_a, c_b = -g / s_b). With both layers trained it is the same: sum_i c_i relu(<x_i, z>) =
 * <S_c(z), z>.
 *
 * Of given gates c'Hc = sum_j rho_j |sum_i c_i M_ji x_i|^2, rho_j > 0: whatever the weights, H c = 0 iff all
 * these sums vanish, iff
 * the matrix #{j : M_ji = M_jk = 1} <x_i, x_k>, in integers once rows are scaled by powers of two, takes c
 * to 0.
 */
#include "fathom/kernel.h"

#include <math.h>
#include <string.h>

#include <flint/fmpq.h>
#include <flint/fmpq_vec.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpz_vec.h>

#include "dense.h"
#include "fathom/gates.h"
#include "hyperplanes.h"
#include "memory.h"
#include "patterns.h"

typedef struct search {
    fathom_context *context;
    fathom_hyperplanes *planes;
    int64_t n;
    const double *x; /* n x d */
    fmpq *c;         /* n */
    int64_t nullity;
} search;

/* out = the s > 0 with x_i = s N or -s N, N the normal of hyperplane h. */
static void set_multiple(fmpq_t out, const search *s, int64_t i, int64_t h)
{
    const fathom_hyperplanes *planes = s->planes;
    int64_t k = 0;
    while (fmpz_is_zero(planes->normal + h * planes->r + k))
        k++;
    int e;
    const double m = frexp(fabs(s->x[i * planes->d + planes->column[k]]), &e);
    fmpz_set_d(fmpq_numref(out), ldexp(m, 53));
    fmpz_one(fmpq_denref(out));
    fmpq_canonicalise(out);
    if (e >= 53)
        fmpq_mul_2exp(out, out, (ulong)(e - 53));
    else
        fmpq_div_2exp(out, out, (ulong)(53 - e));
    fmpz_t size;
    fmpz_init(size);
    fmpz_abs(size, planes->normal + h * planes->r + k);
    fmpq_div_fmpz(out, out, size);
    fmpz_clear(size);
}

/* The first two members of hyperplane h on one side, or false; `count` of that side. */
static int64_t side_count(int64_t member[2], const fathom_hyperplanes *planes, int64_t h, int side)
{
    int64_t count = 0;
    for (int64_t k = planes->member_start[h]; k < planes->member_start[h + 1]; k++)
        if (planes->side[k] == side && count++ < 2)
            member[count - 1] = planes->member[k];
    return count;
}

/* c_i x_i + c_j x_j = 0 on one ray. */
static void use_ray(search *s, int64_t i, int64_t j, int64_t h)
{
    set_multiple(s->c + j, s, i, h);
    set_multiple(s->c + i, s, j, h);
    fmpq_neg(s->c + j, s->c + j);
}

/* c from the weights g of lines that have points on both rays, line[0..count). */
static void use_lines(search *s, const fmpz_mat_t basis, const int64_t *line, int64_t count)
{
    int64_t member[2];
    for (int64_t l = 0; l < count; l++)
        for (int side = -1; side <= 1; side += 2) {
            side_count(member, s->planes, line[l], side);
            fmpq *c = s->c + member[0];
            set_multiple(c, s, member[0], line[l]);
            fmpq_inv(c, c);
            fmpq_mul_fmpz(c, c, fmpz_mat_entry(basis, l, 0));
            if (side < 0)
                fmpq_neg(c, c);
        }
}

/* Relations between the lines that have points on both rays; the first of them becomes c where there is none
 * yet. */
static fathom_status relate_lines(search *s)
{
    const fathom_hyperplanes *planes = s->planes;
    int64_t member[2], count = 0, *line = fathom_memory_alloc(s->context, planes->p, sizeof *line);
    if (!line)
        return FATHOM_ERROR_MEMORY;
    for (int64_t h = 0; h < planes->p; h++)
        if (side_count(member, planes, h, 1) > 0 && side_count(member, planes, h, -1) > 0)
            line[count++] = h;
    fmpz_mat_t a, basis;
    fmpz_mat_init(a, planes->r, count);
    fmpz_mat_init(basis, count, count);
    for (int64_t l = 0; l < count; l++)
        for (int64_t k = 0; k < planes->r; k++)
            fmpz_set(fmpz_mat_entry(a, k, l), planes->normal + line[l] * planes->r + k);
    const int64_t free_lines = count > 0 ? (int64_t)fmpz_mat_nullspace(basis, a) : 0;
    if (free_lines > 0 && s->nullity == 0)
        use_lines(s, basis, line, count);
    s->nullity += free_lines;
    fmpz_mat_clear(a);
    fmpz_mat_clear(basis);
    fathom_memory_free(s->context, line);
    return FATHOM_OK;
}

/* Zero rows and points on one ray; the first of them becomes c. */
static void find_simple(search *s)
{
    const fathom_hyperplanes *planes = s->planes;
    int64_t member[2];
    for (int64_t i = 0; i < planes->n; i++)
        if (!fathom_pattern_bit(planes->nonzero, i) && s->nullity++ == 0)
            fmpq_set_si(s->c + i, 1, 1);
    for (int64_t h = 0; h < planes->p; h++)
        for (int side = -1; side <= 1; side += 2) {
            const int64_t count = side_count(member, planes, h, side);
            if (count > 1 && s->nullity == 0)
                use_ray(s, member[0], member[1], h);
            s->nullity += count > 1 ? count - 1 : 0;
        }
}

/* c as integers without common factor: doubles, and text. */
static fathom_status write_vector(double *vector, char **text, const search *s)
{
    const int64_t n = s->n;
    fmpz *whole = _fmpz_vec_init(n);
    fmpz_t lcm, gcd;
    fmpz_init_set_ui(lcm, 1);
    fmpz_init(gcd);
    for (int64_t i = 0; i < n; i++)
        fmpz_lcm(lcm, lcm, fmpq_denref(s->c + i));
    int64_t length = 1;
    for (int64_t i = 0; i < n; i++) {
        fmpz_divexact(whole + i, lcm, fmpq_denref(s->c + i));
        fmpz_mul(whole + i, whole + i, fmpq_numref(s->c + i));
    }
    _fmpz_vec_content(gcd, whole, n);
    _fmpz_vec_scalar_divexact_fmpz(whole, whole, n, gcd);
    for (int64_t i = 0; i < n; i++) {
        vector[i] = fmpz_get_d(whole + i);
        length += (int64_t)fmpz_sizeinbase(whole + i, 10) + 3;
    }
    char *at = *text = fathom_memory_zero(s->context, length, 1);
    for (int64_t i = 0; i < n && at; i++) {
        fmpz_get_str(at, 10, whole + i);
        at += strlen(at);
        *at++ = i + 1 < n ? ' ' : 0;
    }
    fmpz_clear(lcm);
    fmpz_clear(gcd);
    _fmpz_vec_clear(whole, n);
    return *text ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_kernel_null_vector(int64_t *nullity, double *vector, char **text,
                                        fathom_context *context, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    search s = {.context = context, .n = view.n};
    double *x = NULL;
    *nullity = 0;
    *text = NULL;
    fathom_status status = fathom_hyperplanes_create(&s.planes, context, data);
    FATHOM_THEN(status, fathom_dense_copy(&x, &view, context));
    if (status == FATHOM_OK) {
        s.x = x;
        s.c = _fmpq_vec_init(view.n);
        find_simple(&s);
        status = relate_lines(&s);
        if (status == FATHOM_OK && s.nullity > 0)
            status = write_vector(vector, text, &s);
        _fmpq_vec_clear(s.c, view.n);
    }
    *nullity = status == FATHOM_ERROR_STOPPED ? -1 : s.nullity; /* not known: no failure */
    fathom_memory_free(context, x);
    fathom_hyperplanes_free(s.planes);
    return status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
}

/* row (d) = x 2^-e in integers, e the returned exponent. */
static int64_t set_row(fmpz *row, const double *x, int64_t d)
{
    int least = 0, e;
    for (int64_t k = 0; k < d; k++) {
        frexp(x[k], &e);
        least = x[k] != 0 && e - 53 < least ? e - 53 : least;
    }
    for (int64_t k = 0; k < d; k++) {
        const double m = frexp(x[k], &e);
        fmpz_set_d(row + k, ldexp(m, 53));
        if (x[k] != 0)
            fmpz_mul_2exp(row + k, row + k, (ulong)(e - 53 - least));
    }
    return least;
}

/* The gates that are open on both points. */
static int64_t count_both(const fathom_gates_view *gates, int64_t i, int64_t k)
{
    int64_t count = 0;
    for (int64_t j = 0; j < gates->m; j++)
        if (!gates->weight || gates->weight[j] > 0)
            count += fathom_pattern_bit(gates->bits + j * gates->words, i) &&
                     fathom_pattern_bit(gates->bits + j * gates->words, k);
    return count;
}

/* The matrix of the head for rows (n x d) in integers. */
static void set_gram(fmpz_mat_t gram, const fmpz *rows, const fathom_gates_view *gates, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k <= i; k++) {
            fmpz *entry = fmpz_mat_entry(gram, i, k);
            _fmpz_vec_dot(entry, rows + i * d, rows + k * d, d);
            fmpz_mul_si(entry, entry, count_both(gates, i, k));
            fmpz_set(fmpz_mat_entry(gram, k, i), entry);
        }
}

/* c_i = basis_i 2^-exponent_i. */
static void use_basis(search *s, const fmpz_mat_t basis, const int64_t *exponent)
{
    for (int64_t i = 0; i < s->n; i++) {
        fmpz_set(fmpq_numref(s->c + i), fmpz_mat_entry(basis, i, 0));
        fmpz_one(fmpq_denref(s->c + i));
        fmpq_mul_2exp(s->c + i, s->c + i, (ulong)-exponent[i]);
    }
}

fathom_status fathom_kernel_null_vector_gates(int64_t *nullity, double *vector, char **text,
                                              fathom_context *context, const fathom_data *data,
                                              const fathom_gates *gates)
{
    enum { POINTS = 200 };
    const fathom_data_view view = fathom_data_look(data);
    const fathom_gates_view given = fathom_gates_look(gates);
    const int64_t n = view.n, d = view.d;
    search s = {.context = context, .n = n, .nullity = -1};
    double *x = NULL;
    *nullity = -1;
    *text = NULL;
    if (n > POINTS)
        return FATHOM_OK;
    int64_t *exponent = fathom_memory_alloc(context, n, sizeof *exponent);
    fathom_status status = exponent ? fathom_dense_copy(&x, &view, context) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        fmpz *rows = _fmpz_vec_init(n * d);
        fmpz_mat_t gram, basis;
        fmpz_mat_init(gram, n, n);
        fmpz_mat_init(basis, n, n);
        s.c = _fmpq_vec_init(n);
        for (int64_t i = 0; i < n; i++)
            exponent[i] = set_row(rows + i * d, x + i * d, d);
        set_gram(gram, rows, &given, n, d);
        *nullity = (int64_t)fmpz_mat_nullspace(basis, gram);
        if (*nullity > 0) {
            use_basis(&s, basis, exponent);
            status = write_vector(vector, text, &s);
        }
        _fmpq_vec_clear(s.c, n);
        fmpz_mat_clear(basis);
        fmpz_mat_clear(gram);
        _fmpz_vec_clear(rows, n * d);
    }
    FATHOM_FREE(context, exponent, x);
    return status;
}
