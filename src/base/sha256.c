/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 [FIPS 180-4], block by block; the round constants are computed from their definition. */
#include "sha256.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first 32 bits of the fraction of the cube (power 3) or square (power 2) root of a prime below 312: 2^64 p^(1/3) and
 * 2^32 sqrt(p) are found by bisection in integers. */
static uint32_t root_bits(uint64_t prime, int power)
{
    uint64_t low = 0, high = UINT64_C(1) << 37; /* 2^32 times a root below 32 */
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        /* middle^power <= prime 2^(32 power), compared in 128 bits after a shift that loses nothing for power 2 */
        const unsigned __int128 square = (unsigned __int128)middle * middle;
        int below;
        if (power == 2) {
            below = square <= (unsigned __int128)prime << 64;
        } else { /* square <= prime 2^96 / middle */
            const unsigned __int128 bound = ((unsigned __int128)prime << 96) / middle;
            below = square <= bound;
        }
        if (below)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void primes(uint64_t *out, int count)
{
    int found = 0;
    for (uint64_t p = 2; found < count; p++) {
        int prime = 1;
        for (int k = 0; k < found; k++)
            prime = prime && p % out[k] != 0;
        if (prime)
            out[found++] = p;
    }
}

static uint32_t rotate(uint32_t x, int by) { return (x >> by) | (x << (32 - by)); }

static void compress(fathom_sha256 *hash)
{
    static uint32_t constant[64];
    uint32_t w[64], a[8];
    if (constant[63] == 0) {
        uint64_t prime[64];
        primes(prime, 64);
        for (int t = 0; t < 64; t++)
            constant[t] = root_bits(prime[t], 3);
    }
    for (int t = 0; t < 64; t++) {
        if (t < 16) {
            const unsigned char *b = hash->block + 4 * t;
            w[t] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
            continue;
        }
        const uint32_t x = w[t - 15], y = w[t - 2];
        w[t] = w[t - 16] + w[t - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) +
               (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
    memcpy(a, hash->state, sizeof a);
    for (int t = 0; t < 64; t++) {
        const uint32_t choose = (a[4] & a[5]) ^ (~a[4] & a[6]);
        const uint32_t majority = (a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]);
        const uint32_t first =
            a[7] + (rotate(a[4], 6) ^ rotate(a[4], 11) ^ rotate(a[4], 25)) + choose + constant[t] + w[t];
        const uint32_t second = (rotate(a[0], 2) ^ rotate(a[0], 13) ^ rotate(a[0], 22)) + majority;
        for (int k = 7; k > 0; k--)
            a[k] = a[k - 1];
        a[4] += first;
        a[0] = first + second;
    }
    for (int k = 0; k < 8; k++)
        hash->state[k] += a[k];
}

void fathom_sha256_init(fathom_sha256 *hash)
{
    uint64_t prime[8];
    *hash = (fathom_sha256){.length = 0};
    primes(prime, 8);
    for (int k = 0; k < 8; k++)
        hash->state[k] = root_bits(prime[k], 2);
}

void fathom_sha256_update(fathom_sha256 *hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t k = 0; k < size; k++) {
        hash->block[hash->length++ % 64] = byte[k];
        if (hash->length % 64 == 0)
            compress(hash);
    }
}

void fathom_sha256_finish(char hex[65], fathom_sha256 *hash)
{
    const uint64_t bits = 8 * hash->length;
    unsigned char byte = 0x80, end[8];
    fathom_sha256_update(hash, &byte, 1);
    for (byte = 0; hash->length % 64 != 56;)
        fathom_sha256_update(hash, &byte, 1);
    for (int k = 0; k < 8; k++)
        end[k] = (unsigned char)(bits >> (56 - 8 * k));
    fathom_sha256_update(hash, end, sizeof end);
    for (int k = 0; k < 8; k++)
        snprintf(hex + 8 * k, 9, "%08x", hash->state[k]);
}
