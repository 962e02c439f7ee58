/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generated families with Gaussian noise. N(k) and U(k) are normal and uniform number k of a stream:
 *
 *   xor, shoulders  y_i = +1 where U(2i) < 1/2, component 0 where U(2i+1) < 1/2 (stream of labels);
 *                   x_ij = mean_j + sd N(2i + j) (stream of noise)
 *   gauss           x_ij = N(i d + j); y_i = N(i), the teacher, or a coin (stream of labels)
 *   twogauss        y_i = coin i; candidate c = 0, 1, ... of the whole set is y mu + sd N_c(0..d), sub-stream c
 *   mixture1d       x_i = mean_i + N(i) / 2
 */
#include <math.h>

#include "context_internal.h"
#include "generate_internal.h"
#include "memory.h"

/* Two labels with two components each: mean[label][component][coordinate], label 0 is +1. */
static fathom_status four_clusters(fathom_data *data, const generator_input *input,
                                   const double mean[2][2][2])
{
    const int64_t n = (int64_t)input->value[0];
    const double sd = input->value[1];
    FATHOM_TRY(fathom_data_shape(data, n, 2, 1));
    for (int64_t i = 0; i < n && !fathom_generate_late(data, i); i++) {
        double coin[2], noise[2];
        fathom_random_uniforms(coin, 2, input->seed, input->label, 0, 2 * (uint64_t)i);
        fathom_random_normals(noise, 2, input->seed, input->noise, 0, 2 * (uint64_t)i);
        const double *centre = mean[coin[0] < 0.5 ? 0 : 1][coin[1] < 0.5 ? 0 : 1];
        data->y[i] = coin[0] < 0.5 ? 1 : -1;
        for (int64_t j = 0; j < 2; j++)
            data->x[2 * i + j] = centre[j] + sd * noise[j];
    }
    return FATHOM_OK;
}

/* [002, Sec. 5]: opposite clusters share a label. */
fathom_status fathom_generate_xor(fathom_data *data, const generator_input *input)
{
    const double c = sqrt(0.5);
    const double mean[2][2][2] = {{{c, -c}, {-c, c}}, {{c, c}, {-c, -c}}};
    return four_clusters(data, input, mean);
}

/* [002, Sec. 5]: the positive clusters stand on both sides of a negative one. */
fathom_status fathom_generate_shoulders(fathom_data *data, const generator_input *input)
{
    const double c = sqrt(0.5);
    const double mean[2][2][2] = {{{1, 0}, {0, 1}}, {{c, c}, {-c, -c}}};
    return four_clusters(data, input, mean);
}

/* The teacher: k neurons u_j ~ N(0, I/d) (sub-stream 0, row by row) with output weights a_j ~ N(0, 1) (sub-stream 1). */
typedef struct teacher {
    int64_t d, k;
    double *u; /* k x d */
    double *a; /* k */
} teacher;

/* Independent of n, so that sets of every size follow one teacher up to the affine map below. */
static fathom_status draw_teacher(teacher *t, fathom_context *context, uint64_t seed)
{
    FATHOM_TRY(fathom_context_require(context, 8 * (double)t->k * (double)t->d, "the teacher"));
    t->u = fathom_memory_alloc(context, t->k * t->d, sizeof *t->u);
    t->a = fathom_memory_alloc(context, t->k, sizeof *t->a);
    if (!t->u || !t->a)
        return FATHOM_ERROR_MEMORY;
    fathom_random_normals(t->u, t->k * t->d, seed, FATHOM_STREAM_TEACHER, 0, 0);
    fathom_random_normals(t->a, t->k, seed, FATHOM_STREAM_TEACHER, 1, 0);
    for (int64_t l = 0; l < t->k * t->d; l++)
        t->u[l] /= sqrt((double)t->d);
    return FATHOM_OK;
}

/* sum_j a_j max(0, <u_j, x>), sums from left to right. */
static double teacher_output(const teacher *t, const double *x)
{
    double sum = 0;
    for (int64_t j = 0; j < t->k; j++) {
        double dot = 0;
        for (int64_t l = 0; l < t->d; l++)
            dot += t->u[j * t->d + l] * x[l];
        sum += dot > 0 ? t->a[j] * dot : 0;
    }
    return sum;
}

