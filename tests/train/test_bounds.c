/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small problems: the bound of global training is never above the value of any network, whoever finds it.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j |w_j||u_j|,   f_i = c + sum_j w_j relu(<u_j, x_i> + b_j)
 *
 * Losses squared, logistic, softmax, hinge, interpolation; sample weights; biases none, augment, free; several outputs; copies,
 * antipodes, zero rows, one class, n = 1, d > n, penalties beyond beta_max. The other side is written here and
 * shares nothing with the library:
 *
 *   - Adam on the non-convex problem, from random networks and from the library's own network, which it may only improve;
 *   - interpolation: the network that the targets were made with;
 *   - closed forms: one dimension without bias (each side of 0 is a convex problem in one number) and orthonormal rows.
 *
 * Objectives are recomputed from the network's weights. A certified run has both ends within its gap: strong duality.
 * FATHOM_TEST_EFFORT 34 makes the 10,000 problems of the suite `full`.
 */
#include "testing.h"

#include <stdbool.h>
#include <string.h>

#include "fathom/train.h"

enum { ROWS = 8, COLUMNS = 8, OUTPUTS = 3, WIDTH = 400, WIDE = COLUMNS + 1 + OUTPUTS };
enum {
    SQ = FATHOM_TRAIN_SQUARED,
    LO = FATHOM_TRAIN_LOGISTIC,
    HI = FATHOM_TRAIN_HINGE,
    EQ = FATHOM_TRAIN_EQUALITY
};

typedef struct problem {
    int64_t trial, n, d, outputs;
    int64_t raw_d;            /* d without the constant column of --bias augment */
    double x[ROWS * COLUMNS]; /* n x d, the constant column included */
    double y[ROWS * OUTPUTS]; /* n x outputs: targets, +-1, or one-hot */
    double label[ROWS];       /* classification: what the library is given */
    double weight[ROWS];
    bool weighted, softmax, orthonormal;
    int loss, bias, method;
    double beta, gap;
} problem;

/* Neurons one after the other: u (d), b, w (outputs); then the constant. */
typedef struct network {
    int64_t m;
    double theta[WIDTH * WIDE];
    double c[OUTPUTS];
} network;

/* A 64-bit congruential generator. */
static double uniform(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*s >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *s) { return sqrt(-2 * log(uniform(s))) * cos(6.283185307179586 * uniform(s)); }

static int64_t below(uint64_t *s, int64_t count) { return (int64_t)(uniform(s) * (double)count); }

static double norm_of(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

static double *neuron_of(network *net, int64_t j) { return net->theta + j * WIDE; }

/* <u_j, x_i> + b_j. */
static double argument(const problem *p, const double *neuron, int64_t i)
{
    double t = neuron[COLUMNS];
    for (int64_t l = 0; l < p->d; l++)
        t += neuron[l] * p->x[i * COLUMNS + l];
    return t;
}

/* f (n x outputs). */
static void outputs_of(double *f, const problem *p, network *net)
{
    for (int64_t i = 0; i < p->n; i++) {
        memcpy(f + i * OUTPUTS, net->c, sizeof net->c);
        for (int64_t j = 0; j < net->m; j++) {
            const double *neuron = neuron_of(net, j), t = argument(p, neuron, i);
            for (int64_t k = 0; k < p->outputs && t > 0; k++)
                f[i * OUTPUTS + k] += neuron[COLUMNS + 1 + k] * t;
        }
    }
}

/* l(f_i, y_i) and its derivative g (outputs). */
static double loss_at(double *g, const problem *p, const double *f, const double *y)
{
    double sum = 0, top = -INFINITY, value = 0;
    for (int64_t k = 0; k < p->outputs; k++)
        top = fmax(top, f[k]);
    for (int64_t k = 0; k < p->outputs; k++)
        sum += exp(f[k] - top);
    for (int64_t k = 0; k < p->outputs; k++) {
        const double t = y[k] * f[k];
        if (p->softmax) {
            value += y[k] * (top + log(sum) - f[k]);
            g[k] = exp(f[k] - top) / sum - y[k];
        } else if (p->loss == LO) {
            value += t > 0 ? log1p(exp(-t)) : log1p(exp(t)) - t;
            g[k] = -y[k] / (1 + exp(t));
        } else if (p->loss == HI) {
            value += fmax(0, 1 - t);
            g[k] = t < 1 ? -y[k] : 0;
        } else {
            value += (f[k] - y[k]) * (f[k] - y[k]) / 2;
            g[k] = f[k] - y[k];
        }
    }
    return value;
}

/* The objective as it stands at the head; *misfit = max |f - y|. */
static double objective_of(const problem *p, network *net, double *misfit)
{
    double f[ROWS * OUTPUTS], g[OUTPUTS], value = 0;
    outputs_of(f, p, net);
    *misfit = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (p->loss != EQ)
            value += p->weight[i] * loss_at(g, p, f + i * OUTPUTS, p->y + i * OUTPUTS);
        for (int64_t k = 0; k < p->outputs; k++)
            *misfit = fmax(*misfit, fabs(f[i * OUTPUTS + k] - p->y[i * OUTPUTS + k]));
    }
    for (int64_t j = 0; j < net->m; j++) {
        const double *neuron = neuron_of(net, j);
        value +=
            (p->loss == EQ ? 1 : p->beta) * norm_of(neuron, p->d) * norm_of(neuron + COLUMNS + 1, p->outputs);
    }
    return value;
}

