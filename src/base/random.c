/* SPDX-License-Identifier: Apache-2.0 */
/* Adapter to Random123's philox4x32-10 [Salmon, Moraes, Dror, Shaw, SC 2011]. */
#include "random.h"

#include <math.h>

#include <Random123/philox.h>

void fathom_random_words(uint64_t word[2], const uint32_t key[2], const uint32_t counter[4])
{
    const philox4x32_ctr_t place = {{counter[0], counter[1], counter[2], counter[3]}};
    const philox4x32_key_t pair = {{key[0], key[1]}};
    const philox4x32_ctr_t w = philox4x32(place, pair);
    for (int k = 0; k < 2; k++)
        word[k] = (uint64_t)w.v[2 * k + 1] << 32 | w.v[2 * k];
}

/* The two uniforms of block b. */
static void uniform_pair(double pair[2], uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t b)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)b, (uint32_t)(b >> 32), (uint32_t)stream, sub};
    uint64_t word[2];
    fathom_random_words(word, key, counter);
    for (int k = 0; k < 2; k++)
        pair[k] = ((double)(word[k] >> 11) + 0.5) * 0x1p-53;
}

/* Box-Muller on the two uniforms of block b. */
static void normal_pair(double pair[2], uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t b)
{
    const double two_pi = 6.283185307179586;
    double u[2];
    uniform_pair(u, seed, stream, sub, b);
    const double radius = sqrt(-2 * log(u[0]));
    pair[0] = radius * cos(two_pi * u[1]);
    pair[1] = radius * sin(two_pi * u[1]);
}

typedef void pair_function(double pair[2], uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t b);

static double single(pair_function *draw, uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t index)
{
    double pair[2];
    draw(pair, seed, stream, sub, index / 2);
    return pair[index % 2];
}

static void fill(pair_function *draw, double *out, int64_t count, uint64_t seed, fathom_stream stream,
                 uint32_t sub, uint64_t first)
{
    int64_t k = 0;
    if (count > 0 && first % 2 == 1)
        out[k++] = single(draw, seed, stream, sub, first);
    for (; k + 1 < count; k += 2)
        draw(out + k, seed, stream, sub, (first + (uint64_t)k) / 2);
    if (k < count)
        out[k] = single(draw, seed, stream, sub, first + (uint64_t)k);
}

double fathom_random_uniform(uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t index)
{
    return single(uniform_pair, seed, stream, sub, index);
}

double fathom_random_normal(uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t index)
{
    return single(normal_pair, seed, stream, sub, index);
}

void fathom_random_uniforms(double *out, int64_t count, uint64_t seed, fathom_stream stream, uint32_t sub,
                            uint64_t first)
{
    fill(uniform_pair, out, count, seed, stream, sub, first);
}

void fathom_random_normals(double *out, int64_t count, uint64_t seed, fathom_stream stream, uint32_t sub,
                           uint64_t first)
{
    fill(normal_pair, out, count, seed, stream, sub, first);
}

double fathom_random_sign(uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t index)
{
    return fathom_random_uniform(seed, stream, sub, index) < 0.5 ? -1.0 : 1.0;
}

void fathom_random_permutation(int64_t *order, int64_t n, uint64_t seed, fathom_stream stream, uint32_t sub)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        const double u = fathom_random_uniform(seed, stream, sub, (uint64_t)(n - 1 - i));
        const int64_t j = (int64_t)(u * (double)(i + 1));
        const int64_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}
