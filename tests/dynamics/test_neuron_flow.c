/* SPDX-License-Identifier: Apache-2.0 */
/* One neuron under frozen duals: closed forms, conserved quantities, the box problem's conditions, small steps. */
#include "dynamics_testing.h"

#include "neuron_flow.h"
#include "random.h"

typedef struct bench {
    neuron_field field;
    neuron_work work;
    double squares[64], below[64];
} bench;

static void bench_open(bench *b, fathom_context *context, int64_t n, int64_t d, const double *x,
                       const double *force, double alpha, bool both)
{
    for (int64_t i = 0; i < n; i++) {
        b->squares[i] = 0;
        for (int64_t l = 0; l < d; l++)
            b->squares[i] += x[i * d + l] * x[i * d + l];
        b->below[i] = alpha * force[i];
    }
    double size = 0;
    for (int64_t i = 0; i < n; i++)
        size += fabs(force[i]) * sqrt(b->squares[i]);
    b->field = (neuron_field){.n = n,
                              .d = d,
                              .x = x,
                              .squares = b->squares,
                              .above = force,
                              .below = b->below,
                              .both = both,
                              .size = size};
    assert_ok(context, fathom_neuron_work_create(&b->work, context, n, d));
}

/* Reference values (tests/README.md): three examples, q = (0.5, 0.4, 0.1), a and v trained. */
static void test_oracle(void **state)
{
    static const double x[] = {1, 0, 0.6, 0.8, -0.5, 0.5}, force[] = {0.5, -0.4, 0.1}, time[] = {0.25, 1, 3};
    static const struct {
        double a, v[2];
        double end[3][3]; /* a, v at each time */
        int sliding;      /* at the last one */
    } row[] = {{0.4,
                {0.3, -0.35},
                {{0.440726803702619, 0.35247711344415944, -0.35},
                 {0.6053981801782716, 0.5178459734326649, -0.3883844800744987},
                 {1.384558316171431, 1.1227114980095552, -0.8420336235071664}},
                1},
               {0.4,
                {-0.2, 0.5},
                {{0.38268260805739773, -0.22834906706391805, 0.4736060410094556},
                 {0.3527822636177901, -0.3077474079384841, 0.3996834477814113},
                 {0.39833574378460784, -0.42982516615121497, 0.3223688746134111}},
                1},
               {-0.4,
                {0.3, -0.35},
                {{-0.3655313385579498, 0.25221649325126705, -0.35},
                 {-0.29472179443442814, 0.12984966736441522, -0.35},
                 {-0.2645751311064591, 0, -0.35}},
                0},
               {-0.1,
                {0.5, 0.6},
                {{-0.11463322139553324, 0.4943693087227593, 0.6072394602135951},
                 {-0.16402528082955464, 0.47254451593503416, 0.6352999080835275},
                 {-0.36006603797582293, 0.36658584936614, 0.7715324793863914}},
                0},
               {0.05,
                {-0.6, 0.1},
                {{0.05875826843974013, -0.6006797214767604, 0.10067972147676042},
                 {0.08515422605121611, -0.6033774484983313, 0.10337744849833135},
                 {0.15691849885783715, -0.615460952280676, 0.115460952280676}},
                0}};
    bench b;
    bench_open(&b, *state, 3, 2, x, force, 0, true);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int t = 0; t < 3; t++) {
            double v[2] = {row[k].v[0], row[k].v[1]}, a = row[k].a;
            uint8_t slides[3] = {0};
            neuron_state one = {v, &a, slides, 0, 0};
            assert_true(fathom_neuron_flow(&one, &b.field, time[t], &b.work));
            assert_close(a, row[k].end[t][0], 1e-10);
            assert_close(v[0], row[k].end[t][1], 1e-10);
            assert_close(v[1], row[k].end[t][2], 1e-10);
            if (t == 2)
                assert_int_equal(slides[0] + slides[1] + slides[2], row[k].sliding);
        }
    fathom_neuron_work_free(&b.work, *state);
}

