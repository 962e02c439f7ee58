/* SPDX-License-Identifier: Apache-2.0 */
/* Exact integer vectors over FLINT: see exact.h. */
#include "exact.h"

#include <math.h>
#include <string.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpz_vec.h>

#include "memory.h"

_Static_assert(sizeof(fathom_integer) == sizeof(fmpz), "a FLINT integer is one word");

fathom_integer *fathom_integers_create(fathom_context *context, int64_t count)
{
    return fathom_memory_zero(context, count, sizeof(fathom_integer));
}

void fathom_integers_free(fathom_context *context, fathom_integer *v, int64_t count)
{
    for (int64_t k = 0; v && k < count; k++)
        fmpz_clear(v + k);
    fathom_memory_free(context, v);
}

void fathom_integers_clear(fathom_integer *v, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        fmpz_clear(v + k);
        v[k] = 0;
    }
}

/* Divides v by the greatest common divisor of its entries. */
static void make_primitive(fmpz *v, int64_t count)
{
    fmpz_t content;
    fmpz_init(content);
    _fmpz_vec_content(content, v, count);
    if (!fmpz_is_zero(content) && !fmpz_is_one(content))
        _fmpz_vec_scalar_divexact_fmpz(v, v, count, content);
    fmpz_clear(content);
}

void fathom_integers_reduce(fathom_integer *v, int64_t count) { make_primitive(v, count); }

bool fathom_integers_from_doubles(fathom_integer *v, const double *x, int64_t count)
{
    int lowest = INT32_MAX, exponent;
    for (int64_t k = 0; k < count; k++)
        if (x[k] != 0) {
            frexp(x[k], &exponent);
            lowest = exponent < lowest ? exponent : lowest;
        }
    /* x_k = m_k 2^(e_k - 53) with |m_k| < 2^53; over the common exponent `lowest` - 53 all are integers. */
    for (int64_t k = 0; k < count; k++) {
        const double m = ldexp(frexp(x[k], &exponent), 53);
        fmpz_set_si(v + k, (slong)m);
        if (m != 0)
            fmpz_mul_2exp(v + k, v + k, (ulong)(exponent - lowest));
    }
    make_primitive(v, count);
    return lowest != INT32_MAX;
}

void fathom_integers_to_doubles(double *x, const fathom_integer *v, int64_t count)
{
    slong highest = 0, exponent;
    for (int64_t k = 0; k < count; k++) {
        const slong bits = (slong)fmpz_bits(v + k);
        highest = bits > highest ? bits : highest;
    }
    for (int64_t k = 0; k < count; k++) {
        const double m = fmpz_get_d_2exp(&exponent, v + k);
        x[k] = exponent - highest < -1000 ? 0 : ldexp(m, (int)(exponent - highest));
    }
}

void fathom_integers_negate(fathom_integer *v, int64_t count) { _fmpz_vec_neg(v, v, count); }

void fathom_integers_copy(fathom_integer *v, const fathom_integer *from, int64_t count)
{
    _fmpz_vec_set(v, from, count);
}

bool fathom_integers_are_zero(const fathom_integer *v, int64_t count) { return _fmpz_vec_is_zero(v, count); }

bool fathom_integers_equal(const fathom_integer *a, const fathom_integer *b, int64_t count)
{
    return _fmpz_vec_equal(a, b, count);
}

uint64_t fathom_integers_hash(const fathom_integer *v, int64_t count)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int64_t k = 0; k < count; k++) {
        h = (h ^ fmpz_fdiv_ui(v + k, 0xffffffffffffffc5u)) *
            0xff51afd7ed558ccdu; /* modulo the prime 2^64 - 59 */
        h ^= h >> 32;
    }
    return h;
}

int fathom_integers_orient(fathom_integer *v, int64_t count)
{
    int64_t first = 0;
    while (first < count && fmpz_is_zero(v + first))
        first++;
    if (first == count || fmpz_sgn(v + first) > 0)
        return 1;
    _fmpz_vec_neg(v, v, count);
    return -1;
}

int64_t fathom_integers_pivot(const fathom_integer *v, int64_t count)
{
    int64_t best = -1;
    for (int64_t k = 0; k < count; k++)
        if (!fmpz_is_zero(v + k) && (best < 0 || fmpz_cmpabs(v + k, v + best) < 0))
            best = k;
    return best;
}

