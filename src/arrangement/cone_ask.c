/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cone C(U) = {z : <x_i, z> > 0 for i in U, <x_i, z> <= 0 for the others}, asked for by its pattern,
 * without the others.
 *
 * Empty: by Motzkin's alternative there are l >= 0, not all 0 on U, with sum_U l_i x_i = sum_others l_i x_i.
 * Otherwise there is a point z. Points outside U with <x_i, z> = 0 either vanish on all of C(U), and then by
 * the same alternative sum l_i x_i = 0 over such points with l_i > 0 [000, Lemma B.4 in the form of
 * docs/explanation/arrangement.md]; or a direction h moves z off their hyperplanes, and large multiples of z plus h stay
 * in C(U). In the end z is in the relative interior, and dim C(U) = d - rank of the points that vanish. All
 * in rational arithmetic; at most one program of d + 1 rows for each of them.
 */
#include <string.h>

#include "dense.h"
#include "exact.h"
#include "exact_motzkin.h"
#include "fathom/cones.h"
#include "memory.h"

struct fathom_cone {
    fathom_context *context;
    fathom_cone_view view;
    char **witness, **weight; /* d, n */
    double *point;            /* d */
    bool *forced;             /* n */
};

/* Everything on the way, n and d being the cone's. */
typedef struct search {
    fathom_context *context;
    int64_t n, d;
    double *x;
    const bool *active;
    signed char *sign, *kind;    /* n */
    bool *forced;                /* n */
    mpq_t *lambda, *sum, *z, *h; /* n, n, d, d */
} search;

static mpq_t *rationals(fathom_context *context, int64_t count)
{
    mpq_t *v = fathom_memory_alloc(context, count, sizeof *v);
    for (int64_t k = 0; v && k < count; k++)
        mpq_init(v[k]);
    return v;
}

static void rationals_free(fathom_context *context, mpq_t *v, int64_t count)
{
    for (int64_t k = 0; v && k < count; k++)
        mpq_clear(v[k]);
    fathom_memory_free(context, v);
}

/* out = <x_i, z>. */
static void product(mpq_t out, const search *s, int64_t i, mpq_t *z)
{
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(out, 0, 1);
    for (int64_t k = 0; k < s->d; k++) {
        mpq_set_d(term, s->x[i * s->d + k]);
        mpq_mul(term, term, z[k]);
        mpq_add(out, out, term);
    }
    mpq_clear(term);
}

static bool is_zero_row(const search *s, int64_t i)
{
    for (int64_t k = 0; k < s->d; k++)
        if (s->x[i * s->d + k] != 0)
            return false;
    return true;
}

/* The points whose hyperplanes z lies on become the program: strict unless they are known to be forced. True
 * where one is open. */
static bool choose_open(search *s)
{
    bool open = false;
    mpq_t value;
    mpq_init(value);
    for (int64_t i = 0; i < s->n; i++) {
        product(value, s, i, s->z);
        s->kind[i] = -1;
        if (s->active[i] || is_zero_row(s, i) || mpq_sgn(value) != 0)
            continue;
        s->kind[i] = !s->forced[i];
        open |= !s->forced[i];
    }
    mpq_clear(value);
    return open;
}

/* z = m z + h with m so large that no sign of <x_i, z> != 0 changes. */
static void move(search *s)
{
    mpq_t most, one, other;
    mpq_inits(most, one, other, NULL);
    for (int64_t i = 0; i < s->n; i++) {
        product(one, s, i, s->z);
        if (mpq_sgn(one) == 0)
            continue;
        product(other, s, i, s->h);
        mpq_div(other, other, one);
        mpq_abs(other, other);
        if (mpq_cmp(other, most) > 0)
            mpq_set(most, other);
    }
    mpq_set_ui(one, 1, 1);
    mpq_add(most, most, one);
    for (int64_t k = 0; k < s->d; k++) {
        mpq_mul(s->z[k], s->z[k], most);
        mpq_add(s->z[k], s->z[k], s->h[k]);
    }
    mpq_clears(most, one, other, NULL);
}

/* Points that vanish on the cone, with their relation in `sum`, and z in its relative interior. */
static fathom_status find_forced(search *s)
{
    fathom_status status = FATHOM_OK;
    for (bool solved = true; solved && status == FATHOM_OK && choose_open(s);) {
        status =
            fathom_exact_motzkin(&solved, s->lambda, s->h, s->context, s->n, s->d, s->x, s->sign, s->kind);
        if (status == FATHOM_OK && !solved)
            move(s);
        for (int64_t i = 0; i < s->n && solved && status == FATHOM_OK; i++)
            if (mpq_sgn(s->lambda[i]) > 0) {
                s->forced[i] = true;
                mpq_add(s->sum[i], s->sum[i], s->lambda[i]);
            }
    }
    return status;
}

/* The whole answer: *empty, z or the relation. */
static fathom_status decide(bool *empty, search *s)
{
    bool any = false;
    for (int64_t i = 0; i < s->n; i++) {
        s->sign[i] = s->active[i] ? 1 : -1;
        s->kind[i] = s->active[i];
        any |= s->active[i];
    }
    *empty = false;
    fathom_status status = FATHOM_OK;
    if (any)
        status = fathom_exact_motzkin(empty, s->sum, s->z, s->context, s->n, s->d, s->x, s->sign, s->kind);
    return status == FATHOM_OK && !*empty ? find_forced(s) : status;
}

