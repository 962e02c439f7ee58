/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [002, App. A]: on x' = (x, 1)/sqrt 2 without biases, V' = sqrt 2 (V, b) and steps 2 alpha make the same run, step by step.
 *
 * In exact arithmetic; in double the two runs round differently, and where a step is so large that they part from each other as runs from
 * starts 2^-44 apart do, their difference says nothing.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "theorem_internal.h"

/* ln R_t of two runs, at the same t. */
enum { RECORDS = 4096 };
typedef struct course {
    double log_loss[RECORDS];
    int count;
} course;

static void note_loss(void *user, const fathom_flow_record *r)
{
    course *c = user;
    if (c->count < RECORDS)
        c->log_loss[c->count++] = r->log_loss;
}

/* x' = (x, 1)/sqrt 2 with the same labels. */
static fathom_status reduce_data(fathom_data **data, double **x, const theorem_run *run)
{
    const int64_t d = run->d + 1;
    *x = fathom_memory_alloc(run->context, run->n * d, sizeof **x);
    if (!*x)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < run->n * d; k++)
        (*x)[k] = (k % d < run->d ? run->x[k / d * run->d + k % d] : 1) / sqrt(2);
    return fathom_data_create(data, run->context, run->n, d, *x, d, 1, run->y, NULL, NULL);
}

/* V' = sqrt 2 (V, b), without biases. */
static fathom_status reduce_net(fathom_net **net, const theorem_run *run, fathom_net *from)
{
    fathom_net_shape shape = fathom_net_look(from);
    const int64_t d = shape.d++;
    shape.hidden_bias = false;
    FATHOM_TRY(fathom_net_create(net, run->context, &shape));
    const fathom_net_weights to = fathom_net_lend(*net), w = fathom_net_lend(from);
    for (int64_t j = 0; j < shape.m; j++) {
        for (int64_t k = 0; k <= d; k++)
            to.u[j * (d + 1) + k] = sqrt(2) * (k < d ? w.u[j * d + k] : w.b[j]);
        to.w[j] = w.w[j];
    }
    return FATHOM_OK;
}

/* --until for the reduced run, whose time passes twice as fast and whose weights are sqrt 2 times as far
 * apart. */