/* y_i = the teacher's output at x_i. */
static void ask_teacher(fathom_data *data, const teacher *t, int threads)
{
    const int64_t n = data->n, rows = 1024, blocks = (n + rows - 1) / rows;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t i = block * rows; i < n && i < (block + 1) * rows && !fathom_generate_late(data, i); i++)
            data->y[i] = teacher_output(t, data->x + i * t->d);
}

/* x (n x d) = normals 0 .. n d - 1 of the stream; rows are independent of each other, so that threads do not matter. */
static fathom_status fill_normals(double *x, int64_t n, int64_t d, uint64_t seed, fathom_stream stream,
                                  fathom_context *context)
{
    const int64_t rows = 1 + 65536 / (d + 1), blocks = (n + rows - 1) / rows;
    const int threads = fathom_threads_worth(32 * (double)n * (double)d, fathom_context_threads(context));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t i = block * rows; i < n && i < (block + 1) * rows; i++) {
            if (i == block * rows && fathom_context_overdue(context))
                break;
            fathom_random_normals(x + i * d, d, seed, stream, 0, (uint64_t)(i * d));
        }
    return fathom_context_overdue(context) ? fathom_context_late(context, "the drawing of data") : FATHOM_OK;
}

/* Mean and standard deviation (divisor n), two passes. */
static void moments(double *mean, double *sd, const double *y, int64_t n)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        sum += y[i];
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (y[i] - *mean) * (y[i] - *mean);
    *sd = sqrt(squares / (double)n);
}

/*
 * y = (teacher - mean) / sd + noise N(i). The mean and deviation are those of the teacher's outputs on the n points
 * of the first set, also for test=1, so that both sets follow the same function.
 */
static fathom_status teach(fathom_data *data, const generator_input *input, const teacher *t)
{
    const int64_t n = data->n, d = data->d;
    const int threads = fathom_context_threads(data->context);
    double mean, sd;
    if (input->noise != FATHOM_STREAM_DATA) {
        fathom_status status = fill_normals(data->x, n, d, input->seed, FATHOM_STREAM_DATA, data->context);
        ask_teacher(data, t, threads);
        moments(&mean, &sd, data->y, n);
        FATHOM_THEN(status, fill_normals(data->x, n, d, input->seed, input->noise, data->context));
        if (status != FATHOM_OK)
            return status;
        ask_teacher(data, t, threads);
    } else {
        ask_teacher(data, t, threads);
        moments(&mean, &sd, data->y, n);
    }
    for (int64_t i = 0; i < n; i++) {
        const double noise = fathom_random_normal(input->seed, input->label, 0, (uint64_t)i);
        data->y[i] = (data->y[i] - mean) / (sd > 0 ? sd : 1) + input->value[3] * noise;
    }
    return FATHOM_OK;
}

/* Keys: n, d, target, noise, k. */
fathom_status fathom_generate_gauss(fathom_data *data, const generator_input *input)
{
    enum { NORMAL, TEACHER, SIGN };
    const int64_t n = (int64_t)input->value[0], d = (int64_t)input->value[1];
    const int target = (int)input->value[2];
    FATHOM_TRY(fathom_data_shape(data, n, d, 1));
    FATHOM_TRY(fill_normals(data->x, n, d, input->seed, input->noise, data->context));
    fathom_status status = FATHOM_OK;
    if (target == TEACHER) {
        teacher t = {.d = d, .k = (int64_t)input->value[4]};
        status = draw_teacher(&t, data->context, input->seed);
        FATHOM_THEN(status, teach(data, input, &t));
        FATHOM_FREE(data->context, t.u, t.a);
        return status;
    }
    for (int64_t i = 0; i < n && !fathom_generate_late(data, i); i++)
        data->y[i] = target == NORMAL ? fathom_random_normal(input->seed, input->label, 0, (uint64_t)i)
                                      : fathom_random_sign(input->seed, input->label, 0, (uint64_t)i);
    return FATHOM_OK;
}

/* Two Gaussians at +-centre (d numbers, along the unit vector `axis`), kept where y <x, axis> >= gap. */
typedef struct gaussian_pair {
    const double *centre, *axis;
    double sd, gap;
} gaussian_pair;