/* The gradient of sum_i c_i l + beta/2 sum_j (|u_j|^2 + |w_j|^2). */
static void gradient_of(network *slope, const problem *p, network *net)
{
    double f[ROWS * OUTPUTS], g[OUTPUTS];
    const bool biased = p->bias == FATHOM_BIAS_FREE;
    outputs_of(f, p, net);
    *slope = (network){.m = net->m};
    for (int64_t j = 0; j < net->m; j++)
        for (int64_t l = 0; l < WIDE; l++)
            neuron_of(slope, j)[l] = l == COLUMNS ? 0 : p->beta * neuron_of(net, j)[l];
    for (int64_t i = 0; i < p->n; i++) {
        loss_at(g, p, f + i * OUTPUTS, p->y + i * OUTPUTS);
        for (int64_t k = 0; k < p->outputs; k++) {
            g[k] *= p->weight[i];
            slope->c[k] += biased ? g[k] : 0;
        }
        for (int64_t j = 0; j < net->m; j++) {
            const double *neuron = neuron_of(net, j), t = argument(p, neuron, i);
            double *into = neuron_of(slope, j), inner = 0;
            for (int64_t k = 0; k < p->outputs && t > 0; k++) {
                into[COLUMNS + 1 + k] += g[k] * t;
                inner += g[k] * neuron[COLUMNS + 1 + k];
            }
            for (int64_t l = 0; l < p->d && t > 0; l++)
                into[l] += inner * p->x[i * COLUMNS + l];
            into[COLUMNS] += biased && t > 0 ? inner : 0;
        }
    }
}

/* Adam with falling steps; the least value of the end and a few stops on the way. */
static double descend(const problem *p, network *net, int64_t steps, double first)
{
    const int64_t size = (int64_t)(sizeof net->theta / sizeof(double)) + OUTPUTS;
    static network slope, mean, square;
    double misfit, best = objective_of(p, net, &misfit);
    mean = square = (network){.m = net->m};
    for (int64_t k = 1; k <= steps; k++) {
        const double step = first * pow(1e-4, (double)k / (double)steps);
        gradient_of(&slope, p, net);
        const double one = 1 - pow(0.9, (double)k), two = 1 - pow(0.999, (double)k);
        for (int64_t l = 0; l < size; l++) {
            const bool constant = l >= size - OUTPUTS;
            const int64_t at = constant ? l - (size - OUTPUTS) : l;
            if (!constant && at >= net->m * WIDE)
                continue;
            double *x = (constant ? net->c : net->theta) + at;
            double *a = (constant ? mean.c : mean.theta) + at, *b = (constant ? square.c : square.theta) + at;
            const double g = ((constant ? slope.c : slope.theta) + at)[0];
            *a += 0.1 * (g - *a);
            *b += 0.001 * (g * g - *b);
            *x -= step * (*a / one) / (sqrt(*b / two) + 1e-12);
        }
        if (k % 50 == 0 || k == steps)
            best = fmin(best, objective_of(p, net, &misfit));
    }
    return best;
}

/* The least value that Adam reaches from random networks. */
static double search(const problem *p, uint64_t *s)
{
    static network net;
    double best = INFINITY;
    for (int start = 0; start < 2; start++) {
        net = (network){.m = 2 + below(s, 5)};
        for (int64_t j = 0; j < net.m; j++)
            for (int64_t l = 0; l < WIDE; l++) {
                const bool there = l < p->d || (l == COLUMNS && p->bias == FATHOM_BIAS_FREE) ||
                                   (l > COLUMNS && l <= COLUMNS + p->outputs);
                neuron_of(&net, j)[l] = there ? normal(s) : 0;
            }
        best = fmin(best, descend(p, &net, 200, 0.1));
    }
    return best;
}

