/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones per second.
 *
 *     bench_cones [repeats [threads]]
 *
 * Gaussian data in d = 2 .. 6 dimensions: all cones found and written to a file (temporary directory), without and with
 * witnesses, on all cores or as many threads as asked for; the resonance arrangements (all nonzero 0/1 vectors), which are far from general position;
 * and an enumerator that solves one linear program per cell and hyperplane (Rada and Cerny 2018), on data small enough
 * for it. Times are the best of `repeats` (default 3); the processor time beside them says what a busy machine hides.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fathom/cones.h"

#include "clock.h"
#include "lp.h"
#include "random.h"

enum { REPEATS = 3 };

static void check(fathom_context *context, fathom_status status)
{
    if (status == FATHOM_OK)
        return;
    fprintf(stderr, "%s\n", fathom_context_error(context)->text);
    exit(1);
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Best wall and processor seconds of listing the cones; gives their number. */
static int64_t list_cones(double seconds[2], fathom_context *context, const fathom_data *data, bool witness,
                          int repeats)
{
    char path[] = "/tmp/fathom-bench-XXXXXX";
    const int handle = mkstemp(path);
    fathom_cones_options options;
    fathom_cones_result result = {0};
    if (handle < 0)
        exit(1);
    close(handle);
    fathom_options_init(&options, &fathom_cones_option_table);
    options.list = path;
    options.witness = witness ? 0 : 1;
    seconds[0] = seconds[1] = INFINITY;
    for (int k = 0; k < repeats; k++) {
        const double wall = fathom_clock_seconds(), processor = processor_seconds();
        check(context, fathom_cones_run(&result, context, data, &options));
        seconds[0] = fmin(seconds[0], fathom_clock_seconds() - wall);
        seconds[1] = fmin(seconds[1], processor_seconds() - processor);
    }
    remove(path);
    return result.cones;
}

static void row(const char *name, fathom_context *context, const fathom_data *data, bool witness, int repeats)
{
    double seconds[2];
    const int64_t cones = list_cones(seconds, context, data, witness, repeats);
    printf("| %-22s | %9lld | %-3s | %8.4f | %8.4f | %6.2f | %6.2f |\n", name, (long long)cones,
           witness ? "yes" : "no", seconds[0], seconds[1], (double)cones / seconds[0] / 1e6,
           (double)cones / seconds[1] / 1e6);
    fflush(stdout);
}

/* All nonzero 0/1 vectors of R^d. */
static fathom_data *resonance(fathom_context *context, int64_t d)
{
    const int64_t n = ((int64_t)1 << d) - 1;
    double *x = malloc((size_t)(n * d) * sizeof *x);
    fathom_data *data;
    if (!x)
        exit(1);
    for (int64_t k = 0; k < n * d; k++)
        x[k] = (double)((k / d + 1) >> (k % d) & 1);
    check(context, fathom_data_create(&data, context, n, d, x, d, 0, NULL, NULL, NULL));
    free(x);
    return data;
}

/* ---- the enumerator by linear programs ---- */

typedef struct lp_search {
    fathom_context *context;
    int64_t n, d, cones, programs;
    const double *x;
    double *a;   /* n x (d + 1): rows sign_i x_i, and -1 for the margin */
    double *low; /* n zeros */
    double *high, *cost, *column_low, *column_high;
} lp_search;

/* Whether the signs of rows 0 .. k-1 of s->a leave a cell: max t with sign_i <x_i, z> >= t, |z|_inf <= 1. */
static bool feasible(lp_search *s, int64_t k)
{
    const fathom_lp lp = {.rows = k,
                          .columns = s->d + 1,
                          .a = s->a,
                          .cost = s->cost,
                          .column_low = s->column_low,
                          .column_high = s->column_high,
                          .row_low = s->low,
                          .row_high = s->high};
    double value;
    bool optimal;
    s->programs++;
    check(s->context, fathom_lp_solve(&value, NULL, NULL, &optimal, s->context, &lp));
    return optimal && value < -1e-9;
}

/* All completions of the signs of rows 0 .. k-1. */
static void descend(lp_search *s, int64_t k)
{
    if (k == s->n) {
        s->cones++;
        return;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int64_t c = 0; c < s->d; c++)
            s->a[k * (s->d + 1) + c] = sign * s->x[k * s->d + c];
        s->a[k * (s->d + 1) + s->d] = -1;
        if (feasible(s, k + 1))
            descend(s, k + 1);
    }
}

static double *filled(int64_t count, double value)
{
    double *v = malloc((size_t)count * sizeof *v);
    if (!v)
        exit(1);
    for (int64_t k = 0; k < count; k++)
        v[k] = value;
    return v;
}

static void program_row(const char *name, fathom_context *context, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    lp_search s = {.context = context, .n = view.n, .d = view.d, .x = view.x};
    s.a = filled(view.n * (view.d + 1), 0);
    s.low = filled(view.n, 0);
    s.high = filled(view.n, INFINITY);
    s.cost = filled(view.d + 1, 0);
    s.cost[view.d] = -1;
    s.column_low = filled(view.d + 1, -1);
    s.column_high = filled(view.d + 1, 1);
    const double wall = fathom_clock_seconds(), processor = processor_seconds();
    descend(&s, 0);
    const double seconds = fathom_clock_seconds() - wall, own = processor_seconds() - processor;
    printf("| %-22s | %9lld | lp  | %8.4f | %8.4f | %6.4f | %6.4f |  %lld programs\n", name,
           (long long)s.cones, seconds, own, (double)s.cones / seconds / 1e6, (double)s.cones / own / 1e6,
           (long long)s.programs);
    free(s.a);
    free(s.low);
    free(s.high);
    free(s.cost);
    free(s.column_low);
    free(s.column_high);
}

int main(int argc, char **argv)
{
    const int repeats = argc > 1 ? atoi(argv[1]) : REPEATS;
    const char *spec[] = {"gen:gauss,n=100000,d=2", "gen:gauss,n=1000,d=3", "gen:gauss,n=2000,d=3",
                          "gen:gauss,n=150,d=4",    "gen:gauss,n=60,d=5",   "gen:gauss,n=36,d=6"};
    fathom_context *context;
    fathom_data *data;
    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    fathom_context_set_threads(context, argc > 2 ? atoi(argv[2]) : 0);
    printf("%d threads; million cones per second of wall and of processor time\n\n",
           fathom_context_threads(context));
    puts("| data                   |     cones | wit |     wall |      cpu |  M/s w |  M/s c |");
    puts("|------------------------|-----------|-----|----------|----------|--------|--------|");
    for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
        check(context, fathom_data_open(&data, context, spec[k], NULL));
        row(spec[k] + 4, context, data, false, repeats);
        row(spec[k] + 4, context, data, true, repeats);
        fathom_data_free(data);
    }
    for (int64_t d = 4; d <= 5; d++) {
        data = resonance(context, d);
        row(d == 4 ? "resonance in R^4" : "resonance in R^5", context, data, true, repeats);
        fathom_data_free(data);
    }
    check(context, fathom_data_open(&data, context, "gen:gauss,n=16,d=4", NULL));
    row("gauss,n=16,d=4", context, data, true, repeats);
    program_row("gauss,n=16,d=4", context, data);
    fathom_data_free(data);
    fathom_context_free(context);
    return 0;
}
