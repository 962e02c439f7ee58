/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor on this machine, whatever it is: figures that fit together, and findings where something was
 * made wrong. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "fathom/doctor.h"

static bool found(const fathom_doctor *d, const char *text)
{
    for (int k = 0; k < d->findings; k++)
        if (strstr(d->finding[k], text))
            return true;
    return false;
}

static void figures(void **state)
{
    (void)state;
    static fathom_doctor d;
    fathom_doctor_look(&d, true);
    assert_true(d.peak > 0 && d.product > 0);
    assert_true(d.threads >= 1 && d.allowed >= 1 && d.processors >= 1);
    assert_true(d.libraries > 0 && d.memory > 0);
    assert_true(strcmp(d.kernels, d.best_kernels) == 0 || found(&d, "FATHOM_KERNELS"));
    assert_true(d.blas_fits == !found(&d, "LAPACK"));
    assert_false(found(&d, "cannot be loaded"));
}

static void made_wrong(void **state)
{
    (void)state;
    static fathom_doctor d;
    setenv("FATHOM_THREADS", "4000", 1);
    setenv("OMP_WAIT_POLICY", "active", 1);
    fathom_doctor_look(&d, false);
    assert_true(d.peak == 0);
    assert_int_equal(d.threads, 4000);
    assert_true(found(&d, "4000 threads") && found(&d, "spin"));
    unsetenv("FATHOM_THREADS");
    setenv("OMP_WAIT_POLICY", "passive", 1);
    fathom_doctor_look(&d, false);
    assert_false(found(&d, "4000 threads") || found(&d, "spin"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(made_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