/* The library's network in the form used here. */
static void take_network(network *net, const problem *p, fathom_net *given)
{
    const fathom_net_weights w = fathom_net_lend(given);
    const fathom_net_shape shape = fathom_net_look(given);
    assert_true(shape.m <= WIDTH && shape.outputs == p->outputs && shape.d == p->d);
    *net = (network){.m = shape.m};
    for (int64_t j = 0; j < shape.m; j++) {
        double *neuron = neuron_of(net, j);
        memcpy(neuron, w.u + j * p->d, (size_t)p->d * sizeof *neuron);
        neuron[COLUMNS] = shape.hidden_bias && w.b ? w.b[j] : 0;
        memcpy(neuron + COLUMNS + 1, w.w + j * p->outputs, (size_t)p->outputs * sizeof *neuron);
    }
    memcpy(net->c, w.c, (size_t)p->outputs * sizeof *net->c);
}

/* |u_j| = |w_j|: the penalties of descent and objective agree. */
static void balance(const problem *p, network *net)
{
    for (int64_t j = 0; j < net->m; j++) {
        double *neuron = neuron_of(net, j);
        const double u = norm_of(neuron, p->d), w = norm_of(neuron + COLUMNS + 1, p->outputs);
        const double ratio = u > 0 && w > 0 ? sqrt(w / u) : 1;
        for (int64_t l = 0; l < WIDE; l++)
            neuron[l] *= l <= COLUMNS ? ratio : 1 / ratio;
    }
}

/* min over a of sum_i c_i l(a |x_i|, y_i) + beta |a| over the points of one sign, by ternary search. */
static double one_side(const problem *p, double sign)
{
    double low = -1e7, high = 1e7, g[OUTPUTS], value[2] = {0, 0};
    for (int k = 0; k < 300; k++) {
        const double a[2] = {low + (high - low) / 3, high - (high - low) / 3};
        for (int e = 0; e < 2; e++) {
            value[e] = p->beta * fabs(a[e]);
            for (int64_t i = 0; i < p->n; i++) {
                const double f = a[e] * fmax(0, sign * p->x[i * COLUMNS]);
                if (sign * p->x[i * COLUMNS] > 0)
                    value[e] += p->weight[i] * loss_at(g, p, &f, p->y + i * OUTPUTS);
            }
        }
        *(value[0] > value[1] ? &low : &high) = a[value[0] > value[1] ? 0 : 1];
    }
    return fmin(value[0], value[1]);
}

static double entropy(double t) { return t > 0 && t < 1 ? -t * log(t) - (1 - t) * log(1 - t) : 0; }

/* A A' = I: p(v) = max(|v_+|, |v_-|). */
static double orthonormal_optimum(const problem *p)
{
    double sum = 0;
    for (int side = -1; side <= 1; side += 2) {
        double size = 0, count = 0;
        for (int64_t i = 0; i < p->n; i++) {
            size = hypot(size, fmax(0, side * p->y[i * OUTPUTS]));
            count += side * p->y[i * OUTPUTS] > 0;
        }
        const double share = count > 0 ? p->beta / sqrt(count) : 0;
        sum += p->loss == EQ   ? size
               : p->loss == SQ ? (size > p->beta ? p->beta * size - p->beta * p->beta / 2 : size * size / 2)
               : p->loss == HI ? count * fmin(1, share)
                               : count * entropy(fmin(0.5, share));
    }
    return sum;
}

/* The optimum where it is known; NaN elsewhere. */
static double known_optimum(const problem *p)
{
    if (p->orthonormal && !p->weighted)
        return orthonormal_optimum(p);
    if (p->d > 1 || p->outputs > 1 || p->bias != FATHOM_BIAS_NONE || p->loss == EQ)
        return NAN;
    double sum = one_side(p, 1) + one_side(p, -1), g[OUTPUTS];
    const double zero[OUTPUTS] = {0};
    for (int64_t i = 0; i < p->n; i++)
        if (p->x[i * COLUMNS] == 0)
            sum += p->weight[i] * loss_at(g, p, zero, p->y + i * OUTPUTS);
    return sum;
}

