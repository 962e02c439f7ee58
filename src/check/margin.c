/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about margins, z_i = y_i x_i, M_ji = 1 where gate j is open on point i, rho_j the weight of gate j:
 *
 *     lower <= max over |w_j| <= 1 of min_i sum_j rho_j M_ji <z_i, w_j> <= upper:
 *         the listed w_j give the left side, and any q >= 0 the right one: sum_j rho_j |sum_i q_i M_ji z_i| / sum_i q_i.
 *         rho_j = k_j / K for gate j counted k_j of K times; or, in the plane, the gates are all arcs (cones.c) and
 *         rho_j their angles over 2 pi: the margin of infinite width [000, Thm 4.2];
 *     the infinite-width margin is 0: two points on one ray with opposite labels, or pairs (a, b) with x_b = -t x_a,
 *         t > 0, y_a = 1, y_b = -1, whose x_a have 0 in the inside of their convex hull's cone: sum of l_a x_a = 0, l > 0.
 */
#include "ball.h"
#include "checker.h"

typedef struct margin {
    double *y;
    arb_struct *rho; /* m */
    dyadic upper, lower;
} margin;

/* sum_i q_i M_ji z_i into sum (d), on the grid x.e + q.e. */
static void gate_sum(grid *sum, const check *c, const double *y, const mpz_t *q, int64_t j)
{
    const int64_t d = c->data.d;
    const uint64_t *bits = c->gates.bits + j * c->gates.words;
    for (int64_t l = 0; l < d; l++)
        mpz_set_ui(sum->z[l], 0);
    for (int64_t i = 0; i < c->data.n; i++)
        for (int64_t l = 0; (bits[i / 64] >> (i % 64) & 1) && l < d; l++) {
            if (y[i] > 0)
                mpz_addmul(sum->z[l], q[i], c->x.z[i * d + l]);
            else
                mpz_submul(sum->z[l], q[i], c->x.z[i * d + l]);
        }
}

/* The right side for q. */
static void upper_value(arb_t out, check *c, const margin *a, const grid *q)
{
    grid sum;
    mpz_t square, total;
    arb_t ball;
    grid_init(c, &sum, c->data.d, c->x.e + q->e);
    mpz_init(square);
    mpz_init(total);
    arb_init(ball);
    arb_zero(out);
    for (int64_t j = 0; j < c->gates.m; j++) {
        gate_sum(&sum, c, a->y, (const mpz_t *)q->z, j);
        mpz_set_ui(square, 0);
        for (int64_t l = 0; l < c->data.d; l++)
            mpz_addmul(square, sum.z[l], sum.z[l]);
        ball_set(ball, square, 2 * sum.e);
        arb_sqrt(ball, ball, PRECISION);
        arb_mul(ball, ball, a->rho + j, PRECISION);
        arb_add(out, out, ball, PRECISION);
    }
    for (int64_t i = 0; i < c->data.n; i++)
        mpz_add(total, total, q->z[i]);
    ball_set(ball, total, q->e);
    arb_div(out, out, ball, PRECISION);
    arb_clear(ball);
    mpz_clear(total);
    mpz_clear(square);
    grid_clear(c, &sum);
}

/* score_i += rho_j M_ji <z_i, w_j>. */
static void add_scores(arb_struct *score, check *c, const margin *a, const grid *w, int64_t j)
{
    const int64_t d = c->data.d;
    const uint64_t *bits = c->gates.bits + j * c->gates.words;
    mpz_t dot;
    arb_t ball;
    mpz_init(dot);
    arb_init(ball);
    for (int64_t i = 0; i < c->data.n; i++) {
        if (!(bits[i / 64] >> (i % 64) & 1))
            continue;
        mpz_set_ui(dot, 0);
        for (int64_t l = 0; l < d; l++)
            mpz_addmul(dot, c->x.z[i * d + l], w->z[l]);
        if (a->y[i] < 0)
            mpz_neg(dot, dot);
        ball_set(ball, dot, c->x.e + w->e);
        arb_mul(ball, ball, a->rho + j, PRECISION);
        arb_add(score + i, score + i, ball, PRECISION);
    }
    arb_clear(ball);
    mpz_clear(dot);
}