static fathom_status reduce_until(char **out, const theorem_run *run, const char *until)
{
    size_t used = 0, name, room = 64;
    for (const char *at = until; *at; at = theorem_constant_next(at))
        room += strcspn(at, ",") + 32;
    *out = fathom_memory_zero(run->context, (int64_t)room, 1);
    for (const char *at = until; *out && *at; at = theorem_constant_next(at)) {
        double value;
        const int length = (int)strcspn(at, ",");
        const bool number = theorem_constant_read(at, &name, &value),
                   time = number && name == 4 && strncmp(at, "time", name) == 0,
                   far = number && name == 8 && strncmp(at, "distance", name) == 0;
        const char *comma = used > 0 ? "," : "";
        used += (size_t)(time || far ? snprintf(*out + used, room - used, "%s%.*s=%.17g", comma, (int)name,
                                                at, value * (time ? 2 : sqrt(2)))
                                     : snprintf(*out + used, room - used, "%s%.*s", comma, length, at));
    }
    return *out ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* |V' - sqrt 2 (V, b)| / |V'| of the ends of both runs. */
static double distance_of(fathom_net *full, fathom_net *reduced)
{
    const fathom_net_shape shape = fathom_net_look(full);
    const fathom_net_weights w = fathom_net_lend(full), v = fathom_net_lend(reduced);
    const int64_t d = shape.d;
    double sum = 0;
    for (int64_t j = 0; j < shape.m; j++)
        for (int64_t k = 0; k <= d; k++) {
            const double e = v.u[j * (d + 1) + k] - sqrt(2) * (k < d ? w.u[j * d + k] : w.b[j]);
            sum += e * e;
        }
    return sqrt(sum) / fathom_blas_norm(v.u, shape.m * (d + 1));
}

static const double same = 1e-9; /* runs that differ by less are one */

/* Largest |ln R'_t - ln R_t| over 1 + |ln R_t|; NaN where the runs have not the same records. */
static double difference_of(const course *one, const course *other)
{
    double worst = one->count == other->count ? 0 : NAN;
    for (int k = 0; k < one->count && k < other->count; k++)
        worst = fmax(worst, fabs(one->log_loss[k] - other->log_loss[k]) / (1 + fabs(one->log_loss[k])));
    return one->count == other->count ? worst : NAN;
}

/* Both runs as they ended. `wild`: rounding alone may have parted them. */
static void compare_reduced(theorem_run *run, double worst, double distance, bool wild, const double *x)
{
    static const char *const parted = "a start that differs by 2^-44 ends as far away: rounding decides";
    const int64_t n = run->n, d = run->d + 1;
    double least = INFINITY, norm = 0;
    for (int64_t s = 0; s < n; s++) {
        norm = fmax(norm, fabs(fathom_blas_norm(x + s * d, d) - 1));
        for (int64_t q = 0; q < s; q++)
            least = fmin(least, fathom_blas_dot(x + s * d, x + q * d, d));
    }
    theorem_compare(run, "largest |ln R'_t - ln R_t| / (1 + |ln R_t|)", worst, "<=", same);
    theorem_soften(run, wild, parted);
    theorem_compare(run, "|V'_t - sqrt 2 (V_t, b_t)| / |V'_t| at the end", distance, "<=", same);
    theorem_soften(run, wild, parted);
    theorem_compare(run, "largest ||x'_s| - 1|", norm, "<=", 1e-12);
    theorem_compare(run, "least <x'_s, x'_q>", n > 1 ? least : 0, ">=", -1e-12);
}

/* One run: `net` NULL: as the options say. The result keeps its network. */
static fathom_status run_const(fathom_flow_result *result, course *c, theorem_run *run, fathom_data *data,
                               fathom_flow_options options, fathom_net *net, double step)
{
    char text[64];
    fathom_data *const own = run->data;
    snprintf(text, sizeof text, "const:%.17g", step);
    options.step = text;
    run->data = data;
    const fathom_status status = theorem_flow(result, run, &options, net, note_loss, c);
    run->data = own;
    return status;
}

/* |V - W| / |V| of the hidden layers of two networks. */
static double apart(fathom_net *one, fathom_net *other)
{
    const fathom_net_shape shape = fathom_net_look(one);
    const fathom_net_weights v = fathom_net_lend(one), w = fathom_net_lend(other);
    double sum = 0, size = 0;
    for (int64_t k = 0; k < shape.m * shape.d; k++)
        sum += (v.u[k] - w.u[k]) * (v.u[k] - w.u[k]), size += v.u[k] * v.u[k];
    for (int64_t j = 0; j < shape.m; j++)
        sum += (v.b[j] - w.b[j]) * (v.b[j] - w.b[j]), size += v.b[j] * v.b[j];
    return sqrt(sum / size);
}

/* Whether the run of `end`, begun 2^-44 away (in directions that alternate), parts from it as far as tells
 * two runs apart. */
static fathom_status find_wild(bool *wild, const course *c, fathom_net *end, theorem_run *run,
                               fathom_flow_options options, fathom_net *start, double step)
{
    const fathom_net_shape shape = fathom_net_look(start);
    const fathom_net_weights w = fathom_net_lend(start);
    fathom_flow_result other = {0};
    course *moved = fathom_memory_zero(run->context, 1, sizeof *moved);
    if (!moved)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < shape.m * shape.d; k++)
        w.u[k] *= 1 + (k % 2 ? -0x1p-44 : 0x1p-44);
    const fathom_status status = run_const(&other, moved, run, run->data, options, start, step);
    if (status == FATHOM_OK) {
        const double loss = difference_of(c, moved), far = apart(end, other.net);
        *wild = !(loss < same && far < same);
    }
    fathom_flow_result_clear(&other);
    fathom_memory_free(run->context, moved);
    return status;
}

fathom_status theorem_check_002_a(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "huber", 200, "steps=100");
    const double given = run->options->step,
                 step = isnan(given) ? pow(2 * (double)options.width, -0.75) : given;
    fathom_flow_result start = {0}, end[2] = {{0}, {0}};
    fathom_data *data = NULL;
    fathom_net *net = NULL;
    double *x = NULL, distance = NAN;
    bool wild = false;
    char *until = NULL;
    course *c = fathom_memory_zero(run->context, 2, sizeof *c);
    fathom_flow_options none = options;
    none.until = "steps=0";
    fathom_status status = c ? reduce_data(&data, &x, run) : FATHOM_ERROR_MEMORY;
    if (isnan(given))
        theorem_say(run, "steps of %.6g, and of %.6g for the reduced network", step, 2 * step);
    FATHOM_THEN(status, theorem_flow(&start, run, &none, NULL, NULL, NULL));
    FATHOM_THEN(status, reduce_net(&net, run, start.net));
    FATHOM_THEN(status, run_const(&end[0], &c[0], run, run->data, options, start.net, step));
    FATHOM_THEN(status, reduce_until(&until, run, options.until));
    fathom_flow_options reduced = options;
    reduced.hidden_bias = 1, reduced.init = NULL, reduced.until = until;
    FATHOM_THEN(status, run_const(&end[1], &c[1], run, data, reduced, net, 2 * step));
    if (status == FATHOM_OK) {
        const double worst = difference_of(&c[0], &c[1]);
        if (end[0].end.steps == end[1].end.steps) /* states of different steps are not to be compared */
            distance = distance_of(end[0].net, end[1].net);
        if (!run->broken && (worst > same || distance > same))
            status = find_wild(&wild, &c[0], end[0].net, run, options, start.net, step);
        compare_reduced(run, worst, distance, wild, x);
    }
    fathom_flow_result_clear(&start);
    fathom_flow_result_clear(&end[0]);
    fathom_flow_result_clear(&end[1]);
    fathom_net_free(net);
    fathom_data_free(data);
    FATHOM_FREE(run->context, until, x, c);
    return status;
}
