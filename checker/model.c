/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --model FILE: is the network that a claim lists that of a model file (docs/reference/networks.md), number by number?
 *
 *     relu:   W (m x outputs), U (m x d), b (m) where biases are free, c (outputs)
 *     gated:  W (m x outputs x d), c, and V (m x d), which open the points that the listed gates open
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

typedef struct model {
    const member *list;
    int64_t count;
    double *u, *w, *b, *c;
} model;

static const member *find(const model *m, const char *key)
{
    for (int64_t k = 0; k < m->count; k++)
        if (strcmp(m->list[k].key, key) == 0)
            return m->list + k;
    return NULL;
}

static void need_word(check *c, const model *m, const char *key, const char *word)
{
    const member *at = find(m, key);
    need(c, at && strcmp(at->value, word) == 0, "the model's %s is %.40s, the certificate's is %s", key,
         at ? at->value : "missing", word);
}

/* The numbers of a member, however they are nested; there must be `count` of them. */
static double *numbers(check *c, const model *m, const char *key, int64_t count)
{
    const member *at = find(m, key);
    const char *text = at ? at->value : "";
    double *out = check_alloc(c, count, sizeof *out);
    int64_t k = 0;
    for (text += strspn(text, "[], \t\r\n"); *text; text += strspn(text, "[], \t\r\n")) {
        const size_t size = strspn(text, "+-0123456789.eE");
        char *end;
        const double value = strtod(text, &end);
        need_data(c, size > 0 && end == text + size && isfinite(value),
                  "the model's %s holds something other than numbers", key);
        if (k < count)
            out[k] = value;
        k++, text = end;
    }
    need(c, k == count, "the model's %s has %lld numbers, the certificate's has %lld", key, (long long)k,
         (long long)count);
    return out;
}

static bool same(const num *listed, const double *value, int64_t count)
{
    bool equal = true;
    for (int64_t k = 0; k < count; k++) {
        const num exact = num_real(value[k]);
        equal = equal && arb_equal(listed + k, &exact);
    }
    return equal;
}

/* Whether orientation v opens the points that gate g opens. */
static bool opens(const check *c, const double *v, int64_t g)
{
    const dataset *a = &c->data;
    bool equal = true;
    for (int64_t i = 0; i < a->n; i++) {
        num h = {0};
        for (int64_t k = 0; k < a->d; k++)
            num_mul_to(&h, a->point[i * (a->d + 1) + k], num_real(v[k]));
        equal = equal && (num_sign(h) > 0) == c->gates.open[g * a->n + i];
    }
    return equal;
}

static bool same_neuron(const check *c, const claim *q, const model *m, int64_t j)
{
    const int64_t d = c->data.d, o = c->data.outputs;
    const num *listed = q->neuron[j];
    if (q->gated && q->kind == CLAIM_TRAIN)
        return same(listed, m->w + j * o * d, o * d) && opens(c, m->u + j * d, q->gate[j]);
    return same(listed, m->w + j * o, o) && same(listed + o, m->u + j * d, d) &&
           (!m->b || same(listed + o + d, m->b + j, 1));
}

static void compare(check *c, claim *q, model *m)
{
    const int64_t d = c->data.d, o = c->data.outputs, n = q->neurons;
    const bool limit = q->kind == CLAIM_LIMIT, gated = q->gated && !limit;
    need_word(c, m, "kind", gated ? "gated" : limit && q->evidence ? "leaky" : "relu");
    m->w = numbers(c, m, "W", gated ? n * o * d : n * o);
    m->u = numbers(c, m, gated ? "V" : "U", n * d);
    m->b = !gated && c->data.bias == BIAS_FREE ? numbers(c, m, "b", n) : NULL;
    m->c = numbers(c, m, "c", o);
    for (int64_t j = 0; j < n; j++)
        need(c, same_neuron(c, q, m, j), "neuron %lld (from 0) of the model is not the one that is listed",
             (long long)j);
    need(c, same(q->constant, m->c, o), "the model's constant is not the one that is listed");
}

void check_model(check *c, const char *bytes, int64_t size)
{
    static const char *const normalizations[] = {"none", "unit", "standardize"};
    static const char *const biases[] = {"none", "augment", "free"};
    model m = {0}, steps = {0};
    claim *q = c->claims;
    m.list = check_json(c, bytes, size, &m.count, "the model");
    const member *at = find(&m, "preprocess");
    need_data(c, at, "the model has no member 'preprocess'");
    steps.list = check_json(c, at->value, at->size, &steps.count, "the model's preprocess");
    need(c, (q->kind == CLAIM_TRAIN || q->kind == CLAIM_LIMIT) && !q->next,
         "a model is compared with the one network of a certificate");
    need_word(c, &steps, "normalize", normalizations[c->data.normalize]);
    need_word(c, &steps, "bias", biases[c->data.bias]);
    compare(c, q, &m);
    q->is_model = true;
}