/* The vectors w_j, |w_j| <= 1 exactly; returns whether the least score is as claimed. */
static bool check_separator(check *c, const margin *a)
{
    bool holds = true;
    mpz_t square, one;
    arb_struct *score = check_alloc(c, c->data.n, sizeof *score); /* zeroed memory is a ball of 0 */
    mpz_init(square);
    mpz_init(one);
    for (int64_t j = 0; j < c->gates.m; j++) {
        grid w;
        check_next_line(c, "vector");
        dyadic *numbers = check_numbers(c, c->data.d);
        check_line_end(c);
        grid_from(c, &w, numbers, c->data.d);
        check_free(c, numbers);
        mpz_set_ui(square, 0);
        for (int64_t l = 0; l < c->data.d; l++)
            mpz_addmul(square, w.z[l], w.z[l]);
        mpz_set_ui(one, 1);
        if (w.e < 0)
            mpz_mul_2exp(one, one, (mp_bitcnt_t)(-2 * w.e));
        else
            mpz_mul_2exp(square, square, (mp_bitcnt_t)(2 * w.e));
        if (mpz_cmp(square, one) > 0)
            check_fail(c, 4, "line %lld: the vector is longer than 1", (long long)c->line);
        add_scores(score, c, a, &w, j);
        grid_clear(c, &w);
    }
    for (int64_t i = 0; i < c->data.n; i++) {
        const double end = ball_lower(score + i);
        if (i == 0 || end < c->verdict.lower)
            c->verdict.lower = end;
        holds = holds && ball_at_least(score + i, &a->lower);
        arb_clear(score + i);
    }
    check_free(c, score);
    mpz_clear(one);
    mpz_clear(square);
    return holds;
}

/* k_j / K. */
static void read_counts(check *c, margin *a)
{
    int64_t total = 0;
    const int64_t units = check_integer(c, 1, INT64_C(1) << 40);
    for (int64_t j = 0; j < c->gates.m; j++) {
        const int64_t times = check_integer(c, 1, units);
        total += times;
        if (total > units)
            check_fail(c, 4, "line %lld: the gates are counted more often than there are units",
                       (long long)c->line);
        arb_set_si(a->rho + j, (slong)times);
        arb_div_si(a->rho + j, a->rho + j, (slong)units, PRECISION);
    }
}

/* a x b in the plane; the sign tells on which side of a b lies. */
static void cross(mpz_t out, const mpz_t *a, const mpz_t *b)
{
    mpz_mul(out, a[0], b[1]);
    mpz_submul(out, a[1], b[0]);
}

/* The edges of the arc around v: the rays (x_i turned by +-90 degrees) nearest to v on its two sides. A ray r on the left
 * (v x r > 0) is nearer than one l found before where r x l > 0; each lies within 180 degrees of v. */
static void find_edges(const check *c, const mpz_t *v, mpz_t *left, mpz_t *right)
{
    mpz_t ray[2], side;
    bool any[2] = {false, false};
    mpz_init(ray[0]), mpz_init(ray[1]), mpz_init(side);
    for (int64_t i = 0; i < 2 * c->data.n; i++) {
        const mpz_t *x = (const mpz_t *)c->x.z + i / 2 * 2;
        mpz_neg(ray[0], x[1]);
        mpz_set(ray[1], x[0]);
        if (i % 2) {
            mpz_neg(ray[0], ray[0]);
            mpz_neg(ray[1], ray[1]);
        }
        cross(side, v, (const mpz_t *)ray);
        const int on = mpz_sgn(side);
        mpz_t *edge = on > 0 ? left : right;
        if (on == 0) /* a zero row: v is on no hyperplane */
            continue;
        cross(side, (const mpz_t *)ray, (const mpz_t *)edge);
        if (!any[on < 0] || mpz_sgn(side) * on > 0) {
            mpz_set(edge[0], ray[0]);
            mpz_set(edge[1], ray[1]);
        }
        any[on < 0] = true;
    }
    mpz_clear(ray[0]), mpz_clear(ray[1]), mpz_clear(side);
}

