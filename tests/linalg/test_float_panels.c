/* SPDX-License-Identifier: Apache-2.0 */
/* Networks in single precision by panels: bit for bit a naive twin that adds in the stated order, for every
 * set of instructions, on shapes around every edge. */
#include "testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "float_panels.h"
#include "random.h"

enum { PANEL = FATHOM_PANEL, CHUNK = FATHOM_PANEL_ROWS, LANES = FATHOM_PANEL_LANES };

static float add(const fathom_float_kernel *kernel, float a, float b, float c)
{
    const float product = a * b;
    return kernel->fused ? fmaf(a, b, c) : product + c;
}

typedef struct network {
    int64_t n, d, m, o;
    float low;
    float *x, *a, *slope; /* n x d, o x m, n x o */
    double *h;            /* m x d, numbers of single precision */
} network;

static void fill(float *to, int64_t count, uint32_t trial, uint32_t stream)
{
    for (int64_t t = 0; t < count; t++)
        to[t] = (float)fathom_random_normal(3 + stream, FATHOM_STREAM_START, trial, (uint64_t)t);
}

static float *floats(int64_t count)
{
    float *p = calloc((size_t)count + 1, sizeof *p);
    assert_non_null(p);
    return p;
}

static network draw(uint32_t trial, int64_t n, int64_t d, int64_t m, int64_t o)
{
    network net = {n, d, m, o, trial % 2 ? 0.1F : 0, floats(n * d), floats(o * m), floats(n * o), NULL};
    float *h = floats(m * d);
    fill(net.x, n * d, trial, 0);
    fill(net.a, o * m, trial, 1);
    fill(net.slope, n * o, trial, 2);
    fill(h, m * d, trial, 3);
    net.h = malloc((size_t)(m * d + 1) * sizeof *net.h);
    assert_non_null(net.h);
    for (int64_t t = 0; t < m * d; t++)
        net.h[t] = (double)h[t];
    free(h);
    return net;
}

static void forget(network *net)
{
    free(net->x);
    free(net->a);
    free(net->slope);
    free(net->h);
}

static float unit(const network *net, float z) { return z > 0 ? z : net->low * z; }

static float twin_z(const network *net, const fathom_float_kernel *kernel, int64_t i, int64_t j)
{
    float z = 0;
    for (int64_t k = 0; k < net->d; k++)
        z = add(kernel, net->x[i * net->d + k], (float)net->h[j * net->d + k], z);
    return z;
}

static double twin_output(const network *net, const fathom_float_kernel *kernel, int64_t i, int64_t k)
{
    float sums[LANES] = {0};
    double f = 0;
    for (int64_t j = 0; j < net->m; j++)
        sums[j % LANES] =
            add(kernel, net->a[k * net->m + j], unit(net, twin_z(net, kernel, i, j)), sums[j % LANES]);
    for (int l = 0; l < LANES; l++)
        f += (double)sums[l];
    return f;
}

static float twin_pull(const network *net, float z, int64_t i, int64_t j)
{
    float pull = 0;
    for (int64_t k = 0; k < net->o; k++) {
        const float force = net->slope[i * net->o + k] * net->a[k * net->m + j];
        const float here = z > 0 ? force : net->low * force;
        pull = k > 0 ? pull + here : here;
    }
    return pull;
}

/* Entry k of the gradient by neuron j; k >= d: by its output k - d. */
static double twin_gradient(const network *net, const fathom_float_kernel *kernel, int64_t j, int64_t k)
{
    double whole = 0;
    float part = 0, chain = 0;
    for (int64_t i = 0; i < net->n; i++) {
        const float z = twin_z(net, kernel, i, j);
        if (k < net->d)
            chain = add(kernel, net->x[i * net->d + k], twin_pull(net, z, i, j), chain);
        else
            part = add(kernel, net->slope[i * net->o + k - net->d], unit(net, z), part);
        if ((i + 1) % CHUNK == 0 || i + 1 == net->n)
            part = k < net->d ? part + chain : part, chain = 0;
        if ((i + 1) % FATHOM_PANEL_SUMS == 0 || i + 1 == net->n)
            whole += (double)part, part = 0;
    }
    return whole;
}