/* text (count) = the least multiples of the rationals in integers, decimal; all zeros stay so. */
static fathom_status write_integers(char ***text, fathom_context *context, mpq_t *value, int64_t count)
{
    fathom_status status = FATHOM_OK;
    mpz_t multiple, common, each;
    mpz_init_set_ui(multiple, 1);
    mpz_inits(common, each, NULL);
    *text = fathom_memory_zero(context, count, sizeof **text);
    for (int64_t k = 0; k < count; k++)
        mpz_lcm(multiple, multiple, mpq_denref(value[k]));
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < count && *text && status == FATHOM_OK; k++) {
            mpz_divexact(each, multiple, mpq_denref(value[k]));
            mpz_mul(each, each, mpq_numref(value[k]));
            if (pass == 0) {
                mpz_gcd(common, common, each);
                continue;
            }
            if (mpz_sgn(common) != 0)
                mpz_divexact(each, each, common);
            (*text)[k] = fathom_memory_alloc(context, (int64_t)mpz_sizeinbase(each, 10) + 2, 1);
            if ((*text)[k])
                mpz_get_str((*text)[k], 10, each);
            else
                status = FATHOM_ERROR_MEMORY;
        }
    mpz_clears(multiple, common, each, NULL);
    return *text ? status : FATHOM_ERROR_MEMORY;
}

/* z over its largest entry, rounded. */
static void write_point(double *point, mpq_t *z, int64_t d)
{
    mpq_t most, one;
    mpq_inits(most, one, NULL);
    for (int64_t k = 0; k < d; k++) {
        mpq_abs(one, z[k]);
        if (mpq_cmp(one, most) > 0)
            mpq_set(most, one);
    }
    for (int64_t k = 0; k < d; k++) {
        if (mpq_sgn(most) != 0)
            mpq_div(one, z[k], most);
        point[k] = mpq_sgn(most) != 0 ? mpq_get_d(one) : 0;
    }
    mpq_clears(most, one, NULL);
}

/* d - rank of the forced points. */
static fathom_status find_dimension(int64_t *dimension, const search *s)
{
    int64_t count = 0;
    double *rows = fathom_memory_alloc(s->context, s->n * s->d, sizeof *rows);
    if (!rows)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < s->n; i++)
        if (s->forced[i])
            memcpy(rows + count++ * s->d, s->x + i * s->d, (size_t)s->d * sizeof *rows);
    *dimension = s->d - (count > 0 ? fathom_exact_rank(rows, count, s->d, s->d) : 0);
    fathom_memory_free(s->context, rows);
    return FATHOM_OK;
}

static void search_free(search *s)
{
    FATHOM_FREE(s->context, s->x, s->sign);
    rationals_free(s->context, s->lambda, s->n);
    rationals_free(s->context, s->sum, s->n);
    rationals_free(s->context, s->z, s->d);
    rationals_free(s->context, s->h, s->d);
}

static fathom_status search_create(search *s, const fathom_data_view *view)
{
    fathom_status status = fathom_dense_copy(&s->x, view, s->context);
    s->sign = fathom_memory_zero(s->context, 2 * s->n, sizeof *s->sign);
    s->lambda = rationals(s->context, s->n);
    s->sum = rationals(s->context, s->n);
    s->z = rationals(s->context, s->d);
    s->h = rationals(s->context, s->d);
    s->kind = s->sign ? s->sign + s->n : NULL;
    return status != FATHOM_OK                              ? status
           : s->sign && s->lambda && s->sum && s->z && s->h ? FATHOM_OK
                                                            : FATHOM_ERROR_MEMORY;
}

static fathom_status answer(fathom_cone *cone, search *s)
{
    fathom_cone_view *view = &cone->view;
    cone->point = fathom_memory_zero(s->context, s->d, sizeof *cone->point);
    cone->forced = s->forced = fathom_memory_zero(s->context, s->n, sizeof *cone->forced);
    if (!cone->point || !cone->forced)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = decide(&view->empty, s);
    view->dimension = -1;
    if (status == FATHOM_OK && !view->empty) {
        write_point(cone->point, s->z, s->d);
        status = find_dimension(&view->dimension, s);
    }
    if (status == FATHOM_OK && !view->empty)
        status = write_integers(&cone->witness, s->context, s->z, s->d);
    FATHOM_THEN(status, write_integers(&cone->weight, s->context, s->sum, s->n));
    return status;
}

fathom_status fathom_cone_ask(fathom_cone **cone, fathom_context *context, const fathom_data *data,
                              const bool *active)
{
    const fathom_data_view view = fathom_data_look(data);
    search s = {.context = context, .n = view.n, .d = view.d, .active = active};
    fathom_cone *c = *cone = fathom_memory_zero(context, 1, sizeof *c);
    if (!c)
        return FATHOM_ERROR_MEMORY;
    c->context = context;
    c->view.n = view.n;
    c->view.d = view.d;
    fathom_status status = search_create(&s, &view);
    FATHOM_THEN(status, answer(c, &s));
    search_free(&s);
    if (status != FATHOM_OK) {
        fathom_cone_free(c);
        *cone = NULL;
    }
    return status;
}

static void texts_free(fathom_context *context, char **text, int64_t count)
{
    for (int64_t k = 0; text && k < count; k++)
        fathom_memory_free(context, text[k]);
    fathom_memory_free(context, text);
}

void fathom_cone_free(fathom_cone *cone)
{
    if (!cone)
        return;
    texts_free(cone->context, cone->witness, cone->view.d);
    texts_free(cone->context, cone->weight, cone->view.n);
    FATHOM_FREE(cone->context, cone->point, cone->forced, cone);
}

fathom_cone_view fathom_cone_look(const fathom_cone *cone)
{
    fathom_cone_view view = cone->view;
    view.witness = (const char *const *)cone->witness;
    view.weight = (const char *const *)cone->weight;
    view.point = view.empty ? NULL : cone->point;
    view.forced = cone->forced;
    return view;
}