/* Rows drawn, some of them copies, antipodes, parallel or zero; or orthonormal. */
static void draw_points(problem *p, uint64_t *s)
{
    const double scale = below(s, 8) == 0 ? pow(10, 6 * uniform(s) - 3) : 1;
    for (int64_t i = 0; i < p->n; i++) {
        double *row = p->x + i * COLUMNS;
        const int64_t kind = p->orthonormal || i == 0 ? 9 : below(s, 16), other = i > 0 ? below(s, i) : 0;
        for (int64_t l = 0; l < p->raw_d; l++)
            row[l] = kind == 0   ? p->x[other * COLUMNS + l]
                     : kind == 1 ? -p->x[other * COLUMNS + l]
                     : kind == 2 ? 0
                     : kind == 3 ? 3 * p->x[other * COLUMNS + l]
                                 : scale * normal(s);
        for (int64_t j = 0; j < 2 * i && p->orthonormal; j++) { /* Gram-Schmidt, twice */
            double t = 0;
            for (int64_t l = 0; l < p->raw_d; l++)
                t += row[l] * p->x[j % i * COLUMNS + l];
            for (int64_t l = 0; l < p->raw_d; l++)
                row[l] -= t * p->x[j % i * COLUMNS + l];
        }
        const double size = norm_of(row, p->raw_d);
        for (int64_t l = 0; l < p->raw_d && p->orthonormal; l++)
            row[l] /= size;
        if (p->bias == FATHOM_BIAS_AUGMENT)
            row[p->raw_d] = 1;
    }
    p->beta *= scale;
}

/* A network to make targets with. */
static void draw_teacher(network *net, const problem *p, uint64_t *s)
{
    *net = (network){.m = 1 + below(s, 4)};
    for (int64_t j = 0; j < net->m; j++) {
        double *neuron = neuron_of(net, j);
        for (int64_t l = 0; l < p->d; l++)
            neuron[l] = normal(s);
        neuron[COLUMNS] = p->bias == FATHOM_BIAS_FREE ? normal(s) : 0;
        for (int64_t k = 0; k < p->outputs; k++)
            neuron[COLUMNS + 1 + k] = normal(s);
    }
}

static void draw_targets(problem *p, network *teacher, uint64_t *s)
{
    const bool alike = below(s, 20) == 0; /* all zero, or one class */
    draw_teacher(teacher, p, s);
    if (p->loss == EQ)
        outputs_of(p->y, p, teacher);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t class = p->softmax ? (i < 3 ? i : below(s, 3)) : alike ? 1 : below(s, 2);
        p->weight[i] = p->weighted ? 0.2 + 2 * uniform(s) : 1;
        p->label[i] = p->softmax ? (double)class : (double)(2 * class - 1);
        for (int64_t k = 0; k < p->outputs && p->loss != EQ; k++)
            p->y[i * OUTPUTS + k] = p->softmax      ? (double)(class == k)
                                    : p->loss != SQ ? p->label[i]
                                    : alike         ? 0
                                                    : normal(s);
    }
}

/* Problem `trial`; `teacher` is a network that interpolates where that is asked for. */
static void draw_problem(problem *p, network *teacher, int64_t trial, uint64_t *s)
{
    static const double gaps[] = {1e-2, 1e-4, 1e-6};
    *s = (uint64_t)trial * UINT64_C(0x9E3779B97F4A7C15) + 1;
    uniform(s);
    *p = (problem){.trial = trial, .loss = (int)(trial % 4), .bias = (int)below(s, 3), .outputs = 1};
    p->n = 1 + below(s, ROWS);
    p->raw_d = below(s, 12) == 0 ? COLUMNS - 1 : 1 + below(s, 3);
    p->orthonormal = below(s, 12) == 0 && p->n <= COLUMNS - 1;
    if (p->orthonormal) {
        p->bias = FATHOM_BIAS_NONE;
        p->raw_d = p->n + below(s, COLUMNS - p->n);
    }
    p->n = p->raw_d > 3 && !p->orthonormal && p->n > 4 ? 4 : p->n; /* rank at most 5: prices are exact */
    p->d = p->raw_d + (p->bias == FATHOM_BIAS_AUGMENT);
    p->softmax = p->loss == LO && below(s, 10) == 0 && p->n >= 3 && !p->orthonormal;
    if (p->softmax || (p->loss == SQ && below(s, 10) == 0 && !p->orthonormal))
        p->outputs = p->softmax ? 3 : 2 + below(s, 2);
    p->weighted = below(s, 4) == 0 && p->loss != EQ;
    p->beta = pow(10, 2.5 * uniform(s) - 2);
    p->gap = p->outputs > 1 ? gaps[0] : gaps[below(s, 3)];
    if (p->outputs > 1 && p->n > 5)
        p->n = 5;
    p->method = below(s, 3) == 0 ? FATHOM_TRAIN_COLUMNS : FATHOM_TRAIN_AUTO;
    draw_points(p, s);
    draw_targets(p, teacher, s);
}

