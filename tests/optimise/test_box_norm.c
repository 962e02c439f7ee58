/* SPDX-License-Identifier: Apache-2.0 */
/* Least norms over boxes whose solution is known by construction, also where columns nearly depend on each
 * other. */
#include <string.h>

#include "box_norm.h"
#include "random.h"
#include "with_context.h"

enum { R = 5, COUNT = 12, WORK = 4096 };

static double dot(const double *a, const double *b, int64_t r)
{
    double sum = 0;
    for (int64_t l = 0; l < r; l++)
        sum += a[l] * b[l];
    return sum;
}

/* z += (wanted - w'z) w / |w|^2. */
static void turn(double *z, const double *w, double wanted, int64_t r)
{
    const double factor = (wanted - dot(w, z, r)) / dot(w, w, r);
    for (int64_t l = 0; l < r; l++)
        z[l] += factor * w[l];
}

/* Column j = an offset + z_j with q_j'w of the sign that its variable's place asks for (0 inside, 1 below,
 * -1 above), and g = w - sum x_j q_j: the least norm is |w|, to the rounding of these sums, whose terms add
 * up to `size`. */
static double construct(double *g, double *q, double *x, const double *upper, const double *w,
                        const double *offset, int64_t r, int64_t count)
{
    double size = sqrt(dot(w, w, r));
    memcpy(g, w, (size_t)r * sizeof *g);
    for (int64_t j = 0; j < count; j++) {
        double *column = q + j * r;
        const int place = (int)(j % 3) - 1;
        x[j] = place > 0 ? 0 : place < 0 ? upper[j] : upper[j] / 3;
        turn(column, w, place * fabs(column[0]), r);
        for (int64_t l = 0; l < r; l++)
            column[l] += offset[l];
        for (int64_t l = 0; l < r; l++)
            g[l] -= x[j] * column[l];
        size += upper[j] * sqrt(dot(column, column, r));
    }
    return size;
}

/* Columns around one point, 10^0 to 10^7 from the origin. */
static void test_least_for_columns_with_an_offset(void **state)
{
    (void)state;
    double q[COUNT * R], g[R], upper[COUNT], x[COUNT], w[R], offset[R], got[R], work[WORK];
    const double *column[COUNT];
    for (uint32_t trial = 0; trial < test_trials(800); trial++) {
        const int64_t r = 2 + trial % (R - 1), count = 1 + trial % COUNT;
        fathom_random_normals(q, count * r, 7, FATHOM_STREAM_DATA, trial, 0);
        fathom_random_normals(w, r, 7, FATHOM_STREAM_LABEL, trial, 0);
        fathom_random_normals(offset, r, 7, FATHOM_STREAM_TEACHER, trial, 0);
        fathom_random_normals(upper, count, 7, FATHOM_STREAM_START, trial, 0);
        turn(offset, w, 0, r);
        for (int64_t l = 0; l < r; l++)
            offset[l] *= pow(10, trial % 8);
        for (int64_t j = 0; j < count; j++) {
            upper[j] = fabs(upper[j]) + 1e-3;
            column[j] = q + j * r;
        }
        const double size = construct(g, q, x, upper, w, offset, r, count);
        for (int64_t j = 0; j < count; j++)
            x[j] = trial % 3 == 0 ? 0 : trial % 3 == 1 ? upper[j] : upper[j] / 2;
        const fathom_box_norm p = {r, count, g, column, upper, 0, 2000, true};
        assert_true(fathom_box_norm_work(r, count) <= WORK);
        const double norm = fathom_box_norm_solve(x, got, &p, work);
        for (int64_t j = 0; j < count; j++)
            assert_true(x[j] >= 0 && x[j] <= upper[j]);
        assert_close(norm, sqrt(dot(w, w, r)), 8 * (double)(count + r) * UNIT_ROUNDOFF * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_for_columns_with_an_offset)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
