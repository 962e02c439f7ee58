/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of finite programs: a run that ends after any number of iterations and goes on from its file gives the bits of
 * an undisturbed one, for every method; another program, another method and damaged numbers are refused, or the
 * interval holds all the same.
 */
#include "margin_cases.h"

#include <unistd.h>

#include "context_internal.h"
#include "npz.h"

typedef fathom_status solver(fathom_margin_pair *pair, fathom_context *context,
                             const fathom_margin_problem *problem, const fathom_margin_target *target);

typedef struct method {
    const char *name;
    solver *solve;
    int64_t n, d, m;
    double gap;
    int64_t cuts[4]; /* iterations after which a run is cut; 0: none */
} method;

static const method methods[] = {
    {"interior point", fathom_margin_interior, 30, 4, 20, 1e-9, {1, 3, 7, 0}},
    {"first order", fathom_margin_first_order, 30, 3, 20, 1e-4, {20, 45, 100, 300}},
    {"working set", fathom_margin_by_working_set, 400, 3, 4, 1e-9, {1, 2, 4, 9}},
    {"descent", fathom_margin_descent, 12, 3, 16, 0.4, {1, 100, 250, 600}},
};
enum { METHODS = sizeof methods / sizeof *methods };

static fathom_context *context;
static char path[64];

static int begin(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "margin-state-%ld.npz", (long)getpid());
    const fathom_status status = fathom_context_create(&context, NULL);
    fathom_context_set_threads(context, 1); /* small programs by the thousand */
    return status != FATHOM_OK;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    fathom_context_free(context);
    return 0;
}

static margin_case make_case(const method *m, uint64_t seed)
{
    margin_case c = case_portable(m->n, m->d, seed);
    for (int64_t i = 0; i < c.n; i++) /* a positive margin; of many points several rounds are needed */
        c.y[i] = c.x[i * c.d] > 0 ? 1 : -1;
    case_sign(&c);
    return c;
}

static fathom_status solve(fathom_margin_pair *pair, const method *m, const fathom_margin_problem *p,
                           int64_t limit, const char *checkpoint, const char *resume)
{
    fathom_margin_keeper keeper = {context, checkpoint, resume, 0, 0};
    const fathom_margin_target target = {m->gap, 1e-13, 0, limit};
    pair->keeper = &keeper;
    const fathom_status status = m->solve(pair, context, p, &target);
    pair->keeper = NULL;
    return status;
}

static fathom_margin_pair make_pair(const fathom_margin_problem *p)
{
    return (fathom_margin_pair){.q = calloc((size_t)p->n, sizeof(double)),
                                .w = calloc((size_t)(p->m * (p->d + 1)), sizeof(double))};
}

static void free_pair(fathom_margin_pair *pair)
{
    free(pair->q);
    free(pair->w);
}

static void same_bits(const fathom_margin_pair *a, const fathom_margin_pair *b,
                      const fathom_margin_problem *p)
{
    assert_true(a->lower == b->lower && a->upper == b->upper && a->iterations == b->iterations &&
                a->outcome == b->outcome);
    assert_memory_equal(a->q, b->q, (size_t)p->n * sizeof(double));
    assert_memory_equal(a->w, b->w, (size_t)(p->m * p->d) * sizeof(double));
}

static void goes_on(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            margin_case c = make_case(methods + k, seed);
            fathom_margin_problem p = case_problem(&c, methods[k].m, 100 + seed);
            fathom_margin_pair whole = make_pair(&p);
            assert_ok(context, solve(&whole, methods + k, &p, 20000, NULL, NULL));
            for (int cut = 0; cut < 4; cut++) {
                fathom_margin_pair first = make_pair(&p), rest = make_pair(&p);
                unlink(path);
                assert_ok(context, solve(&first, methods + k, &p, methods[k].cuts[cut], path, NULL));
                if (access(path, F_OK) == 0) { /* the end may come before the first state */
                    assert_ok(context, solve(&rest, methods + k, &p, 20000, NULL, path));
                    if (strcmp(methods[k].name, "working set") != 0) /* its limit is that of every round */
                        same_bits(&whole, &rest, &p);
                    assert_true(rest.lower <= whole.upper && whole.lower <= rest.upper);
                } else {
                    assert_true(cut == 0 || methods[k].cuts[cut] == 0);
                }
                free_pair(&first);
                free_pair(&rest);
            }
            free_pair(&whole);
            problem_free(&p);
            case_free(&c);
        }
}