static void describe(const problem *p)
{
    print_error("trial %lld: n %lld, d %lld, outputs %lld, loss %d, bias %d, method %d, weights %d, beta "
                "%.17g, gap %g\n",
                (long long)p->trial, (long long)p->n, (long long)p->raw_d, (long long)p->outputs, p->loss,
                p->bias, p->method, p->weighted, p->beta, p->gap);
}

static void train(fathom_train_result *result, fathom_context *context, const problem *p)
{
    double x[ROWS * COLUMNS], y[ROWS * OUTPUTS];
    fathom_data *data;
    fathom_data_options how;
    fathom_train_options options;
    fathom_options_init(&how, &fathom_data_option_table);
    fathom_options_init(&options, &fathom_train_option_table);
    how.bias = p->bias;
    options.loss = p->loss;
    options.beta = p->loss == EQ ? NAN : p->beta;
    options.gap = p->gap;
    options.method = p->method;
    const bool labels = p->loss == LO || p->loss == HI;
    const int64_t columns = labels ? 1 : p->outputs;
    for (int64_t i = 0; i < p->n; i++) {
        memcpy(x + i * p->raw_d, p->x + i * COLUMNS, (size_t)p->raw_d * sizeof *x);
        for (int64_t k = 0; k < columns; k++)
            y[i * columns + k] = labels ? p->label[i] : p->y[i * OUTPUTS + k];
    }
    assert_ok(context, fathom_data_create(&data, context, p->n, p->raw_d, x, p->raw_d, columns, y,
                                          p->weighted ? p->weight : NULL, &how));
    const fathom_status status = fathom_train(result, context, data, NULL, &options);
    fathom_data_free(data);
    if (status != FATHOM_OK)
        describe(p);
    assert_ok(context, status);
}

/* low <= high up to `slack`, relative to `scale`. */
static void expect_below(const problem *p, const char *what, double low, double high, double slack)
{
    if (low <= high + slack)
        return;
    describe(p);
    print_error("%s: %.17g is above %.17g by %.3g\n", what, low, high, low - high);
    fail();
}

/* The result against everything known from outside. Values of sums as small as these are right to a few hundred roundings of
 * their terms. */
static void compare(const problem *p, fathom_train_result *result, network *teacher, uint64_t *s)
{
    static network net;
    double misfit;
    take_network(&net, p, result->net);
    const double value = objective_of(p, &net, &misfit), exact = known_optimum(p);
    const double slack = 1e-12 * fmax(value, result->objective);
    expect_below(p, "bound and objective", result->lower_bound, result->objective, slack);
    expect_below(p, "bound and recomputed objective", result->lower_bound, value,
                 p->loss == EQ ? 1e-7 * value : slack);
    if (p->loss != EQ) {
        expect_below(p, "objective", value, result->objective, slack);
        balance(p, &net);
        const double best = fmin(descend(p, &net, 100, 1e-3), search(p, s));
        expect_below(p, "bound and descent", result->lower_bound, best, slack);
        if (result->status == FATHOM_TRAIN_CERTIFIED)
            expect_below(p, "certified, and descent goes below", result->objective * (1 - p->gap), best,
                         slack);
    } else if (isfinite(result->objective)) {
        expect_below(p, "teacher", result->lower_bound, objective_of(p, teacher, &misfit), slack);
        expect_below(p, "norm", value, result->objective, slack);
    }
    if (result->status == FATHOM_TRAIN_CERTIFIED)
        expect_below(p, "strong duality", result->objective * (1 - p->gap), result->lower_bound, slack);
    if (isnan(exact))
        return;
    expect_below(p, "bound and closed form", result->lower_bound, exact, 1e-11 * exact + 1e-12);
    expect_below(p, "closed form and objective", exact, result->objective, 1e-11 * exact + 1e-12);
}

/* Prices of one output are exact at these ranks: all but one in 200 at most reach their gap. */
static void no_bound_is_above_any_network(void **state)
{
    (void)state;
    fathom_context *context;
    static problem p;
    static network teacher;
    int64_t open = 0, count = test_trials(300);
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t trial = 0; trial < count; trial++) {
        fathom_train_result result;
        uint64_t s;
        draw_problem(&p, &teacher, trial, &s);
        train(&result, context, &p);
        compare(&p, &result, &teacher, &s);
        if (result.status != FATHOM_TRAIN_CERTIFIED && p.outputs == 1) {
            describe(&p);
            print_error("open: objective %.17g, bound %.17g\n", result.objective, result.lower_bound);
            open++;
        }
        fathom_train_result_clear(&result);
    }
    assert_true(open <= 1 + count / 200);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_bound_is_above_any_network)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
