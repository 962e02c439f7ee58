/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of infinite width of the first layer from directions that are drawn again: with the stated
 * probability. docs/reference/certificate.md, Section 6, has the generator bit by bit and the proof.
 *
 * z_i = y_i x_i, S(u) = sum_i q_i z_i 1[<x_i, u> > 0], and every draw is a pair u, -u. The certificate lists
 * q, mu, slopes and stakes before the draws, whose key is the hash of everything up to them. Two sides:
 *
 *     E|S| / sum q >= margin:  X = (|S(u)| - B |S(u)|^2 + the same of -u) / 2,  EX = E|S| - B q'Kq
 *     min_i E <z_i, S 1[..]> / root(|S|^2 + mu^2) <= margin:
 *                              W_i = <z_i, S(side)> (1 / root(..) - b_i) / 2,   EW_i = that - b_i (Kq)_i
 *
 * side being that of u, -u which opens row i. If EX were at least M, the product over the draws of
 * 1 + l (M - X) >= 0 would have an expectation of at most 1, and so be 2 / (1 - confidence) or more with
 * probability (1 - confidence) / 2 at most; so that it is that large proves EX <= M. The same for each W_i.
 *
 * A word of the generator is the cell of 2^-64 in which a uniform number lies. All that follows is computed
 * in balls; where these do not decide a sign, the draw counts as the worst there can be.
 */
#include <stdlib.h>
#include <string.h>

#include "checker.h"

typedef struct sample {
    check *c;
    int64_t n, d, pairs; /* pairs: of coordinates of a direction */
    uint32_t key[2];
    const num *q, *slope, *stake; /* n; n + 1; n + 1: that of the upper side is the first */
    num mu_square;
    num *weighted;       /* n x d: q_i z_i */
    num *goal;           /* n + 1: M, and L + .. of every row: what the means are claimed to be beyond */
    num *worst;          /* n + 1: the least factor that a draw can have */
    num *capital;        /* n + 1 */
    num *u;              /* 2 pairs: the direction */
    num *sum;            /* 2 x d: S(u), S(-u) */
    uint64_t *cut;       /* pairs */
    unsigned char *open; /* n */
} sample;

/* Two words of 64 bits: philox4x32-10 [Salmon, Moraes, Dror, Shaw 2011]. */
static void draw_words(uint64_t word[2], const uint32_t key[2], uint64_t draw, int64_t place, uint32_t which)
{
    uint32_t x[4] = {(uint32_t)draw, (uint32_t)(draw >> 32), (uint32_t)place, which}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++, k[0] += 0x9E3779B9, k[1] += 0xBB67AE85) {
        const uint64_t a = UINT64_C(0xD2511F53) * x[0], b = UINT64_C(0xCD9E8D57) * x[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ x[1] ^ k[0], (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ x[3] ^ k[1], (uint32_t)a};
        memcpy(x, next, sizeof x);
    }
    word[0] = (uint64_t)x[1] << 32 | x[0];
    word[1] = (uint64_t)x[3] << 32 | x[2];
}

/* The cell of a word: 2 word + 1 - 2^64, give or take 1. Tests have coarser cells, of `coarse` bits more. */
static void set_centred(num *out, uint64_t word, int coarse)
{
    const uint64_t half = UINT64_C(1) << 63, width = UINT64_C(1) << coarse;
    word = word >> coarse << coarse;
    arb_set_ui(out, word >= half ? 2 * (word - half) + width : 2 * (half - word) - width);
    if (word < half)
        arb_neg(out, out);
    mag_set_ui(arb_radref(out), width);
}

/* A point (a, b) of the disc of radius 2^64, the first of the square's that is in it, and its square: false where
 * that is not known. */
