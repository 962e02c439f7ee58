/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Families with noise: the stated use of the streams, number by number, and the distributions that it must give.
 *
 * With fixed seeds, and false alarms below 1e-9: a mean of n independent N(0, s^2) lies within 6.5 s / sqrt(n) but for
 * probability 8e-11; one of n fair coins within 7 / sqrt(n) but for 5e-11 (Hoeffding); chi^2_k / k within
 * 2 sqrt(t / k) + 2 t / k of 1 but for 2 e^-t (Laurent and Massart), t = 22.
 */
#include "dataset_testing.h"

#include "random.h"

static double normal(uint64_t index) { return fathom_random_normal(1, FATHOM_STREAM_DATA, 0, index); }

/* The convention of the oracle runs for [002, Sec. 5]: labels and components from stream 1, noise from stream 0. */
static void four_clusters(void **state)
{
    const double c = sqrt(0.5);
    const double mean[2][2][2][2] = {{{{c, -c}, {-c, c}}, {{c, c}, {-c, -c}}},
                                     {{{1, 0}, {0, 1}}, {{c, c}, {-c, -c}}}};
    for (int family = 0; family < 2; family++) {
        fathom_data *data =
            open_plain(*state, family ? "gen:shoulders,n=200,sd=0.25" : "gen:xor,n=200,sd=0.25");
        const fathom_data_view v = fathom_data_look(data);
        for (uint64_t i = 0; i < 200; i++) {
            const bool minus = fathom_random_uniform(1, FATHOM_STREAM_LABEL, 0, 2 * i) >= 0.5;
            const bool second = fathom_random_uniform(1, FATHOM_STREAM_LABEL, 0, 2 * i + 1) >= 0.5;
            assert_true(v.y[i] == (minus ? -1 : 1));
            for (uint64_t j = 0; j < 2; j++)
                assert_true(v.x[2 * i + j] == mean[family][minus][second][j] + 0.25 * normal(2 * i + j));
        }
        fathom_data_free(data);
    }
}

static void gauss(void **state)
{
    const int64_t n = 20000, d = 3;
    fathom_data *data = open_plain(*state, "gen:gauss,n=20000,d=3");
    fathom_data *sign = open_plain(*state, "gen:gauss,n=20000,d=3,target=sign");
    const fathom_data_view v = fathom_data_look(data), w = fathom_data_look(sign);
    double mean = 0, square = 0, target = 0, coin = 0;
    for (int64_t k = 0; k < n * d; k++) {
        assert_true(v.x[k] == normal((uint64_t)k));
        mean += v.x[k] / (double)(n * d);
        square += v.x[k] * v.x[k] / (double)(n * d);
    }
    for (int64_t i = 0; i < n; i++) {
        target += v.y[i] / (double)n;
        coin += w.y[i] / (double)n;
        assert_true(fabs(w.y[i]) == 1);
    }
    assert_close(mean, 0, 6.5 / sqrt((double)(n * d)));
    assert_close(square, 1, 2 * sqrt(22.0 / (double)(n * d)) + 44.0 / (double)(n * d));
    assert_close(target, 0, 6.5 / sqrt((double)n));
    assert_close(coin, 0, 7 / sqrt((double)n));
    fathom_data_free(data);
    fathom_data_free(sign);
}

/* The teacher's outputs, recomputed from its weights, up to an affine map that makes mean 0 and variance 1. */
static void teacher(void **state)
{
    enum { N = 300, D = 4, K = 6 };
    fathom_data *data = open_plain(*state, "gen:gauss,n=300,d=4,target=teacher,noise=0,k=6");
    fathom_data *noisy = open_plain(*state, "gen:gauss,n=300,d=4,target=teacher,noise=0.5,k=6");
    const fathom_data_view v = fathom_data_look(data), w = fathom_data_look(noisy);
    double f[N], mean = 0, square = 0;
    for (int i = 0; i < N; i++) {
        f[i] = 0;
        for (int k = 0; k < K; k++) {
            double dot = 0;
            for (int j = 0; j < D; j++)
                dot += fathom_random_normal(1, FATHOM_STREAM_TEACHER, 0, (uint64_t)(k * D + j)) / sqrt(D) *
                       v.x[i * D + j];
            f[i] += fathom_random_normal(1, FATHOM_STREAM_TEACHER, 1, (uint64_t)k) * fmax(dot, 0);
        }
        mean += f[i] / N;
    }
    for (int i = 0; i < N; i++)
        square += (f[i] - mean) * (f[i] - mean) / N;
    for (int i = 0; i < N; i++) {
        /* Rounding of 300-term sums of numbers of size up to 10, in units of the deviation. */
        assert_close(v.y[i], (f[i] - mean) / sqrt(square), 4 * N * 10 * UNIT_ROUNDOFF / sqrt(square));
        assert_close(w.y[i], v.y[i] + 0.5 * fathom_random_normal(1, FATHOM_STREAM_LABEL, 0, (uint64_t)i),
                     8 * UNIT_ROUNDOFF);
    }
    fathom_data_free(data);
    fathom_data_free(noisy);
}

