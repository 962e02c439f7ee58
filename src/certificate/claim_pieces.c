/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces that cover all directions of several outputs, once prices of directions have risen (docs/reference/certificate.md, Sec. 5).
 *
 * A piece needs <l, g> >= P_g for its corners g, which are independent. Where some P_g is above <l, g> by e_g, l grows by the h in the
 * span of the corners with <h, g> = e_g; with the corners' Gram matrix G, h = sum_g t_g g and G t = e. What rounding may hide, in l and in the
 * corners of a cover, is in e. So a piece loses what its own corners have lost, and one with a price of 0 may rise. O(axes^3) for each piece.
 */
#include <float.h>
#include <math.h>

#include "certificate_internal.h"
#include "claim_exact.h"
#include "memory.h"

enum { MOST = 10 }; /* axes of a fan */

typedef struct cover {
    fathom_proof *proof;
    double *c;    /* directions x outputs */
    int64_t next; /* piece, in preorder */
    int64_t corner[MOST];
    int sign[MOST];
} cover;

void fathom_proof_directions(double *c, const fathom_proof *proof)
{
    const int64_t o = proof->outputs, axes = proof->pieces > 0 ? proof->axes : o;
    for (int64_t k = 0; k < axes * o; k++)
        c[k] = k / o == k % o ? 1 : k % o == o - 1 && axes < o ? -1 : 0;
    for (int64_t k = 0; k < (proof->pieces > 0 ? proof->corners : 0); k++)
        for (int64_t e = 0; e < o; e++)
            c[(axes + k) * o + e] = proof->share[2 * k] * c[proof->parent[2 * k] * o + e] +
                                    proof->share[2 * k + 1] * c[proof->parent[2 * k + 1] * o + e];
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* G t = e by elimination; false where G is singular to rounding. t = e at first. */
static bool solve(double *t, double g[MOST][MOST], int64_t n)
{
    for (int64_t a = 0; a < n; a++) {
        if (!(g[a][a] > 0x1p-48))
            return false;
        for (int64_t b = a + 1; b < n; b++) {
            const double times = g[b][a] / g[a][a];
            for (int64_t c = a; c < n; c++)
                g[b][c] -= times * g[a][c];
            t[b] -= times * t[a];
        }
    }
    for (int64_t a = n - 1; a >= 0; a--) {
        for (int64_t c = a + 1; c < n; c++)
            t[a] -= g[a][c] * t[c];
        t[a] /= g[a][a];
    }
    return true;
}

/* What the corners lack, in e; whether any lacks something. */
static bool find_lack(double *lack, const cover *a, const double *l)
{
    const fathom_proof *proof = a->proof;
    const int64_t o = proof->outputs;
    bool any = false;
    for (int64_t k = 0; k < proof->axes; k++) {
        const double *c = a->c + a->corner[k] * o, *price = proof->price + 2 * a->corner[k];
        const double wanted = proof->fan ? price[a->sign[k] < 0] : fmax(price[0], price[1]);
        const double error = 64 * DBL_EPSILON * sqrt(dot(l, l, o) * dot(c, c, o));
        lack[k] = fmax(0, wanted + error - a->sign[k] * dot(l, c, o));
        any = any || lack[k] > 0;
    }
    return any;
}

static bool raise_piece(const cover *a, double *l)
{
    const int64_t o = a->proof->outputs, axes = a->proof->axes;
    double t[MOST], g[MOST][MOST];
    for (int round = 0; round < 4; round++) {
        if (!find_lack(t, a, l))
            return true;
        for (int64_t k = 0; k < axes; k++) {
            t[k] *= 2; /* the next error is that of a longer l */
            for (int64_t b = 0; b < axes; b++)
                g[k][b] = a->sign[k] * a->sign[b] * dot(a->c + a->corner[k] * o, a->c + a->corner[b] * o, o);
        }
        if (!solve(t, g, axes))
            return false;
        for (int64_t k = 0; k < axes; k++)
            for (int64_t e = 0; e < o; e++)
                l[e] += t[k] * a->sign[k] * a->c[a->corner[k] * o + e];
    }
    return !find_lack(t, a, l);
}

/* The piece that is next, and its parts. */
static bool raise_next(cover *a)
{
    const fathom_proof *proof = a->proof;
    const int64_t at = proof->bisect[a->next], axes = proof->axes;
    int64_t place[2] = {-1, -1};
    if (at < 0)
        return raise_piece(a, proof->majorant + proof->outputs * a->next++);
    a->next++;
    for (int64_t k = 0; k < 2 * axes; k++)
        if (a->corner[k / 2] == proof->parent[2 * (at - axes) + k % 2])
            place[k % 2] = k / 2;
    if (place[0] < 0 || place[1] < 0)
        return false;
    const int turn = proof->share[2 * (at - axes)] > 0 ? a->sign[place[0]] : -a->sign[place[0]];
    for (int half = 0; half < 2; half++) {
        const int64_t old = a->corner[place[half]];
        const int sign = a->sign[place[half]];
        a->corner[place[half]] = at;
        a->sign[place[half]] = turn;
        if (!raise_next(a))
            return false;
        a->corner[place[half]] = old;
        a->sign[place[half]] = sign;
    }
    return true;
}

bool fathom_claim_raise_pieces(fathom_proof *proof)
{
    cover a = {.proof = proof};
    const int64_t axes = proof->axes;
    bool all = axes <= MOST;
    if (proof->pieces == 0)
        return true;
    a.c = fathom_memory_zero(proof->context, (axes + proof->corners) * proof->outputs, sizeof *a.c);
    if (!a.c)
        return false;
    fathom_proof_directions(a.c, proof);
    for (int64_t signs = 0; signs < INT64_C(1) << axes && all; signs += proof->fan ? 1 : 2) {
        for (int64_t k = 0; k < axes; k++) {
            a.corner[k] = k;
            a.sign[k] = signs >> k & 1 ? -1 : 1;
        }
        all = raise_next(&a);
    }
    fathom_memory_free(proof->context, a.c);
    return all;
}
