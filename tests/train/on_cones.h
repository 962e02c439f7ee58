/* SPDX-License-Identifier: Apache-2.0 */
/* Data, options and the check of patterns that the tests of training on cones share. */
#ifndef FATHOM_TEST_ON_CONES_H
#define FATHOM_TEST_ON_CONES_H

#include <string.h>

#include "fathom/train.h"
#include "random.h"
#include "testing.h"

/* The generator of the oracles: sums of twelve uniforms. */
static inline double draw(uint64_t *s)
{
    double sum = 0;
    for (int k = 0; k < 12; k++) {
        *s = *s * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*s >> 11) * 0x1p-53;
    }
    return sum - 6;
}

typedef struct instance {
    int64_t n, d;
    double *x, *y, *weight;
    fathom_context *context;
    fathom_data *data;
} instance;

static inline void open_instance(instance *s, int64_t n, int64_t d, uint64_t seed, bool classes,
                                 bool weighted, const fathom_data_options *options)
{
    *s = (instance){.n = n, .d = d};
    s->x = malloc((size_t)(n * d) * sizeof(double));
    s->y = malloc((size_t)n * sizeof(double));
    for (int64_t k = 0; k < n * d; k++)
        s->x[k] = draw(&seed);
    for (int64_t k = 0; k < n; k++) {
        s->y[k] = draw(&seed);
        if (classes)
            s->y[k] = s->y[k] > 0 ? 1 : -1;
    }
    if (weighted) {
        s->weight = malloc((size_t)n * sizeof(double));
        for (int64_t i = 0; i < n; i++)
            s->weight[i] = 0.5 + fathom_random_uniform(11, FATHOM_STREAM_SAMPLE, 0, (uint64_t)i);
    }
    assert_ok(NULL, fathom_context_create(&s->context, NULL));
    fathom_context_set_threads(s->context, 1);
    assert_ok(s->context,
              fathom_data_create(&s->data, s->context, n, d, s->x, d, 1, s->y, s->weight, options));
}

static inline void close_instance(instance *s)
{
    fathom_data_free(s->data);
    fathom_context_free(s->context);
    free(s->x);
    free(s->y);
    free(s->weight);
}

static inline fathom_train_options cone_options(fathom_train_loss loss, double beta, const char *gates)
{
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    options.method = FATHOM_TRAIN_GATES;
    options.loss = (int)loss;
    options.beta = beta;
    options.gates = gates;
    return options;
}

/* On sampled gates every neuron opens as one of them says, up to rows on which it vanishes. */
static inline void check_patterns(const instance *s, const fathom_train_result *result,
                                  const fathom_gates_view *view)
{
    const fathom_net_weights net = fathom_net_lend(result->net);
    for (int64_t j = 0; j < result->neurons; j++) {
        bool found = false;
        for (int64_t g = 0; g < view->m && !found; g++) {
            found = true;
            for (int64_t i = 0; i < s->n && found; i++) {
                double t = 0, size = 0;
                for (int64_t k = 0; k < s->d; k++) {
                    t += net.u[j * s->d + k] * s->x[i * s->d + k];
                    size += s->x[i * s->d + k] * s->x[i * s->d + k];
                }
                const bool open = (view->bits[g * view->words + i / 64] >> (i % 64)) & 1;
                found = fabs(t) <= 1e-9 * sqrt(size) || open == (t > 0);
            }
        }
        assert_true(found);
    }
}

#endif