/* a^2 - |v|^2 is conserved to rounding, and two half moves make a whole one, for random neurons and slopes. */
static void test_conserved(void **state)
{
    enum { N = 20, D = 5 };
    for (uint32_t trial = 0; trial < test_trials(50); trial++) {
        double x[N * D], force[N], v[D], u[D], a, c;
        uint8_t slides[N] = {0}, again[N] = {0};
        bench b;
        fathom_random_normals(x, N * D, 1, FATHOM_STREAM_DATA, trial, 0);
        fathom_random_normals(force, N, 1, FATHOM_STREAM_LABEL, trial, 0);
        fathom_random_normals(v, D, 1, FATHOM_STREAM_HIDDEN, trial, 0);
        a = c = fathom_random_normal(1, FATHOM_STREAM_OUTPUT, trial, 0);
        double balance = a * a;
        for (int l = 0; l < D; l++)
            balance -= v[l] * v[l], u[l] = v[l];
        bench_open(&b, *state, N, D, x, force, trial % 2 ? 0.2 : 0, true);
        neuron_state whole = {v, &a, slides, 0, 0}, halves = {u, &c, again, 0, 0};
        assert_true(fathom_neuron_flow(&whole, &b.field, 0.2, &b.work));
        assert_true(fathom_neuron_flow(&halves, &b.field, 0.1, &b.work));
        assert_true(fathom_neuron_flow(&halves, &b.field, 0.1, &b.work));
        double after = a * a, size = a * a;
        for (int l = 0; l < D; l++)
            after -= v[l] * v[l], size += v[l] * v[l];
        assert_close(after, balance, 1e3 * UNIT_ROUNDOFF * size);
        assert_close(c, a,
                     1e-9 * sqrt(size)); /* a kink met at z = 1e-13 |v| |x| may be dated that much earlier */
        for (int l = 0; l < D; l++)
            assert_close(u[l], v[l], 1e-9 * sqrt(size));
        assert_memory_equal(slides, again, N);
        fathom_neuron_work_free(&b.work, *state);
    }
}

/* Small steps of the plain gradient converge to the exact motion at order 1, chattering over valleys included. */
static void test_small_steps(void **state)
{
    enum { N = 12, D = 3 };
    for (uint32_t trial = 0; trial < test_trials(10); trial++) {
        double x[N * D], force[N], v[D], u[D], a, c, error[2];
        bench b;
        fathom_random_normals(x, N * D, 2, FATHOM_STREAM_DATA, trial, 0);
        fathom_random_normals(force, N, 2, FATHOM_STREAM_LABEL, trial, 0);
        bench_open(&b, *state, N, D, x, force, 0.1, false);
        for (int fine = 0; fine < 2; fine++) {
            const int steps = fine ? 40000 : 10000;
            uint8_t slides[N] = {0};
            fathom_random_normals(v, D, 2, FATHOM_STREAM_HIDDEN, trial, 0);
            memcpy(u, v, sizeof v);
            a = c = 0.7;
            neuron_state one = {v, &a, slides, 0, 0};
            assert_true(fathom_neuron_flow(&one, &b.field, 0.3, &b.work));
            for (int s = 0; s < steps; s++) {
                double g[D] = {0};
                for (int i = 0; i < N; i++) {
                    const double z = u[0] * x[i * D] + u[1] * x[i * D + 1] + u[2] * x[i * D + 2];
                    for (int l = 0; l < D; l++)
                        g[l] += force[i] * (z > 0 ? 1 : 0.1) * x[i * D + l];
                }
                for (int l = 0; l < D; l++)
                    u[l] += 0.3 / steps * c * g[l];
            }
            error[fine] = fabs(u[0] - v[0]) + fabs(u[1] - v[1]) + fabs(u[2] - v[2]);
        }
        assert_true(error[0] < 1e-2 && error[1] < 1e-2 / 3);
        fathom_neuron_work_free(&b.work, *state);
    }
}

/* On a kink with duplicate and antipodal examples the decision satisfies the conditions of the motion. */
static void test_degenerate(void **state)
{
    static const double x[] = {1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0.5, 0.5, 0.5};
    static const double force[] = {-0.3, -0.2, 0.4, -0.1, 0.2, 0.25};
    double v[3] = {0, 0, 0}, a = 1;
    uint8_t slides[6] = {0};
    neuron_state one = {v, &a, slides, 0, 0};
    bench b;
    bench_open(&b, *state, 6, 3, x, force, 0.1, false);
    for (int i = 0; i < 6; i++)
        b.work.boundary[i] = i, b.work.z[i] = 0;
    b.work.count = 6;
    fathom_neuron_decide(&one, &b.field, 1, &b.work);
    for (int i = 0; i < 6; i++) {
        const double rate = x[3 * i] * b.work.g[0] + x[3 * i + 1] * b.work.g[1] + x[3 * i + 2] * b.work.g[2];
        const double slope = b.work.effect[i] / force[i];
        assert_true(slope >= 0.1 - 1e-12 && slope <= 1 + 1e-12);
        if (slope > 0.1 + 1e-9 && force[i] < 0)
            assert_true(rate > -1e-12);
        if (slope < 1 - 1e-9)
            assert_true(rate < 1e-12);
        if (slides[i])
            assert_close(rate, 0, 1e-11);
    }
    fathom_neuron_work_free(&b.work, *state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_conserved),
        cmocka_unit_test(test_small_steps),
        cmocka_unit_test(test_degenerate),
    };
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