/* out = |b_p| v_k - sign(b_p) v_p b_k. */
static void eliminate_entry(fmpz *out, const fmpz *v, const fmpz *b, int64_t p, int64_t k)
{
    fmpz_t product;
    fmpz_init(product);
    fmpz_mul(product, v + p, b + k);
    if (fmpz_sgn(b + p) > 0) {
        fmpz_mul(out, b + p, v + k);
        fmpz_sub(out, out, product);
    } else {
        fmpz_mul(out, b + p, v + k);
        fmpz_sub(out, product, out);
    }
    fmpz_clear(product);
}

void fathom_integers_eliminate(fathom_integer *out, const fathom_integer *v, const fathom_integer *b,
                               int64_t p, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (k != p)
            eliminate_entry(out + k, v, b, p, k);
    fmpz_zero(out + p);
    make_primitive(out, count);
}

void fathom_integers_restrict(fathom_integer *out, const fathom_integer *v, const fathom_integer *b,
                              int64_t p, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (k != p)
            eliminate_entry(out + (k < p ? k : k - 1), v, b, p, k);
    make_primitive(out, count - 1);
}

int fathom_integers_turn(const fathom_integer *a, const fathom_integer *b)
{
    fmpz_t left, right;
    fmpz_init(left);
    fmpz_init(right);
    fmpz_mul(left, a, b + 1);
    fmpz_mul(right, a + 1, b);
    const int order = fmpz_cmp(left, right);
    fmpz_clear(left);
    fmpz_clear(right);
    return (order > 0) - (order < 0);
}

int64_t fathom_integers_length(const fathom_integer *v, int64_t count)
{
    int64_t length = 1;
    for (int64_t k = 0; k < count; k++)
        length += (int64_t)fmpz_sizeinbase(v + k, 16) + 2;
    return length;
}

int64_t fathom_integers_print(char *text, const fathom_integer *v, int64_t count)
{
    char *at = text;
    *at = 0;
    for (int64_t k = 0; k < count; k++) {
        if (k > 0)
            *at++ = ' ';
        fmpz_get_str(at, 16, v + k);
        at += strlen(at);
    }
    return at - text;
}

int fathom_integers_sign(const fathom_integer *v, int64_t k) { return fmpz_sgn(v + k); }

int fathom_integers_product_sign(const fathom_integer *v, const fathom_integer *z, int64_t count)
{
    fmpz_t sum;
    fmpz_init(sum);
    _fmpz_vec_dot(sum, v, z, count);
    const int sign = fmpz_sgn(sum);
    fmpz_clear(sum);
    return sign;
}

int64_t fathom_integers_bits(const fathom_integer *v, int64_t count)
{
    const slong bits = _fmpz_vec_max_bits(v, count);
    return bits < 0 ? -bits : bits;
}

void fathom_integers_combine(fathom_integer *out, const fathom_integer *a, int sign_a, int64_t shift_a,
                             const fathom_integer *b, int sign_b, int64_t shift_b, int64_t count)
{
    fmpz_t term;
    fmpz_init(term);
    for (int64_t k = 0; k < count; k++) {
        fmpz_mul_2exp(term, b + k, (ulong)shift_b);
        fmpz_mul_2exp(out + k, a + k, (ulong)shift_a);
        if (sign_a < 0)
            fmpz_neg(out + k, out + k);
        if (sign_b > 0)
            fmpz_add(out + k, out + k, term);
        else
            fmpz_sub(out + k, out + k, term);
    }
    fmpz_clear(term);
}

void fathom_integers_lift(fathom_integer *z, const fathom_integer *y, const fathom_integer *b, int64_t p,
                          int64_t count)
{
    fmpz_t sum;
    fmpz_init(sum);
    for (int64_t c = 0, k = 0; c < count; c++) {
        if (c == p)
            continue;
        fmpz_addmul(sum, b + c, y + k);
        fmpz_mul(z + c, y + k, b + p);
        if (fmpz_sgn(b + p) < 0)
            fmpz_neg(z + c, z + c);
        k++;
    }
    if (fmpz_sgn(b + p) > 0)
        fmpz_neg(sum, sum);
    fmpz_swap(z + p, sum);
    fmpz_clear(sum);
    make_primitive(z, count);
}

void fathom_integers_round(double *x, const fathom_integer *v, int64_t factor, int64_t count)
{
    fmpz *multiple = _fmpz_vec_init(count);
    _fmpz_vec_scalar_mul_si(multiple, v, count, factor);
    fathom_integers_to_doubles(x, multiple, count);
    _fmpz_vec_clear(multiple, count);
}

int fathom_integers_dot_sign(const fathom_integer *v, const double *z, int64_t count)
{
    fmpz *whole = _fmpz_vec_init(count);
    fmpz_t sum;
    fmpz_init(sum);
    fathom_integers_from_doubles(whole, z, count);
    _fmpz_vec_dot(sum, v, whole, count);
    const int sign = fmpz_sgn(sum);
    fmpz_clear(sum);
    _fmpz_vec_clear(whole, count);
    return sign;
}

