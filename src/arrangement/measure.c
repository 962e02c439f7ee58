/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian measures of cones: which method, intervals, and what the measures say of themselves.
 *
 * Deterministic where the rank of the points is at most 5 and no more than RAYS sets of hyperplanes have to be looked at;
 * great circles otherwise. An interval from N circles for a cone with mean share s: the p with
 *     N kl(s | p) <= ln(2 / (1 - confidence)),   kl(s | p) = s ln(s/p) + (1-s) ln((1-s)/(1-p)),
 * valid for the mean of N independent variables in [0, 1] [Chernoff, Hoeffding]; each cone by itself.
 *
 * Checks: sum_j P(C_j) = 1; P(C) = P(-C); sum_j P(C_j) 1[i in C_j] 1[k in C_j] = (pi - angle_ik) / (2 pi), the kernel
 * rebuilt from cones [000, Thm 4.2], over all pairs of points or as many as cost PAIR_WORK operations. Deterministic measures
 * that fail one of them by more than their errors are not given.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "gates_internal.h"
#include "interval.h"
#include "measure_internal.h"
#include "memory.h"

#define PI 3.14159265358979323846
#define RAYS 4e6
#define PAIR_WORK 2e8

#define OWNER fathom_measure_options
static const fathom_option rows_of_options[] = {FATHOM_MEASURE_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_measure_option_table =
    FATHOM_OPTION_TABLE("Measure", rows_of_options, fathom_measure_options);

enum { METHOD_AUTO, METHOD_EXACT, METHOD_SAMPLE };

struct fathom_measure {
    fathom_context *context;
    fathom_measure_view view;
    double *value, *lower, *upper, *log_value;
};

void fathom_measure_free(fathom_measure *measure)
{
    if (!measure)
        return;
    FATHOM_FREE(measure->context, measure->value, measure->lower, measure->upper, measure->log_value,
                measure);
}

fathom_measure_view fathom_measure_look(const fathom_measure *measure)
{
    fathom_measure_view view = measure->view;
    view.value = measure->value;
    view.lower = measure->lower;
    view.upper = measure->upper;
    view.log_value = measure->log_value;
    return view;
}

static fathom_status create(fathom_measure **measure, fathom_context *context, int64_t m)
{
    fathom_measure *out = fathom_memory_zero(context, 1, sizeof *out);
    *measure = out;
    if (!out)
        return FATHOM_ERROR_MEMORY;
    out->context = context;
    out->view.m = m;
    out->value = fathom_memory_zero(context, m, sizeof *out->value);
    out->lower = fathom_memory_zero(context, m, sizeof *out->lower);
    out->upper = fathom_memory_zero(context, m, sizeof *out->upper);
    out->log_value = fathom_memory_alloc(context, m, sizeof *out->log_value);
    return out->value && out->lower && out->upper && out->log_value ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* Values of cells to values of gates. */
static void spread(fathom_measure *out, const measure_planes *planes, const measure_result *cells)
{
    for (int64_t j = 0; j < out->view.m; j++) {
        const int64_t cell = planes->cell[j];
        const double value = cell < 0 ? 0 : cells->value[cell], error = cell < 0 ? 0 : cells->error[cell];
        out->value[j] = value;
        out->lower[j] = fmax(0, (value - error) * (1 - 0x1p-52));
        out->upper[j] = fmin(1, (value + error) * (1 + 0x1p-52));
    }
}

static fathom_status measure_exactly(fathom_measure *out, const measure_planes *planes)
{
    measure_result cells = {fathom_memory_zero(out->context, planes->m, sizeof(double)),
                            fathom_memory_zero(out->context, planes->m, sizeof(double))};
    fathom_status status = cells.value && cells.error ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK)
        status =
            planes->r <= 2 ? fathom_measure_arcs(&cells, planes) : fathom_measure_simplices(&cells, planes);
    if (status == FATHOM_OK)
        spread(out, planes, &cells);
    out->view.method = planes->r <= 2 ? "arcs" : planes->r == 3 ? "polygons" : "simplices";
    out->view.exact = true;
    out->view.confidence = 1;
    FATHOM_FREE(out->context, cells.value, cells.error);
    return status;
}

/* s ln(s/p) + (1-s) ln((1-s)/(1-p)). */
static double divergence(double s, double p)
{
    const double first = s > 0 ? s * log(s / p) : 0, second = s < 1 ? (1 - s) * (log1p(-s) - log1p(-p)) : 0;
    return first + second;
}

/* The end of { p : kl(s | p) <= level } on the side of `end` (0 or 1), by bisection in p, or in ln p below s. */
static double interval_end(double s, double level, bool upper)
{
    double inside = s, outside = upper ? 1 : s * exp(-level / fmax(s, 1e-300) - 1);
    if (!upper && s <= 0)
        return 0;
    for (int step = 0; step < 200 && fabs(outside - inside) > 1e-15 * inside; step++) {
        const double middle = upper ? 0.5 * (inside + outside) : sqrt(inside * outside);
        if (middle <= 0 || middle >= 1)
            return outside;
        *(divergence(s, middle) <= level ? &inside : &outside) = middle;
    }
    return outside;
}

static fathom_status measure_by_circles(fathom_measure *out, const fathom_data *data,
                                        const fathom_gates *gates, const fathom_measure_options *options)
{
    FATHOM_TRY(fathom_measure_circles(out->value, data, gates, options->samples, out->context));
    const double level = log(2 / (1 - options->confidence)) / (double)options->samples;
    for (int64_t j = 0; j < out->view.m; j++) {
        out->lower[j] = interval_end(out->value[j], level, false);
        out->upper[j] = interval_end(out->value[j], level, true);
    }
    out->view.method = "circles";
    out->view.exact = false;
    out->view.confidence = options->confidence;
    return FATHOM_OK;
}

/* Values and errors of cells; how far the sum of any of them, which are at most 1, may be from the truth. */
typedef struct checker {
    fathom_measure *out;
    const measure_planes *planes;
    double *value, *error, slack;
    bool all;    /* the cells are all cones */
    double most; /* the largest violation found, in excess of what errors explain; 0: none */
} checker;

static void expect(checker *c, double found, double least, double most, double error)
{
    const double excess = fmax(found - most, least - found) - error;
    c->most = excess > 0 ? fmax(c->most, excess) : c->most;
}

/* Largest difference between a cone and its mirror image, over hyperplanes. */
static void check_antipodes(checker *c, uint64_t *pattern)
{
    const measure_planes *planes = c->planes;
    fathom_measure_view *view = &c->out->view;
    for (int64_t j = 0; j < planes->m; j++) {
        for (int64_t w = 0; w < planes->words; w++)
            pattern[w] = ~planes->bits[j * planes->words + w];
        if (planes->p % 64)
            pattern[planes->words - 1] &= ((uint64_t)1 << (planes->p % 64)) - 1;
        const int64_t other = fathom_pattern_index_find(&planes->index, planes->bits, pattern);
        if (other <= j)
            continue;
        view->antipodal_pairs++;
        view->antipodal_difference = fmax(view->antipodal_difference, fabs(c->value[j] - c->value[other]));
        expect(c, c->value[j], c->value[other], c->value[other],
               (c->error[j] + c->error[other]) * (1 + 0x1p-50) + 0x1p-52 * c->value[j]);
    }
}

/* (pi - angle) / (2 pi) of two hyperplanes' normals; both hold the same points on their open side. */
static double closed_form(double *error, const measure_planes *planes, int64_t i, int64_t k)
{
    const fathom_integer *a = planes->normal + i * planes->r, *b = planes->normal + k * planes->r;
    fathom_integer product[3] = {0};
    fathom_integers_product(product, a, planes->covariance, a, planes->r);
    fathom_integers_product(product + 1, a, planes->covariance, b, planes->r);
    fathom_integers_product(product + 2, b, planes->covariance, b, planes->r);
    const double angle = fathom_plane_angle(error, product, product + 1, product + 2);
    fathom_integers_clear(product, 3);
    return 0.5 - angle;
}

/* The kernel rebuilt, over every stride-th pair of hyperplanes. */
static void check_kernel(checker *c)
{
    const measure_planes *planes = c->planes;
    fathom_measure_view *view = &c->out->view;
    const int64_t p = planes->p, pairs = p * (p + 1) / 2;
    const double most = fmax(1, PAIR_WORK / fmax(1, (double)planes->m));
    const int64_t stride = (int64_t)ceil((double)pairs / most);
    int64_t number = 0;
    for (int64_t i = 0; i < p; i++)
        for (int64_t k = i; k < p; k++) {
            if (number++ % stride != 0)
                continue;
            double sum = 0, error;
            for (int64_t j = 0; j < planes->m; j++) {
                const uint64_t *bits = planes->bits + j * planes->words;
                sum += fathom_pattern_bit(bits, i) && fathom_pattern_bit(bits, k) ? c->value[j] : 0;
            }
            const double exact = closed_form(&error, planes, i, k);
            view->kernel_difference = fmax(view->kernel_difference, fabs(sum - exact));
            view->kernel_pairs++;
            expect(c, sum, c->all ? exact : 0, exact, c->slack + error);
        }
}

/* Sum, logarithms, values of cells. */
static void gather(checker *c)
{
    fathom_measure *out = c->out;
    long double sum = 0;
    for (int64_t j = 0; j < out->view.m; j++) {
        const int64_t cell = c->planes->cell[j];
        sum += out->value[j];
        out->log_value[j] = log(out->value[j]);
        if (cell < 0)
            continue;
        c->value[cell] = out->value[j];
        c->error[cell] = fmax(out->upper[j] - out->value[j], out->value[j] - out->lower[j]);
        c->slack += c->error[cell];
    }
    c->slack = c->slack * (1 + 0x1p-40) + 0x1p-52 * (double)(c->planes->m + 4);
    out->view.sum = (double)sum;
    expect(c, out->view.sum, c->all ? 1 : 0, 1, c->slack);
}

/* What the measures say of themselves is part of what is claimed: where they contradict it by more than their errors, that is a
 * failure. Sampled ones are only described. */
static fathom_status check(fathom_measure *out, const measure_planes *planes, bool all)
{
    checker c = {.out = out, .planes = planes, .all = all};
    c.value = fathom_memory_zero(out->context, planes->m, sizeof *c.value);
    c.error = fathom_memory_zero(out->context, planes->m, sizeof *c.error);
    uint64_t *pattern = fathom_memory_zero(out->context, planes->words, sizeof *pattern);
    fathom_status status = c.value && c.error && pattern ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        gather(&c);
        check_antipodes(&c, pattern);
        check_kernel(&c);
    }
    if (c.most > 0 && out->view.exact)
        status = fathom_error_set(out->context, FATHOM_ERROR_RUNTIME,
                                  "the measures of the cones contradict one another by %.3g more than their "
                                  "errors: sum 1 %+.3g, mirror images %.3g, kernel %.3g",
                                  c.most, out->view.sum - 1, out->view.antipodal_difference,
                                  out->view.kernel_difference);
    FATHOM_FREE(out->context, c.value, c.error, pattern);
    return status;
}

