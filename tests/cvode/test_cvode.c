/* SPDX-License-Identifier: Apache-2.0 */
/* The integrator of stiff systems, as flows load it: linear systems whose solutions are known, ends at
 * targets, systems without values. */
#include "with_context.h"

#include <string.h>

#include "module.h"
#include "random.h"
#include "stiff.h"

enum { SIZE = 6 };

/* dy/dx = V diag(-rate) V (y - m), V = I - 2vv' a reflection: y = m + V e^{-rate x} V (y_0 - m). */
typedef struct linear {
    double rate[SIZE], v[SIZE], middle[SIZE];
    double goal;   /* the target is y_0 - goal */
    int calls;     /* of `rate` */
    int last_call; /* after which there are no values; 0: always */
} linear;

static void reflect(double *y, const double *v)
{
    double dot = 0;
    for (int i = 0; i < SIZE; i++)
        dot += v[i] * y[i];
    for (int i = 0; i < SIZE; i++)
        y[i] -= 2 * dot * v[i];
}

static void apply(double *out, const linear *s, const double *y, double time)
{
    for (int i = 0; i < SIZE; i++)
        out[i] = y[i];
    reflect(out, s->v);
    for (int i = 0; i < SIZE; i++)
        out[i] *= isnan(time) ? -s->rate[i] : exp(-s->rate[i] * time);
    reflect(out, s->v);
}

static bool rate(double *rates, double x, const double *y, void *user)
{
    linear *s = user;
    double away[SIZE];
    (void)x;
    for (int i = 0; i < SIZE; i++)
        away[i] = y[i] - s->middle[i];
    apply(rates, s, away, NAN);
    s->calls++;
    return s->last_call == 0 || s->calls <= s->last_call;
}

static bool jacobian(double *columns, double x, const double *y, void *user)
{
    (void)x, (void)y;
    for (int j = 0; j < SIZE; j++) {
        double unit[SIZE] = {0};
        unit[j] = 1;
        apply(columns + j * SIZE, user, unit, NAN);
    }
    return true;
}

static bool target(double *value, double x, const double *y, void *user)
{
    const linear *s = user;
    (void)x;
    *value = y[0] - s->goal;
    return true;
}

/* Rates from 1 to 10^6, in a turned frame. */
static linear random_system(uint64_t seed)
{
    linear s = {.goal = INFINITY};
    double length = 0;
    fathom_random_normals(s.v, SIZE, seed, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(s.middle, SIZE, seed, FATHOM_STREAM_DATA, 1, 0);
    for (int i = 0; i < SIZE; i++) {
        s.rate[i] = pow(10, 6.0 * i / (SIZE - 1));
        length += s.v[i] * s.v[i];
    }
    for (int i = 0; i < SIZE; i++)
        s.v[i] /= sqrt(length);
    return s;
}

static fathom_stiff_run *integrator(void)
{
    fathom_stiff_run *run = NULL;
    assert_int_equal(fathom_stiff_find(&run, context), FATHOM_OK);
    return run;
}

static void test_linear(void **state)
{
    fathom_stiff_run *run = integrator();
    (void)state;
    for (int64_t seed = 0; seed < test_trials(20); seed++) {
        linear s = random_system((uint64_t)seed);
        const fathom_stiff system = {SIZE, 0, &s, rate, jacobian, NULL};
        double y[SIZE], away[SIZE], expected[SIZE], x = 0;
        fathom_random_normals(away, SIZE, (uint64_t)seed, FATHOM_STREAM_DATA, 2, 0);
        for (int i = 0; i < SIZE; i++)
            y[i] = s.middle[i] + away[i];
        apply(expected, &s, away, 2);
        assert_true(run(y, &x, &system, 2));
        assert_true(x == 2);
        for (int i = 0; i < SIZE; i++)
            assert_close(y[i], s.middle[i] + expected[i], 1e-7);
        assert_true(s.calls < 20000); /* an explicit method would take a million */
    }
}

static void test_target(void **state)
{
    fathom_stiff_run *run = integrator();
    (void)state;
    linear s = {.rate = {1, 10, 100, 1000, 1e4, 1e5}, .goal = 0.25};
    const fathom_stiff system = {SIZE, 1, &s, rate, jacobian, target};
    double y[SIZE] = {1, 1, 1, 1, 1, 1}, x = 0;
    assert_true(run(y, &x, &system, 5));
    assert_close(x, log(4), 1e-7);
    assert_close(y[0], 0.25, 1e-7);
}

static void test_no_value(void **state)
{
    fathom_stiff_run *run = integrator();
    (void)state;
    linear s = {.rate = {1, 10, 100, 1000, 1e4, 1e5}, .last_call = 5};
    const fathom_stiff system = {SIZE, 0, &s, rate, jacobian, NULL};
    double y[SIZE] = {1, 1, 1, 1, 1, 1}, x = 0;
    assert_false(run(y, &x, &system, 5));
}

/* What cannot be loaded says why: no such file, no library, no such function. */
static void test_failures(void **state)
{
    static const struct {
        fathom_module module;
        const char *word;
    } cases[] = {
        {{"no-such-module.so", "f", "M"}, "M cannot be loaded: "},
        {{FATHOM_SOURCE_ROOT "/README.md", "f", "M"}, "README.md"},
        {{"libc.so.6", "no_such_function", "M"}, "no_such_function"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fathom_platform_function *function;
        char failure[FATHOM_MODULE_TEXT] = "";
        assert_int_equal(fathom_module_find(&function, &cases[k].module, failure), FATHOM_ERROR_RUNTIME);
        assert_null(function);
        assert_non_null(strstr(failure, cases[k].word));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_target),
        cmocka_unit_test(test_no_value),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