/* v = mantissa 2^e to 64 bits, the mantissa in [1/2, 1] up to its sign; 0 for v = 0. */
static long double mantissa(slong *e, const fmpz *v)
{
    fmpz_t top;
    fmpz_init(top);
    const slong bits = (slong)fmpz_bits(v);
    *e = bits;
    if (bits > 64)
        fmpz_tdiv_q_2exp(top, v, (ulong)(bits - 64));
    else
        fmpz_mul_2exp(top, v, (ulong)(64 - bits));
    fmpz_abs(top, top);
    const long double size = ldexpl((long double)fmpz_get_ui(top), -64);
    fmpz_clear(top);
    return fmpz_sgn(v) < 0 ? -size : size;
}

double fathom_integers_quotient(const fathom_integer *ij, const fathom_integer *ii, const fathom_integer *jj)
{
    slong up, first, second;
    const long double top = mantissa(&up, ij), a = mantissa(&first, ii), b = mantissa(&second, jj);
    const bool odd = (first + second) % 2 != 0;
    const slong e = up - (first + second - odd) / 2;
    return e < -1000 ? 0 : (double)ldexpl(top / sqrtl(odd ? 2 * a * b : a * b), (int)e);
}

double fathom_integers_minor(const fathom_integer *h, int k, unsigned set)
{
    fmpz_mat_t part;
    fmpz_t determinant;
    int size = 0, index[32];
    for (int i = 0; i < k; i++)
        if (set >> i & 1)
            index[size++] = i;
    fmpz_init(determinant);
    fmpz_mat_init(part, size, size);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            fmpz_set(fmpz_mat_entry(part, i, j), h + index[i] * k + index[j]);
    fmpz_mat_det(determinant, part);
    slong e, less;
    long double m = mantissa(&e, determinant);
    for (int i = 0; i < size; i++) {
        m /= mantissa(&less, fmpz_mat_entry(part, i, i));
        e -= less;
    }
    fmpz_mat_clear(part);
    fmpz_clear(determinant);
    return e < -1000 ? 0 : (double)ldexpl(m, (int)e);
}

/* A matrix with copies of these entries. */
static void read_matrix(fmpz_mat_t matrix, const fmpz *a, int64_t rows, int64_t columns)
{
    fmpz_mat_init(matrix, rows, columns);
    for (int64_t i = 0; i < rows; i++)
        _fmpz_vec_set(fmpz_mat_entry(matrix, i, 0), a + i * columns, columns);
}

static void write_matrix(fmpz *a, const fmpz_mat_t matrix)
{
    const slong rows = fmpz_mat_nrows(matrix), columns = fmpz_mat_ncols(matrix);
    for (slong i = 0; i < rows; i++)
        _fmpz_vec_set(a + i * columns, fmpz_mat_entry(matrix, i, 0), columns);
    make_primitive(a, rows * columns);
}

/* matrix = a positive multiple of its inverse, for positive definite ones. */
static void invert(fmpz_mat_t matrix)
{
    fmpz_t denominator;
    fmpz_init(denominator);
    fmpz_mat_inv(matrix, denominator, matrix);
    if (fmpz_sgn(denominator) < 0)
        fmpz_mat_neg(matrix, matrix);
    fmpz_clear(denominator);
}

void fathom_integers_invert(fathom_integer *out, const fathom_integer *a, int64_t k)
{
    fmpz_mat_t matrix;
    read_matrix(matrix, a, k, k);
    invert(matrix);
    write_matrix(out, matrix);
    fmpz_mat_clear(matrix);
}

bool fathom_integers_cross(fathom_integer *out, const fathom_integer *const *row, int64_t r)
{
    fmpz_mat_t minor;
    fmpz_mat_init(minor, r - 1, r - 1);
    for (int64_t skip = 0; skip < r; skip++) {
        for (int64_t i = 0; i < r - 1; i++)
            for (int64_t c = 0, to = 0; c < r; c++)
                if (c != skip)
                    fmpz_set(fmpz_mat_entry(minor, i, to++), row[i] + c);
        fmpz_mat_det(out + skip, minor);
        if (skip % 2)
            fmpz_neg(out + skip, out + skip);
    }
    fmpz_mat_clear(minor);
    make_primitive(out, r);
    return !_fmpz_vec_is_zero(out, r);
}