/* Test data of a teacher follows the same function: its noise-free targets agree at equal points, so the affine map
 * between the raw outputs and the targets must be that of the first set. */
static void teacher_of_test_data(void **state)
{
    fathom_data *first = open_plain(*state, "gen:gauss,n=50,d=1,target=teacher,noise=0,k=1");
    fathom_data *test = open_plain(*state, "gen:gauss,n=50,d=1,target=teacher,noise=0,k=1,test=1");
    const fathom_data_view v = fathom_data_look(first), w = fathom_data_look(test);
    const double u = fathom_random_normal(1, FATHOM_STREAM_TEACHER, 0, 0);
    double flat[2] = {NAN, NAN};
    for (int i = 0; i < 50; i++) { /* where <u, x> <= 0 the function is one constant */
        if (u * v.x[i] <= 0)
            flat[0] = v.y[i];
        if (u * w.x[i] <= 0)
            flat[1] = w.y[i];
    }
    assert_true(flat[0] == flat[1]);
    fathom_data_free(first);
    fathom_data_free(test);
}

/* The oracle runs for [004] have 400 points in R^50 with mu = 0.3 (1,..,1), gap 0.5: 199 positive labels and a
 * largest norm of 10.72622204627515 (reference value, tests/README.md). */
static void two_gaussians(void **state)
{
    fathom_data *data = open_plain(*state, "gen:twogauss,n=400,d=50,mean=2.121320343559643,gap=0.5");
    const fathom_data_view v = fathom_data_look(data);
    double largest = 0;
    int64_t positive = 0;
    for (int64_t i = 0; i < v.n; i++) {
        double sum = 0, square = 0;
        for (int64_t j = 0; j < v.d; j++) {
            sum += v.x[i * v.d + j];
            square += v.x[i * v.d + j] * v.x[i * v.d + j];
        }
        assert_true(v.y[i] * sum / sqrt(50) >= 0.5 - 100 * UNIT_ROUNDOFF);
        assert_true(v.y[i] == fathom_random_sign(1, FATHOM_STREAM_LABEL, 0, (uint64_t)i));
        largest = fmax(largest, sqrt(square));
        positive += v.y[i] > 0;
    }
    assert_int_equal(positive, 199);
    assert_close(largest, 10.72622204627515, 100 * 10.8 * UNIT_ROUNDOFF);
    fathom_data_free(data);
}

static void outlier(void **state)
{
    fathom_data *data = open_plain(*state, "gen:outlier,n=60,x=-3,y=5");
    const fathom_data_view v = fathom_data_look(data);
    assert_int_equal(v.n, 61);
    double away = 0;
    for (int64_t i = 0; i < 60; i++) {
        assert_true(v.y[i] * v.x[2 * i] >= 0.5);
        away += (v.y[i] * v.x[2 * i] - 2) / 60;
    }
    assert_close(away, 0, 6.5 * 0.4 / sqrt(60)); /* the gap cuts off a tail of probability 1e-4 only */
    assert_true(v.x[120] == -3 && v.x[121] == 5 && v.y[60] == 1);
    fathom_data_free(data);
}

static void mixture(void **state)
{
    const double label[5] = {-1, 1, 1, -1, 1};
    fathom_data *data = open_plain(*state, "gen:mixture1d,n=57");
    const fathom_data_view v = fathom_data_look(data);
    assert_true(v.n == 57 && v.d == 1);
    for (int64_t i = 0; i < 57; i++) {
        assert_true(v.x[i] == (double)(i % 5 - 2) + 0.5 * normal((uint64_t)i));
        assert_true(v.y[i] == label[i % 5]);
    }
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(four_clusters), data_test(gauss),   data_test(teacher), data_test(teacher_of_test_data),
        data_test(two_gaussians), data_test(outlier), data_test(mixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
