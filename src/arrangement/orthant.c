/* SPDX-License-Identifier: Apache-2.0 */
/* Orthant probabilities of up to five Gaussians; see orthant.h. */
#include "orthant.h"

#include <math.h>

#include "memory.h"

#define PI 3.14159265358979323846

enum { RULES = 5, FIRST_NODES = 32 };

/* Nodes and weights on [0, 1] by Newton's method on the Legendre polynomial of degree n. */
static void legendre_rule(double *node, double *weight, int n)
{
    for (int k = 0; k < (n + 1) / 2; k++) {
        double x = cos(PI * (k + 0.75) / (n + 0.5)), slope = 1;
        for (int step = 0; step < 100; step++) {
            double p = 1, before = 0;
            for (int j = 0; j < n; j++) {
                const double next = ((2 * j + 1) * x * p - j * before) / (j + 1);
                before = p;
                p = next;
            }
            slope = n * (x * p - before) / (x * x - 1);
            const double move = p / slope;
            x -= move;
            if (fabs(move) < 1e-16)
                break;
        }
        node[k] = 0.5 * (1 - x);
        node[n - 1 - k] = 0.5 * (1 + x);
        weight[k] = weight[n - 1 - k] = 1 / ((1 - x * x) * slope * slope);
    }
}

fathom_status fathom_orthant_rules_init(fathom_orthant_rules *rules, fathom_context *context)
{
    *rules = (fathom_orthant_rules){0};
    for (int k = 0; k < RULES; k++) {
        const int n = FIRST_NODES << k;
        rules->node[k] = fathom_memory_alloc(context, n, sizeof(double));
        rules->weight[k] = fathom_memory_alloc(context, n, sizeof(double));
        if (!rules->node[k] || !rules->weight[k])
            return FATHOM_ERROR_MEMORY;
        legendre_rule(rules->node[k], rules->weight[k], n);
    }
    return FATHOM_OK;
}

void fathom_orthant_rules_free(fathom_orthant_rules *rules, fathom_context *context)
{
    for (int k = 0; k < RULES; k++) {
        fathom_memory_free(context, rules->node[k]);
        fathom_memory_free(context, rules->weight[k]);
    }
}

static double arcsine(double x) { return asin(fmax(-1, fmin(1, x))); }

/* Correlation of z_k and z_l given z_i and z_j, for the matrix with unit diagonal and entries t r. */
static double partial(const double *r, double t, int i, int j, int k, int l)
{
    const double a = t * r[4 * i + j], det = (1 - a) * (1 + a);
    const double ki = t * r[4 * k + i], kj = t * r[4 * k + j], li = t * r[4 * l + i], lj = t * r[4 * l + j];
    const double kl = t * r[4 * k + l] - (ki * li + kj * lj - a * (ki * lj + kj * li)) / det;
    const double kk = 1 - (ki * ki + kj * kj - 2 * a * ki * kj) / det;
    const double ll = 1 - (li * li + lj * lj - 2 * a * li * lj) / det;
    return kk > 0 && ll > 0 ? kl / sqrt(kk * ll) : 0;
}

/* The integrand of P4 at t. */
static double plackett(const double *r, double t)
{
    static const int pair[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                   {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    double sum = 0;
    for (int p = 0; p < 6; p++) {
        const double rij = r[4 * pair[p][0] + pair[p][1]], a = t * rij;
        if (rij != 0)
            sum += rij / (2 * PI * sqrt((1 - a) * (1 + a))) *
                   (0.25 + arcsine(partial(r, t, pair[p][0], pair[p][1], pair[p][2], pair[p][3])) / (2 * PI));
    }
    return sum;
}

static double orthant4(double *error, const double *r, const fathom_orthant_rules *rules)
{
    double last = 0, value = 0;
    *error = INFINITY;
    for (int k = 0; k<RULES && * error> 1e-15; k++) {
        value = 0.0625;
        for (int q = 0; q < FIRST_NODES << k; q++) {
            const double v = 1 - rules->node[k][q];
            value += rules->weight[k][q] * 3 * v * v * plackett(r, 1 - v * v * v);
        }
        if (k > 0)
            *error = fabs(value - last);
        last = value;
    }
    *error += 4 * 0x1p-53;
    return value;
}

/* The matrix of the variables in `set` (a bit mask), of size k. */
static int restrict_to(double *small, const double *r, int k, unsigned set)
{
    int size = 0, index[5];
    for (int i = 0; i < k; i++)
        if (set >> i & 1)
            index[size++] = i;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            small[i * size + j] = r[index[i] * k + index[j]];
    return size;
}

/* Half the alternating sum over proper subsets: the complement of an odd orthant is its mirror image. */
static double orthant5(double *error, const double *r, const fathom_orthant_rules *rules)
{
    double sum = 1;
    *error = 0;
    for (unsigned set = 1; set < 31; set++) {
        double small[25], part = 0;
        const int size = restrict_to(small, r, 5, set);
        const double p = fathom_orthant(&part, small, size, rules);
        sum += size % 2 ? -p : p;
        *error += 0.5 * part;
    }
    return 0.5 * sum;
}

double fathom_orthant(double *error, const double *r, int k, const fathom_orthant_rules *rules)
{
    *error = 0x1p-53;
    if (k == 1)
        return 0.5;
    if (k == 2)
        return 0.25 + arcsine(r[1]) / (2 * PI);
    if (k == 3)
        return 0.125 + (arcsine(r[1]) + arcsine(r[2]) + arcsine(r[5])) / (4 * PI);
    return k == 4 ? orthant4(error, r, rules) : orthant5(error, r, rules);
}