/* Chooses the method and measures. */
static fathom_status measure_all(fathom_measure *out, const measure_planes *planes, const fathom_data *data,
                                 const fathom_gates *gates, const fathom_measure_options *options)
{
    const bool exact =
        planes->r <= MEASURE_RANK && (planes->r <= 2 || fathom_measure_ray_count(planes) <= RAYS);
    out->view.rank = planes->r;
    if (!exact && options->measure_method == METHOD_EXACT)
        return fathom_error_set(
            out->context, FATHOM_ERROR_USAGE,
            "points of rank %lld on %lld hyperplanes: the measures of their cones can only be "
            "sampled (rank at most %d, at most %g sets of hyperplanes)",
            (long long)planes->r, (long long)planes->p, MEASURE_RANK, RAYS);
    FATHOM_TRY(exact && options->measure_method != METHOD_SAMPLE
                   ? measure_exactly(out, planes)
                   : measure_by_circles(out, data, gates, options));
    for (int64_t j = 0; j < out->view.m; j++)
        FATHOM_TRY(
            fathom_interval_check(out->context, "the measure of a cone", out->lower[j], out->upper[j]));
    return check(out, planes, gates->parent != NULL);
}

/* Makes the measures the gates' weights. */
static fathom_status set_weights(fathom_gates *gates, const fathom_measure *measure)
{
    FATHOM_TRY(fathom_memory_grow(gates->context, (void **)&gates->weight, &gates->weight_capacity, gates->m,
                                  sizeof *gates->weight));
    if (gates->m > 0)
        memcpy(gates->weight, measure->value, (size_t)gates->m * sizeof *gates->weight);
    return FATHOM_OK;
}

fathom_status fathom_gates_measure(fathom_measure **measure, fathom_gates *gates, fathom_context *context,
                                   const fathom_data *data, const fathom_measure_options *options)
{
    fathom_measure_options defaults;
    measure_planes planes = {0};
    *measure = NULL;
    if (!options) {
        fathom_options_init(&defaults, &fathom_measure_option_table);
        options = &defaults;
    }
    fathom_status status = fathom_options_check(context, options, &fathom_measure_option_table);
    if (status == FATHOM_OK && gates->n != fathom_data_look(data).n)
        status = fathom_error_set(context, FATHOM_ERROR_USAGE, "the gates belong to other data");
    if (status != FATHOM_OK)
        return status;
    status = create(measure, context, gates->m);
    FATHOM_THEN(status, fathom_measure_planes_init(&planes, context, data, gates));
    FATHOM_THEN(status, measure_all(*measure, &planes, data, gates, options));
    FATHOM_THEN(status, set_weights(gates, *measure));
    if (planes.context)
        fathom_measure_planes_free(&planes);
    if (status != FATHOM_OK) {
        fathom_measure_free(*measure);
        *measure = NULL;
    }
    return status;
}