/* The angle of the arc of gate j over 2 pi: edges are at most 180 degrees apart. */
static void arc_measure(arb_t out, const check *c, const mpz_t *v)
{
    mpz_t edge[4], one;
    arb_t x, y;
    for (int k = 0; k < 4; k++)
        mpz_init(edge[k]);
    mpz_init(one);
    arb_init(x), arb_init(y);
    find_edges(c, v, edge, edge + 2);
    cross(one, (const mpz_t *)edge + 2, (const mpz_t *)edge);
    ball_set(y, one, 0);
    mpz_mul(one, edge[0], edge[2]);
    mpz_addmul(one, edge[1], edge[3]);
    ball_set(x, one, 0);
    arb_atan2(out, y, x, PRECISION);
    arb_const_pi(x, PRECISION);
    arb_div(out, out, x, PRECISION);
    arb_mul_2exp_si(out, out, -1);
    arb_clear(x), arb_clear(y);
    mpz_clear(one);
    for (int k = 0; k < 4; k++)
        mpz_clear(edge[k]);
}

static void read_measure(check *c, margin *a)
{
    static const char *const kinds[] = {"units", "plane", NULL};
    check_next_line(c, "measure");
    const int kind = check_choice(c, kinds);
    a->rho = check_alloc(c, c->gates.m, sizeof *a->rho); /* zeroed memory is a ball of 0 */
    if (kind == 0) {
        read_counts(c, a);
    } else {
        if (c->data.d != 2)
            check_fail(c, 4, "line %lld: the data is not in the plane", (long long)c->line);
        check_all_cones(c, c->gates.m);
        for (int64_t j = 0; j < c->gates.m; j++)
            arc_measure(a->rho + j, c, (const mpz_t *)c->gates.orientation.z + 2 * j);
    }
    check_line_end(c);
}

void check_claim_margin(check *c)
{
    margin a;
    int64_t outputs;
    check_next_line(c, "upper");
    a.upper = check_number(c);
    check_line_end(c);
    const int64_t line = c->line;
    check_next_line(c, "lower");
    a.lower = check_number(c);
    check_line_end(c);
    check_code_targets(c, LOSS_HINGE, &a.y, &outputs);
    if (outputs != 1)
        check_fail(c, 4, "line %lld: a margin is about two classes", (long long)c->line);
    read_measure(c, &a);
    if (!check_separator(c, &a))
        check_fail(c, 4, "line %lld: the vectors give %.17g, below what is claimed", (long long)line + 1,
                   c->verdict.lower);
    check_next_line(c, "dual");
    dyadic *numbers = check_numbers(c, c->data.n);
    check_line_end(c);
    bool positive = false;
    for (int64_t i = 0; i < c->data.n; i++) {
        if (numbers[i].m < 0)
            check_fail(c, 4, "line %lld: entry %lld (from 0) is negative", (long long)c->line, (long long)i);
        positive = positive || numbers[i].m > 0;
    }
    if (!positive)
        check_fail(c, 4, "line %lld: the dual point is 0", (long long)c->line);
    grid q;
    arb_t value;
    grid_from(c, &q, numbers, c->data.n);
    arb_init(value);
    upper_value(value, c, &a, &q);
    const bool holds = ball_at_most(value, &a.upper);
    c->verdict.upper = ball_upper(value);
    arb_clear(value);
    grid_clear(c, &q);
    check_free(c, numbers);
    if (!holds)
        check_fail(c, 4, "line %lld: the dual point gives %.17g, above what is claimed", (long long)line,
                   c->verdict.upper);
}

/* --- margin 0 --- */

/* 1 where x_b = t x_a with t > 0, -1 with t < 0, otherwise 0; neither row is 0. */
static int direction(const check *c, int64_t a, int64_t b)
{
    const int64_t d = c->data.d;
    mpz_t *x = c->x.z + a * d, *z = c->x.z + b * d, left, right;
    int64_t p = 0;
    bool parallel = true;
    while (p < d && mpz_sgn(x[p]) == 0)
        p++;
    if (p == d || mpz_sgn(z[p]) == 0)
        return 0;
    mpz_init(left);
    mpz_init(right);
    for (int64_t k = 0; k < d; k++) {
        mpz_mul(left, x[k], z[p]);
        mpz_mul(right, z[k], x[p]);
        parallel = parallel && mpz_cmp(left, right) == 0;
    }
    mpz_clear(left);
    mpz_clear(right);
    return parallel ? mpz_sgn(x[p]) * mpz_sgn(z[p]) : 0;
}