static bool draw_point(num *a, num *b, num *square, const sample *s, uint64_t draw, int64_t place)
{
    num limit = {0};
    arb_set_si(&limit, 1);
    arb_mul_2exp_si(&limit, &limit, 128);
    for (uint32_t try = 0;; try++) {
        uint64_t word[2];
        draw_words(word, s->key, draw, place, try);
        set_centred(a, word[0], s->c->limits->coarse);
        set_centred(b, word[1], s->c->limits->coarse);
        arb_mul(square, a, a, PRECISION);
        arb_addmul(square, b, b, PRECISION);
        if (!arb_gt(square, &limit))
            return arb_lt(square, &limit);
    }
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The squares of the radii of the pairs of coordinates: what uniform numbers cut the unit into. */
static void draw_cuts(sample *s, uint64_t draw)
{
    uint64_t word[2];
    for (int64_t k = 0; k < s->pairs - 1; k++) {
        if (k % 2 == 0)
            draw_words(word, s->key, draw, k / 2, UINT32_MAX);
        s->cut[k] = word[k % 2] >> s->c->limits->coarse << s->c->limits->coarse;
    }
    qsort(s->cut, (size_t)(s->pairs - 1), sizeof *s->cut, by_value);
    s->cut[s->pairs - 1] = 0; /* 2^64 */
}

/* A direction: whether all of it is known. */
static bool draw_direction(sample *s, uint64_t draw)
{
    num a = {0}, b = {0}, square = {0}, radius = {0};
    draw_cuts(s, draw);
    for (int64_t j = 0; j < s->pairs; j++) {
        if (!draw_point(&a, &b, &square, s, draw, j))
            return false;
        arb_set_ui(&radius, s->cut[j] - (j ? s->cut[j - 1] : 0)); /* modulo 2^64 */
        mag_set_ui(arb_radref(&radius), UINT64_C(1) << s->c->limits->coarse);
        if (s->pairs == 1)
            arb_set_si(&radius, 1);
        arb_div(&radius, &radius, &square, PRECISION);
        arb_sqrt(&radius, &radius, PRECISION);
        arb_mul(s->u + 2 * j, &radius, &a, PRECISION);
        arb_mul(s->u + 2 * j + 1, &radius, &b, PRECISION);
    }
    return true;
}

/* Which rows the direction opens, and S(u), S(-u): whether all signs are known. */
static bool open_rows(sample *s)
{
    const dataset *a = &s->c->data;
    num t = {0};
    for (int64_t l = 0; l < 2 * s->d; l++)
        arb_zero(s->sum + l);
    for (int64_t i = 0; i < s->n; i++) {
        arb_dot(&t, NULL, 0, a->point + i * (a->d + 1), 1, s->u, 1, s->d, PRECISION);
        if (!arb_is_positive(&t) && !arb_is_negative(&t))
            return false;
        s->open[i] = (unsigned char)arb_is_positive(&t);
        num *sum = s->sum + (s->open[i] ? 0 : s->d);
        for (int64_t l = 0; l < s->d; l++)
            arb_add(sum + l, sum + l, s->weighted + i * s->d + l, PRECISION);
    }
    return true;
}

/* capital *= 1 + stake * gain. */
static void bet(num *capital, const num *stake, const num *gain)
{
    num factor = {0};
    arb_mul(&factor, stake, gain, PRECISION);
    arb_add_si(&factor, &factor, 1, PRECISION);
    arb_mul(capital, capital, &factor, PRECISION);
}

/* X and all W_i of the direction at hand. */
static void bet_on_draw(sample *s)
{
    const dataset *a = &s->c->data;
    num square = {0}, root = {0}, inverse[2] = {0}, value = {0}, t = {0};
    for (int side = 0; side < 2; side++) {
        const num *sum = s->sum + side * s->d;
        arb_dot(&square, NULL, 0, sum, 1, sum, 1, s->d, PRECISION);
        arb_sqrtpos(&root, &square, PRECISION);
        arb_add(&value, &value, &root, PRECISION);
        arb_submul(&value, s->slope, &square, PRECISION);
        arb_add(&square, &square, &s->mu_square, PRECISION);
        arb_rsqrt(inverse + side, &square, PRECISION);
    }
    arb_mul_2exp_si(&value, &value, -1);
    arb_sub(&value, s->goal, &value, PRECISION);
    bet(s->capital, s->stake, &value);
    for (int64_t i = 0; i < s->n; i++) {
        const int side = !s->open[i];
        arb_dot(&value, NULL, 0, a->point + i * (a->d + 1), 1, s->sum + side * s->d, 1, s->d, PRECISION);
        arb_mul_2exp_si(&value, &value, -1);
        if (num_sign(a->y[i]) < 0)
            arb_neg(&value, &value);
        arb_sub(&t, inverse + side, s->slope + 1 + i, PRECISION);
        arb_mul(&value, &value, &t, PRECISION);
        arb_sub(&value, &value, s->goal + 1 + i, PRECISION);
        bet(s->capital + 1 + i, s->stake + 1 + i, &value);
    }
}

/* rho: no S is longer, as <v, S> <= sum_i q_i max(0, <v, z_i>) for every v. */
static num reach(const sample *s)
{
    const dataset *a = &s->c->data;
    num total = {0}, *sum = s->sum;
    for (int64_t i = 0; i < s->n; i++) {
        num_add_to(&total, num_norm(s->weighted + i * s->d, s->d));
        for (int64_t l = 0; l < a->d; l++)
            num_add_to(sum + l, s->weighted[i * s->d + l]);
    }
    return num_div(num_add(total, num_norm(sum, s->d)), num_real(2));
}

/* The goals M = U sum q - B q'Kq and L - b_i (Kq)_i, and the least factors: X <= rho and 1 / 4B, W_i >= -|x_i| max(1,
 * b_i rho) / 2. */
static void set_goals(sample *s)
{
    const dataset *a = &s->c->data;
    const num rho = reach(s), one = num_real(1), half = num_real(0.5), *claimed = s->c->claimed;
    num total = {0}, form = {0}, top = rho;
    for (int64_t i = 0; i < s->n; i++) {
        num row = {0}, low = {0};
        check_work(s->c, 100 * (double)s->n);
        for (int64_t k = 0; k < s->n; k++)
            num_mul_to(&row, num_mul(s->q[k], num_mul(a->y[i], a->y[k])), check_kernel(s->c, i, k));
        num_add_to(&total, s->q[i]);
        num_mul_to(&form, s->q[i], row);
        s->goal[1 + i] = num_add(claimed[1], num_times(num_mul(s->slope[1 + i], row), -1));
        num most = num_mul(s->slope[1 + i], rho);
        arb_max(&most, &most, &one, PRECISION);
        low = num_mul(half, num_mul(num_norm(a->point + i * (a->d + 1), s->d), most));
        s->worst[1 + i] = num_sub(one, num_mul(s->stake[1 + i], num_add(low, s->goal[1 + i])));
    }
    if (num_sign(*s->slope) > 0) {
        const num peak = num_div(one, num_times(*s->slope, 4));
        arb_min(&top, &top, &peak, PRECISION);
    }
    *s->goal = num_sub(num_mul(claimed[0], total), num_mul(*s->slope, form));
    *s->worst = num_add(one, num_mul(*s->stake, num_sub(*s->goal, top)));
    for (int64_t k = 0; k <= s->n; k++) {
        arb_set_round(s->goal + k, s->goal + k, PRECISION);
        arb_set_round(s->worst + k, s->worst + k, PRECISION);
        need(s->c, num_at_most(num_real(0), s->worst[k]), "stake %lld (from 0) may be lost, and more",
             (long long)k);
        s->capital[k] = one;
    }
}

/* mu and q, slopes and stakes: what stands above the draws. */
static void read_sample(sample *s, check *c)
{
    const dataset *a = &c->data;
    const num *weights = check_numbers(c, "weights", a->n + 1);
    *s = (sample){.c = c, .n = a->n, .d = a->d, .pairs = (a->d + 1) / 2};
    bool some = false, proper = num_sign(*weights) > 0;
    s->q = weights + 1;
    s->slope = check_numbers(c, "slopes", a->n + 1);
    s->stake = check_numbers(c, "stakes", a->n + 1);
    s->weighted = check_alloc(c, a->n * a->d, sizeof(num));
    s->goal = check_alloc(c, 3 * (a->n + 1), sizeof(num));
    s->worst = s->goal + a->n + 1;
    s->capital = s->worst + a->n + 1;
    s->u = check_alloc(c, 2 * s->pairs + 2 * a->d, sizeof(num));
    s->sum = s->u + 2 * s->pairs;
    s->cut = check_alloc(c, s->pairs, sizeof *s->cut);
    s->open = check_alloc(c, a->n, 1);
    arb_mul(&s->mu_square, weights, weights, PRECISION);
    for (int64_t i = 0; i < a->n; i++) {
        bool zero = true;
        some = some || num_sign(s->q[i]) > 0;
        proper = proper && num_sign(s->q[i]) >= 0;
        for (int64_t l = 0; l < a->d; l++) {
            const num x = a->point[i * (a->d + 1) + l];
            s->weighted[i * a->d + l] = num_mul(num_mul(s->q[i], a->y[i]), x);
            zero = zero && num_sign(x) == 0;
        }
        need(c, !zero, "row %lld (from 0) is 0", (long long)i);
    }
    for (int64_t k = 0; k <= a->n; k++)
        proper = proper && num_sign(s->slope[k]) >= 0 && num_sign(s->stake[k]) >= 0;
    need(c, some && proper, "weights, slopes or stakes are negative, or all weights are 0, or mu is");
}

/* The key: the first 64 bits of the SHA-256 of all lines up to and with the current one. */
static void set_key(sample *s)
{
    char hex[65], word[9] = "";
    check_sha256(hex, (const unsigned char *)s->c->original, s->c->rest - s->c->text);
    for (int k = 0; k < 2; k++) {
        memcpy(word, hex + 8 * k, 8);
        s->key[k] = (uint32_t)strtoul(word, NULL, 16);
    }
}

void check_claim_sampled(check *c)
{
    sample s;
    claim *q = c->claim;
    check_signs(c);
    need(c, c->data.bias != BIAS_FREE, "this margin is one of networks without free biases");
    read_sample(&s, c);
    q->seed = check_integer(c, "draws", 0, INT64_C(1) << 53);
    const num confidence = *check_numbers(c, NULL, 1), left = num_sub(num_real(1), confidence);
    need(c, num_sign(confidence) > 0 && num_sign(left) > 0, "a probability is between 0 and 1");
    q->confidence = num_end(confidence, -1);
    q->units = check_integer(c, NULL, 1, INT64_C(1) << 40);
    check_end(c);
    set_key(&s);
    check_bounds(c, "sampled");
    check_end(c);
    need(c, num_sign(c->claimed[1]) >= 0, "a margin is at least 0");
    check_work(c, 4 * (double)q->units * (double)(s.n + 2) * (double)(s.d + 2)); /* two words each */
    set_goals(&s);
    for (int64_t k = 0; k < q->units; k++) {
        if (draw_direction(&s, (uint64_t)k) && open_rows(&s)) {
            bet_on_draw(&s);
            continue;
        }
        q->unclear++;
        for (int64_t i = 0; i <= s.n; i++)
            arb_mul(s.capital + i, s.capital + i, s.worst + i, PRECISION);
    }
    const num enough = num_div(num_real(2), left);
    const bool trivial = num_sign(c->claimed[1]) == 0; /* no margin is below 0 */
    for (int64_t k = 0; k <= (trivial ? 0 : s.n); k++)
        need(c, num_at_most(enough, s.capital[k]), "the draws do not prove %s",
             k ? "that a row has the lower bound" : "the upper bound");
    check_bound(c, 1, c->claimed[0], "the draws give");
    check_bound(c, -1, c->claimed[1], "the draws give");
    q->weak = WEAK_CHANCE;
}