/* Everything of one network with one kernel, z kept or not; every `skip`-th number is compared. */
static void compare(const network *net, const fathom_float_kernel *kernel, bool keep, int64_t skip)
{
    const int64_t n = net->n, d = net->d, m = net->m, o = net->o, columns = fathom_panels_columns(m);
    float *u = floats(columns * d), *a = floats(columns * o), *z = keep ? floats(columns * n) : NULL;
    float *room = floats(CHUNK * (PANEL + LANES * o) + (2 * CHUNK + d + o) * PANEL);
    double *f = malloc((size_t)(n * o) * sizeof *f), *hidden = malloc((size_t)(m * d) * sizeof *f),
           *output = malloc((size_t)(m * o) * sizeof *f);
    assert_true(f && hidden && output);
    fathom_panels_pack(u, net->h, m, d);
    for (int64_t t = 0; t < o * m; t++)
        a[t / m * columns + t % m] = net->a[t];
    for (int64_t top = 0; top < n; top += CHUNK)
        fathom_panels_forward(f, z, room, net->x, u, a, top, n, d, m, o, net->low, kernel);
    for (int64_t p = 0; p < fathom_panels_count(m); p++)
        fathom_panels_backward(hidden, output, room, z, net->x, u, a, net->slope, n, d, m, o, p, net->low,
                               kernel);
    for (int64_t t = 0; t < n * o; t += skip)
        assert_true(f[t] == twin_output(net, kernel, t / o, t % o));
    for (int64_t t = 0; t < m * d; t += skip)
        assert_true(hidden[t] == twin_gradient(net, kernel, t / d, t % d));
    for (int64_t t = 0; t < m * o; t += skip)
        assert_true(output[t] == twin_gradient(net, kernel, t / o, d + t % o));
    free(u), free(a), free(z), free(room), free(f), free(hidden), free(output);
}

static void bits_are_those_of_the_twin(void **state)
{
    (void)state;
    static const int64_t n[] = {1, 7, 64, 65, 130}, d[] = {1, 3, 8, 9, 20},
                         m[] = {1, 16, 17, 40, 48, 49, 100};
    for (uint32_t trial = 0; trial < 5 * 5 * 7; trial++) {
        network net = draw(trial, n[trial % 5], d[trial / 5 % 5], m[trial / 25], 1 + trial % 3);
        for (int k = 0; fathom_float_kernel_number(k); k++)
            compare(&net, fathom_float_kernel_number(k), trial % 2, 1 + (int64_t)trial % 7);
        forget(&net);
    }
    network net = draw(999, 2 * FATHOM_PANEL_SUMS + 70, 3, 20, 1);
    for (int k = 0; fathom_float_kernel_number(k); k++)
        compare(&net, fathom_float_kernel_number(k), k % 2, 31);
    forget(&net);
}

/* Numbers that are not finite reach outputs: a run that breaks down is seen. */
static void broken_numbers_are_seen(void **state)
{
    (void)state;
    network net = draw(5, 9, 3, 20, 1);
    float room[CHUNK * (PANEL + LANES)], u[32 * 3], a[32] = {0};
    double f[9];
    net.h[7] = NAN;
    memcpy(a, net.a, 20 * sizeof *a);
    fathom_panels_pack(u, net.h, 20, 3);
    for (int k = 0; fathom_float_kernel_number(k); k++) {
        fathom_panels_forward(f, NULL, room, net.x, u, a, 0, 9, 3, 20, 1, 0, fathom_float_kernel_number(k));
        for (int i = 0; i < 9; i++)
            assert_true(isnan(f[i]));
    }
    forget(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_those_of_the_twin),
                                       cmocka_unit_test(broken_numbers_are_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