/*
 * A candidate passes with probability Phi((<centre, axis> - gap) / sd). One in ten thousand is the least we wait for:
 * the cost is n / Phi draws.
 */
static fathom_status check_gap(fathom_context *context, const gaussian_pair *pair, double distance)
{
    const double pass =
        pair->sd > 0 ? erfc((pair->gap - distance) / pair->sd / sqrt(2)) / 2 : distance >= pair->gap;
    if (pass >= 1e-4)
        return FATHOM_OK;
    return fathom_error_set(
        context, FATHOM_ERROR_USAGE,
        "gap = %g is out of reach: with mean %g and sd %g a share of %.2g of the points has it", pair->gap,
        distance, pair->sd, pass);
}

/* Rows 0..n-1 of the data; candidates are numbered through the whole set. */
static fathom_status draw_pair(fathom_data *data, int64_t n, const gaussian_pair *pair,
                               const generator_input *input)
{
    const int64_t d = data->d;
    uint32_t candidate = 0;
    for (int64_t i = 0; i < n && !fathom_generate_late(data, candidate); candidate++) {
        double *x = data->x + i * d, along = 0;
        const double y = fathom_random_sign(input->seed, input->label, 0, (uint64_t)i);
        fathom_random_normals(x, d, input->seed, input->noise, candidate, 0);
        for (int64_t j = 0; j < d; j++) {
            x[j] = y * pair->centre[j] + pair->sd * x[j];
            along += x[j] * pair->axis[j];
        }
        data->y[i] = y;
        i += y * along >= pair->gap;
        if (candidate == UINT32_MAX)
            return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                    "gap: more than 2^32 draws were needed");
    }
    return FATHOM_OK;
}

/* Keys: n, d, mean, gap, sd. mu points along (1,..,1)/sqrt(d), against it for a negative mean. */
fathom_status fathom_generate_twogauss(fathom_data *data, const generator_input *input)
{
    const int64_t n = (int64_t)input->value[0], d = (int64_t)input->value[1];
    const double mean = input->value[2], c = fathom_generate_inverse_root((double)d);
    gaussian_pair pair = {.gap = input->value[3], .sd = input->value[4]};
    FATHOM_TRY(check_gap(data->context, &pair, fabs(mean)));
    FATHOM_TRY(fathom_data_shape(data, n, d, 1));
    double *centre = fathom_memory_alloc(data->context, d, sizeof *centre);
    double *axis = fathom_memory_alloc(data->context, d, sizeof *axis);
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (centre && axis) {
        for (int64_t j = 0; j < d; j++) {
            centre[j] = mean * c;
            axis[j] = mean < 0 ? -c : c;
        }
        pair.centre = centre;
        pair.axis = axis;
        status = draw_pair(data, n, &pair, input);
    }
    FATHOM_FREE(data->context, centre, axis);
    return status;
}

/* Keys: n, x, y. The outlier is the last row, n + 1 in all [004, Sec. 17]. */
fathom_status fathom_generate_outlier(fathom_data *data, const generator_input *input)
{
    const int64_t n = (int64_t)input->value[0];
    const gaussian_pair pair = {(const double[2]){2, 0}, (const double[2]){1, 0}, 0.4, 0.5};
    FATHOM_TRY(fathom_data_shape(data, n + 1, 2, 1));
    FATHOM_TRY(draw_pair(data, n, &pair, input));
    data->x[2 * n] = input->value[1];
    data->x[2 * n + 1] = input->value[2];
    data->y[n] = 1;
    return FATHOM_OK;
}

/* Point i has mean i mod 5 - 2 [001, Sec. 8]. */
fathom_status fathom_generate_mixture1d(fathom_data *data, const generator_input *input)
{
    static const double label[5] = {-1, 1, 1, -1, 1}; /* of the means -2, -1, 0, 1, 2 */
    const int64_t n = (int64_t)input->value[0];
    FATHOM_TRY(fathom_data_shape(data, n, 1, 1));
    FATHOM_TRY(fill_normals(data->x, n, 1, input->seed, input->noise, data->context));
    for (int64_t i = 0; i < n; i++) {
        data->x[i] = (double)(i % 5 - 2) + 0.5 * data->x[i];
        data->y[i] = label[i % 5];
    }
    return FATHOM_OK;
}