int64_t fathom_integers_rank(const fathom_integer *const *row, int64_t count, int64_t r)
{
    fmpz_mat_t matrix;
    fmpz_mat_init(matrix, count, r);
    for (int64_t i = 0; i < count; i++)
        _fmpz_vec_set(fmpz_mat_entry(matrix, i, 0), row[i], r);
    const int64_t rank = fmpz_mat_rank(matrix);
    fmpz_mat_clear(matrix);
    return rank;
}

void fathom_integers_product(fathom_integer *out, const fathom_integer *a, const fathom_integer *metric,
                             const fathom_integer *b, int64_t r)
{
    fmpz_t sum, part;
    fmpz_init(sum);
    fmpz_init(part);
    for (int64_t i = 0; i < r && metric; i++) {
        _fmpz_vec_dot(part, metric + i * r, b, r);
        fmpz_addmul(sum, part, a + i);
    }
    if (!metric)
        _fmpz_vec_dot(sum, a, b, r);
    fmpz_swap(out, sum);
    fmpz_clear(sum);
    fmpz_clear(part);
}

void fathom_exact_metric(fathom_integer *metric, fathom_integer *covariance, const fathom_integer *basis,
                         const int64_t *column, int64_t r, int64_t d)
{
    fmpz_mat_t whole, kept, kept_transposed, gram;
    read_matrix(whole, basis, r, d); /* B; T = B_C^{-1} B, T T' = (B_C' (B B')^{-1} B_C)^{-1} */
    fmpz_mat_init(kept, r, r);
    fmpz_mat_init(kept_transposed, r, r);
    fmpz_mat_init(gram, r, r);
    for (int64_t i = 0; i < r; i++)
        for (int64_t c = 0; c < r; c++)
            fmpz_set(fmpz_mat_entry(kept, i, c), fmpz_mat_entry(whole, i, column[c]));
    fmpz_mat_transpose(kept_transposed, kept);
    fmpz_mat_gram(gram, whole);
    invert(gram);
    fmpz_mat_mul(gram, kept_transposed, gram);
    fmpz_mat_mul(gram, gram, kept);
    write_matrix(metric, gram);
    invert(gram);
    write_matrix(covariance, gram);
    fmpz_mat_clear(whole);
    fmpz_mat_clear(kept);
    fmpz_mat_clear(kept_transposed);
    fmpz_mat_clear(gram);
}

int fathom_exact_determinant_sign(const double *const *row, int64_t r)
{
    fmpz_mat_t matrix;
    fmpz_t determinant;
    fmpz_mat_init(matrix, r, r);
    fmpz_init(determinant);
    for (int64_t i = 0; i < r; i++)
        fathom_integers_from_doubles(fmpz_mat_entry(matrix, i, 0), row[i], r);
    fmpz_mat_det(determinant, matrix);
    const int sign = fmpz_sgn(determinant);
    fmpz_clear(determinant);
    fmpz_mat_clear(matrix);
    return sign;
}

/* Rows as primitive integer vectors: positive multiples, which change neither rank nor signs of the inverse Gram. */
static void read_rows(fmpz_mat_t matrix, const double *a, int64_t rows, int64_t columns, int64_t ld)
{
    fmpz_mat_init(matrix, rows, columns);
    for (int64_t i = 0; i < rows; i++)
        fathom_integers_from_doubles(fmpz_mat_entry(matrix, i, 0), a + i * ld, columns);
}

int64_t fathom_exact_rank(const double *a, int64_t rows, int64_t columns, int64_t ld)
{
    fmpz_mat_t matrix;
    read_rows(matrix, a, rows, columns, ld);
    const int64_t rank = fmpz_mat_rank(matrix);
    fmpz_mat_clear(matrix);
    return rank;
}

bool fathom_exact_inverse_gram(int64_t *i, int64_t *j, const double *r, int64_t rows, int64_t columns,
                               int64_t ld)
{
    fmpz_mat_t matrix, gram;
    fmpz_t denominator;
    fmpz_init(denominator);
    read_rows(matrix, r, rows, columns, ld);
    fmpz_mat_init(gram, rows, rows);
    fmpz_mat_gram(gram, matrix);
    const bool regular = fmpz_mat_inv(gram, denominator, gram);
    *i = *j = -1;
    for (int64_t a = 0; a < rows && regular; a++)
        for (int64_t b = a + 1; b < rows && *i < 0; b++)
            if (fmpz_sgn(fmpz_mat_entry(gram, a, b)) * fmpz_sgn(denominator) > 0) {
                *i = a;
                *j = b;
            }
    fmpz_mat_clear(gram);
    fmpz_mat_clear(matrix);
    fmpz_clear(denominator);
    return regular;
}