/* Gauss-Jordan elimination of `m` (rows x columns) over the integers; returns the rank and the pivot columns. */
static int64_t eliminate(mpz_t *m, int64_t rows, int64_t columns, int64_t *pivot)
{
    int64_t rank = 0;
    mpz_t factor, other, gcd;
    mpz_init(factor), mpz_init(other), mpz_init(gcd);
    for (int64_t j = 0; j < columns && rank < rows; j++) {
        int64_t p = rank;
        while (p < rows && mpz_sgn(m[p * columns + j]) == 0)
            p++;
        if (p == rows)
            continue;
        for (int64_t k = 0; k < columns; k++)
            mpz_swap(m[p * columns + k], m[rank * columns + k]);
        for (int64_t r = 0; r < rows; r++) {
            if (r == rank || mpz_sgn(m[r * columns + j]) == 0)
                continue;
            mpz_gcd(gcd, m[r * columns + j], m[rank * columns + j]);
            mpz_divexact(factor, m[rank * columns + j], gcd);
            mpz_divexact(other, m[r * columns + j], gcd);
            for (int64_t k = 0; k < columns; k++) {
                mpz_mul(m[r * columns + k], m[r * columns + k], factor);
                mpz_submul(m[r * columns + k], m[rank * columns + k], other);
            }
        }
        pivot[rank++] = j;
    }
    mpz_clear(factor), mpz_clear(other), mpz_clear(gcd);
    return rank;
}

/* The vectors point[0..count) have one linear relation, and its coefficients have one sign and none is 0. */
static bool positive_relation(check *c, const int64_t *point, int64_t count)
{
    const int64_t d = c->data.d;
    grid m;
    grid_init(c, &m, d * count, 0);
    int64_t *pivot = check_alloc(c, count, sizeof *pivot);
    for (int64_t k = 0; k < d; k++)
        for (int64_t j = 0; j < count; j++)
            mpz_set(m.z[k * count + j], c->x.z[point[j] * d + k]);
    bool good = eliminate(m.z, d, count, pivot) == count - 1;
    for (int64_t r = 0; r < count - 1 && good;
         r++) /* the free column is the last: l_r = - m_r,last / m_r,r */
        good = pivot[r] == r && mpz_sgn(m.z[r * count + r]) * mpz_sgn(m.z[r * count + count - 1]) < 0;
    check_free(c, pivot);
    grid_clear(c, &m);
    return good;
}

void check_claim_zero(check *c)
{
    static const char *const kinds[] = {"ray", "pairs", NULL};
    double *y;
    int64_t outputs;
    check_code_targets(c, LOSS_HINGE, &y, &outputs);
    if (outputs != 1)
        check_fail(c, 4, "line %lld: a margin is about two classes", (long long)c->line);
    check_next_line(c, "combination");
    const int kind = check_choice(c, kinds);
    const int64_t count = kind ? check_integer(c, 1, c->data.d + 1) : 1;
    int64_t *point = check_alloc(c, count, sizeof *point);
    for (int64_t k = 0; k < count; k++) {
        point[k] = check_integer(c, 0, c->data.n - 1);
        const int64_t other = check_integer(c, 0, c->data.n - 1);
        if (y[point[k]] < 0 || y[other] > 0 || direction(c, point[k], other) != (kind ? -1 : 1))
            check_fail(c, 4, "line %lld: points %lld and %lld are not as this proof needs them",
                       (long long)c->line, (long long)point[k], (long long)other);
    }
    check_line_end(c);
    if (kind && !positive_relation(c, point, count))
        check_fail(c, 4, "line %lld: 0 is no positive combination of these points", (long long)c->line);
    check_free(c, point);
    c->verdict.upper = c->verdict.lower = 0;
}
