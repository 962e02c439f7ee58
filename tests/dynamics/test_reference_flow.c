/* SPDX-License-Identifier: Apache-2.0 */
/* The event-locked method and its late phase by CVODE: against frozen duals, conserved quantities, plateaus, resumed runs. */
#include "dynamics_testing.h"

#include <unistd.h>

static fathom_flow_options options_for(const char *net, int64_t width, const char *until)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.method = FATHOM_FLOW_FLOW, options.net = net, options.width = width, options.until = until;
    options.accuracy = 2;
    return options;
}

static const char two[] = "gen:twogauss,n=30,d=3,mean=1.8,gap=0.3";

/* To ln R = -1e6: both methods arrive at the same margins and angles; the reference in chunks. */
static void test_late(void **state)
{
    fathom_flow_options options = options_for("leaky:0.2", 8, "log_loss=-1e6");
    fathom_flow_result reference, frozen;
    assert_ok(*state, run_on(&reference, *state, two, &options));
    options.accuracy = 1;
    assert_ok(*state, run_on(&frozen, *state, two, &options));
    assert_int_equal(reference.status, FATHOM_FLOW_REACHED);
    assert_true(reference.end.steps < 3000);
    assert_close(reference.end.log_loss, -1e6, 1e-3);
    assert_close(reference.end.normalized_margin, frozen.end.normalized_margin, 1e-8);
    assert_close(reference.end.limit_angle, frozen.end.limit_angle, 1e-2 * frozen.end.limit_angle + 1e-9);
    assert_close(reference.end.log_time, frozen.end.log_time, 1e-2);
    assert_true(reference.end.kkt_residual < 1e-8);
    fathom_flow_result_clear(&reference);
    fathom_flow_result_clear(&frozen);
}

/* The curve does not depend on where records are made or the run is interrupted, late or early. */
static void test_resume(void **state)
{
    static const char *const stop[] = {"log_loss=-3", "log_loss=-1000"};
    char path[64];
    snprintf(path, sizeof path, "/tmp/fathom-reference-%ld", (long)getpid());
    for (int k = 0; k < 2; k++) {
        fathom_flow_options options = options_for("leaky:0.2", 8, stop[k]);
        fathom_flow_result result;
        options.checkpoint = path;
        assert_ok(*state, run_on(&result, *state, two, &options));
        const int64_t steps = result.end.steps;
        fathom_flow_result_clear(&result);
        options.until = "log_loss=-5000", options.resume = path;
        assert_ok(*state, run_on(&result, *state, two, &options));
        assert_int_equal(result.status, FATHOM_FLOW_REACHED);
        assert_true(result.end.steps > steps);
        assert_close(result.end.log_loss, -5000, 1e-6);
        fathom_flow_result_clear(&result);
    }
    unlink(path);
}

/* a_j^2 - |v_j|^2 is conserved to the tolerance of the integrator, and the smoothed margin never falls. */
static void watch(void *user, const fathom_flow_record *r)
{
    double *top = user;
    if (r->log_loss < log(log(2) / 16)) {
        assert_true(r->smoothed_normalized_margin >= *top);
        *top = r->smoothed_normalized_margin;
    }
    assert_true(r->balance < 1e-10 * r->norm * r->norm);
}

static void test_laws(void **state)
{
    fathom_flow_options options = options_for("relu", 12, "log_loss=-30");
    fathom_flow_result result;
    fathom_data *data;
    double top = -INFINITY;
    assert_ok(*state, fathom_data_open(&data, *state, "gen:parity,d=4,all=1", NULL));
    assert_ok(*state, fathom_flow_watch(&result, *state, data, &options, NULL, watch, &top));
    assert_int_equal(result.status, FATHOM_FLOW_REACHED);
    fathom_flow_result_clear(&result);
    fathom_data_free(data);
}

/* No ReLU network classifies the cube: the run says that the loss no longer falls. */
static void test_plateau(void **state)
{
    for (int accuracy = 1; accuracy < 3; accuracy++) {
        fathom_flow_options options = options_for("relu", 16, "log_loss=-10");
        fathom_flow_result result;
        options.accuracy = accuracy;
        assert_ok(*state, run_on(&result, *state, "gen:cube,d=3", &options));
        assert_int_equal(result.status, FATHOM_FLOW_STUCK);
        fathom_flow_result_clear(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_late), cmocka_unit_test(test_resume),
                                       cmocka_unit_test(test_laws), cmocka_unit_test(test_plateau)};
    return cmocka_run_group_tests(tests, dynamics_setup, dynamics_teardown);
}