/* The working set: states of a whole run, the last of them before its last round. */
static void last_round(void **state)
{
    (void)state;
    const method *m = methods + 2;
    int64_t later = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        margin_case c = make_case(m, seed);
        fathom_margin_problem p = case_problem(&c, m->m, 100 + seed);
        fathom_margin_pair whole = make_pair(&p), rest = make_pair(&p);
        assert_ok(context, solve(&whole, m, &p, 200, path, NULL));
        assert_ok(context, solve(&rest, m, &p, 200, NULL, path));
        same_bits(&whole, &rest, &p);
        fathom_npz *npz;
        fathom_array numbers;
        assert_ok(context, fathom_npz_open(&npz, context, path));
        assert_ok(context, fathom_npz_get(&numbers, npz, "numbers"));
        later += numbers.values[1] > 1;
        fathom_array_free(context, &numbers);
        fathom_npz_close(npz);
        free_pair(&whole);
        free_pair(&rest);
        problem_free(&p);
        case_free(&c);
    }
    assert_true(later > 0); /* some set had to grow */
}

/* A state of another program, or of another method on the same one, is refused. */
static void belongs(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        margin_case c = make_case(methods + k, 1);
        fathom_margin_problem p = case_problem(&c, methods[k].m, 101),
                              q = case_problem(&c, methods[k].m, 102);
        fathom_margin_pair pair = make_pair(&p);
        assert_ok(context, solve(&pair, methods + k, &p, 100, path, NULL));
        assert_int_equal(solve(&pair, methods + k, &q, 100, NULL, path), FATHOM_ERROR_INPUT);
        assert_int_equal(solve(&pair, methods + (k + 1) % METHODS, &p, 100, NULL, path), FATHOM_ERROR_INPUT);
        assert_int_equal(solve(&pair, methods + k, &p, 100, NULL, "/nowhere/x.npz"), FATHOM_ERROR_INPUT);
        free_pair(&pair);
        problem_free(&p);
        problem_free(&q);
        case_free(&c);
    }
}

/* The file with number `at` of a member changed. */
static void damage(const char *name, int64_t at, double value)
{
    static const char *const members[] = {"problem", "numbers", "q",      "z",      "margin",
                                          "s",       "w",       "t",      "mean_q", "start_q",
                                          "mean_w",  "start_w", "points", "best_q", "best_w"};
    fathom_npz *npz;
    fathom_npz_writer *writer;
    char **format;
    int64_t texts;
    assert_ok(context, fathom_npz_open(&npz, context, path));
    assert_ok(context, fathom_npz_get_texts(&format, &texts, npz, "format"));
    assert_ok(context, fathom_npz_create(&writer, context, path));
    fathom_npz_add_texts(writer, "format", (const char *const *)format, texts);
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        fathom_array array;
        if (!fathom_npz_has(npz, members[k]))
            continue;
        assert_ok(context, fathom_npz_get(&array, npz, members[k]));
        if (strcmp(members[k], name) == 0)
            array.values[at % array.count] = value;
        fathom_npz_add(writer, members[k], array.values, 1, &array.count, array.count);
        fathom_array_free(context, &array);
    }
    assert_ok(context, fathom_npz_commit(writer));
    fathom_npz_texts_free(context, format, texts);
    fathom_npz_close(npz);
}

/* Whatever is written into a state: an interval that holds the margin, said to be reached only where it is narrow. */
static void not_believed(void **state)
{
    (void)state;
    skip_if_brief();
    static const char *const names[] = {"numbers", "q", "w", "best_q", "best_w", "t", "points", "mean_q"};
    static const double values[] = {0, -1, 0.5, 1e300, 3};
    for (int k = 0; k < METHODS; k++) {
        margin_case c = make_case(methods + k, 3);
        fathom_margin_problem p = case_problem(&c, methods[k].m, 103);
        fathom_margin_pair whole = make_pair(&p), rest = make_pair(&p);
        assert_ok(context, solve(&whole, methods + k, &p, 1000, NULL, NULL));
        for (int64_t turn = 0; turn < 40; turn++) {
            unlink(path);
            assert_ok(context, solve(&rest, methods + k, &p, 30, path, NULL));
            damage(names[turn % 8], turn / 8, values[turn % 5]);
            const fathom_status status = solve(&rest, methods + k, &p, 1000, NULL, path);
            assert_true(status == FATHOM_OK || status == FATHOM_ERROR_INPUT);
            if (status != FATHOM_OK)
                continue;
            assert_true(rest.lower <= whole.upper * (1 + 1e-12) && whole.lower <= rest.upper * (1 + 1e-12));
            assert_true(rest.outcome != FATHOM_MARGIN_REACHED || strcmp(methods[k].name, "descent") == 0 ||
                        rest.upper - rest.lower <= 2 * methods[k].gap * rest.upper);
            assert_true(rest.outcome != FATHOM_MARGIN_ZERO || rest.upper <= 1e-9);
        }
        free_pair(&whole);
        free_pair(&rest);
        problem_free(&p);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(goes_on), cmocka_unit_test(last_round),
                                       cmocka_unit_test(belongs), cmocka_unit_test(not_believed)};
    return cmocka_run_group_tests(tests, begin, end);
}
