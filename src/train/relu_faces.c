/* SPDX-License-Identifier: Apache-2.0 */
/* Faces of neurons and the master problem over them; the mathematics stands in relu_faces.h. */
#include "relu_faces.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "group_newton.h"
#include "memory.h"

/* A point is on the kink where |x_i'u + b| <= this times |x_i| + |b|, with a free bias and the mean of all |x_i|. */
static const double on_kink = 1e-9;

/* The size that values at point i are seen against. With a free bias the origin is a point as any other. */
static double size_of(const fathom_faces *a, int64_t i) { return a->problem->reach[i] + a->extent; }

fathom_status fathom_faces_open(fathom_faces *faces, const fathom_train_problem *problem)
{
    const int64_t size = problem->n * problem->outputs;
    *faces = (fathom_faces){.problem = problem, .words = 2 * ((problem->n + 63) / 64)};
    for (int64_t i = 0; i < problem->n && problem->constant; i++)
        faces->extent += problem->reach[i] / (double)problem->n;
    faces->c = fathom_memory_zero(problem->context, problem->outputs, sizeof *faces->c);
    faces->f = fathom_memory_zero(problem->context, size, sizeof *faces->f);
    faces->v = fathom_memory_zero(problem->context, size, sizeof *faces->v);
    return faces->c && faces->f && faces->v ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_faces_leave(fathom_faces *faces)
{
    for (int64_t k = 0; k < faces->count; k++)
        fathom_memory_free(faces->problem->context, faces->cone[k]);
    faces->count = 0;
}

void fathom_faces_close(fathom_faces *faces)
{
    fathom_faces_leave(faces);
    void *block[] = {faces->start, faces->idle,      faces->neuron,    faces->pattern, faces->basis,
                     faces->p,     faces->feature,   faces->c,         faces->f,       faces->v,
                     faces->sign,  faces->cone_rows, faces->cone_room, faces->kept,    faces->cone};
    for (size_t k = 0; faces->problem && k < sizeof block / sizeof block[0]; k++)
        fathom_memory_free(faces->problem->context, block[k]);
    *faces = (fathom_faces){.problem = faces->problem};
}

/* Room for one more face. */
static fathom_status reserve_face(fathom_faces *a)
{
    const int64_t next = 2 * a->face_capacity + 16, d = a->problem->d;
    const struct {
        void **block;
        int64_t count;
        size_t size;
    } part[] = {{(void **)&a->start, next + 1, sizeof *a->start},
                {(void **)&a->idle, next, sizeof *a->idle},
                {(void **)&a->neuron, next * (d + 1), sizeof *a->neuron},
                {(void **)&a->sign, next, sizeof *a->sign},
                {(void **)&a->cone, next, sizeof *a->cone},
                {(void **)&a->cone_rows, next, sizeof *a->cone_rows},
                {(void **)&a->cone_room, next, sizeof *a->cone_room},
                {(void **)&a->kept, next * a->words / 2, sizeof *a->kept},
                {(void **)&a->pattern, next * a->words, sizeof *a->pattern}};
    if (a->count + 2 <= a->face_capacity)
        return FATHOM_OK;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
        const fathom_status status =
            fathom_memory_resize(a->problem->context, part[k].block, part[k].count, part[k].size);
        if (status != FATHOM_OK)
            return status;
    }
    if (a->face_capacity == 0)
        a->start[0] = 0;
    a->face_capacity = next;
    return FATHOM_OK;
}

/* Room for `columns` more columns. */
static fathom_status reserve_columns(fathom_faces *a, int64_t columns)
{
    fathom_context *context = a->problem->context;
    const int64_t size = a->problem->n * a->problem->outputs, used = a->start[a->count];
    if (used + columns <= a->column_capacity)
        return FATHOM_OK;
    const int64_t next = 2 * a->column_capacity + columns;
    FATHOM_TRY(
        fathom_memory_resize(context, (void **)&a->basis, next * (a->problem->d + 1), sizeof *a->basis));
    FATHOM_TRY(fathom_memory_resize(context, (void **)&a->feature, next * size, sizeof *a->feature));
    FATHOM_TRY(fathom_memory_resize(context, (void **)&a->p, next, sizeof *a->p));
    a->column_capacity = next;
    return FATHOM_OK;
}

/* Patterns of open points and of points on the kink. */
static void read_pattern(uint64_t *pattern, const fathom_faces *a, const double *neuron)
{
    const fathom_train_problem *p = a->problem;
    uint64_t *tight = pattern + a->words / 2;
    memset(pattern, 0, (size_t)a->words * sizeof *pattern);
    for (int64_t i = 0; i < p->n; i++) {
        const double t = fathom_blas_dot(p->x + i * p->d, neuron, p->d) + neuron[p->d];
        const uint64_t bit = (uint64_t)1 << (i % 64);
        if (fabs(t) <= on_kink * (size_of(a, i) + fabs(neuron[p->d])))
            tight[i / 64] |= bit;
        else if (t > 0)
            pattern[i / 64] |= bit;
    }
}

static bool bit_of(const uint64_t *pattern, int64_t i) { return pattern[i / 64] >> (i % 64) & 1; }

static int64_t find_face(const fathom_faces *a, const uint64_t *pattern, double sign)
{
    for (int64_t k = 0; k < a->count; k++)
        if (a->sign[k] == sign &&
            memcmp(a->pattern + k * a->words, pattern, (size_t)a->words * sizeof *pattern) == 0)
            return k;
    return -1;
}

/* q less its components along `count` orthonormal rows, normalised; false where nothing of `size` is left. */
static bool orthogonalise(double *q, const double *rows, int64_t count, int64_t ld, int64_t d, double size)
{
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < count; k++)
            fathom_blas_axpy(q, -fathom_blas_dot(q, rows + k * ld, d), rows + k * ld, d);
    const double norm = fathom_blas_norm(q, d);
    if (!(norm > size))
        return false;
    fathom_blas_scale(q, 1 / norm, d);
    return true;
}

/* Orthonormal rows (at most d, leading dimension d + 1) that span the points on the kink, less x_k where k >= 0. */
static int64_t kink_span(double *rows, const fathom_faces *a, const uint64_t *tight, int64_t k)
{
    const fathom_train_problem *p = a->problem;
    int64_t rank = 0;
    for (int64_t i = 0; i < p->n && rank < p->d; i++) {
        double *q = rows + rank * (p->d + 1);
        if (!bit_of(tight, i) || i == k || !(size_of(a, i) > 0))
            continue;
        memcpy(q, p->x + i * p->d, (size_t)p->d * sizeof *q);
        if (k >= 0)
            fathom_blas_axpy(q, -1, p->x + k * p->d, p->d);
        if (orthogonalise(q, rows, rank, p->d + 1, p->d, 1e-8 * (p->reach[i] + (k >= 0 ? p->reach[k] : 0))))
            rank++;
    }
    return rank;
}

/* Rows rank .. d - 1 complete the span to an orthonormal basis, the neuron first. */
static void complete(double *rows, int64_t rank, const double *neuron, int64_t d)
{
    const int64_t ld = d + 1;
    double *q = rows + rank * ld;
    memcpy(q, neuron, (size_t)d * sizeof *q);
    orthogonalise(q, rows, rank, ld, d, 0);
    for (rank++; rank < d; rank++) {
        /* of the coordinate vectors the one with most left outside the span so far */
        int64_t best = 0;
        double most = -1;
        for (int64_t l = 0; l < d; l++) {
            double inside = 0;
            for (int64_t k = 0; k < rank; k++)
                inside += rows[k * ld + l] * rows[k * ld + l];
            if (1 - inside > most) {
                most = 1 - inside;
                best = l;
            }
        }
        q = rows + rank * ld;
        memset(q, 0, (size_t)d * sizeof *q);
        q[best] = 1;
        orthogonalise(q, rows, rank, ld, d, 0);
    }
}

/* The face's features sigma D (X + b) B, a row per column of B. */
static void fill_features(fathom_faces *a, int64_t first, int64_t last, const uint64_t *open, double sign)
{
    const fathom_train_problem *p = a->problem;
    for (int64_t l = first; l < last; l++) {
        double *z = a->feature + l * p->n;
        const double *basis = a->basis + l * (p->d + 1);
        fathom_blas_gemv(z, p->n, p->d, 1, fathom_plain(p->x, p->d), basis, 0);
        for (int64_t i = 0; i < p->n; i++)
            z[i] = bit_of(open, i) ? sign * (z[i] + basis[p->d]) : 0;
    }
}

/* One output: columns of the face from its basis. Returns their number. */
static fathom_status make_face(int64_t *size, fathom_faces *a, const double *neuron, double sign,
                               const uint64_t *pattern)
{
    const fathom_train_problem *p = a->problem;
    const int64_t d = p->d, ld = d + 1, at = a->start[a->count];
    const uint64_t *tight = pattern + a->words / 2;
    int64_t k = -1;
    for (int64_t i = 0; p->constant && i < p->n && k < 0; i++)
        k = bit_of(tight, i) ? i : -1;
    double *rows = fathom_memory_zero(p->context, d * ld, sizeof *rows);
    if (!rows)
        return FATHOM_ERROR_MEMORY;
    int64_t rank = kink_span(rows, a, tight, k);
    if (rank == d)
        rank = d - 1;
    complete(rows, rank, neuron, d);
    *size = d - rank;
    for (int64_t l = 0; l < *size; l++) {
        double *row = rows + (rank + l) * ld;
        row[d] = k >= 0 ? -fathom_blas_dot(p->x + k * d, row, d) : 0;
    }
    memcpy(a->basis + at * ld, rows + rank * ld, (size_t)(*size * ld) * sizeof *rows);
    fathom_memory_free(p->context, rows);
    fill_features(a, at, at + *size, pattern, sign);
    return FATHOM_OK;
}

/* Several outputs: one column per output. */
static void make_direction(fathom_faces *a, const double *neuron)
{
    const fathom_train_problem *p = a->problem;
    const int64_t n = p->n, at = a->start[a->count];
    for (int64_t k = 0; k < p->outputs; k++) {
        double *z = a->feature + (at + k) * n * p->outputs;
        memset(z, 0, (size_t)(n * p->outputs) * sizeof *z);
        memcpy(a->basis + (at + k) * (p->d + 1), neuron, (size_t)(p->d + 1) * sizeof *neuron);
        fathom_blas_gemv(z + k * n, n, p->d, 1, fathom_plain(p->x, p->d), neuron, 0);
        for (int64_t i = k * n; i < (k + 1) * n; i++)
            z[i] = fmax(z[i] + neuron[p->d], 0);
    }
}

/* Several outputs: the face of this direction, to rounding; -1 where there is none. */
static int64_t find_direction(const fathom_faces *a, const double *neuron)
{
    const int64_t d = a->problem->d;
    for (int64_t k = 0; k < a->count; k++) {
        double far = 0;
        for (int64_t l = 0; l <= d; l++)
            far = fmax(far, fabs(a->neuron[k * (d + 1) + l] - neuron[l]));
        if (far <= 1e-12)
            return k;
    }
    return -1;
}

/* Appends the inequality of point i to face k: sigma_i (x_i'u' + b') >= 0 in terms of p. */
static fathom_status add_side(fathom_faces *a, int64_t k, int64_t i)
{
    const fathom_train_problem *p = a->problem;
    const int64_t ld = p->d + 1, at = a->start[k], size = a->start[k + 1] - at;
    int64_t room = a->cone_room[k];
    const fathom_status status = fathom_memory_grow(p->context, (void **)&a->cone[k], &room,
                                                    (a->cone_rows[k] + 1) * size, sizeof **a->cone);
    a->cone_room[k] = room;
    if (status != FATHOM_OK)
        return status;
    const double side = bit_of(a->pattern + k * a->words, i) ? 1 : -1;
    double *row = a->cone[k] + a->cone_rows[k]++ * size;
    for (int64_t l = 0; l < size; l++) {
        const double *basis = a->basis + (at + l) * ld;
        row[l] = side * (fathom_blas_dot(p->x + i * p->d, basis, p->d) + basis[p->d]) / size_of(a, i);
    }
    a->kept[k * (a->words / 2) + i / 64] |= (uint64_t)1 << (i % 64);
    return FATHOM_OK;
}

/* How far point i is from the kink of a neuron, seen from the origin; negative on the wrong side of the face. */
static double distance(const fathom_faces *a, int64_t k, int64_t i, const double *neuron)
{
    const fathom_train_problem *p = a->problem;
    const double t = fathom_blas_dot(p->x + i * p->d, neuron, p->d) + neuron[p->d];
    return (bit_of(a->pattern + k * a->words, i) ? t : -t) / size_of(a, i);
}

/* Whether point i has an inequality at all, and none so far. */
static bool is_free(const fathom_faces *a, int64_t k, int64_t i)
{
    return size_of(a, i) > 0 && !bit_of(a->pattern + k * a->words + a->words / 2, i) &&
           !bit_of(a->kept + k * (a->words / 2), i);
}

/* Inequalities of the points nearest to the kink. */
static fathom_status first_sides(fathom_faces *a, int64_t k)
{
    const fathom_train_problem *p = a->problem;
    const int64_t size = a->start[k + 1] - a->start[k], wanted = 3 * size + 2;
    fathom_status status = FATHOM_OK;
    double *far = fathom_memory_alloc(p->context, p->n, sizeof *far);
    if (!far)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++)
        far[i] = is_free(a, k, i) ? distance(a, k, i, a->neuron + k * (p->d + 1)) : INFINITY;
    for (int64_t count = 0; count < wanted && status == FATHOM_OK; count++) {
        int64_t nearest = 0;
        for (int64_t i = 1; i < p->n; i++)
            if (far[i] < far[nearest])
                nearest = i;
        if (!isfinite(far[nearest]))
            break;
        far[nearest] = INFINITY;
        status = add_side(a, k, nearest);
    }
    fathom_memory_free(p->context, far);
    return status;
}

fathom_status fathom_faces_add(bool *added, fathom_faces *faces, const double *neuron, double sign)
{
    fathom_faces *a = faces;
    const fathom_train_problem *p = a->problem;
    int64_t size = p->outputs;
    *added = false;
    FATHOM_TRY(reserve_face(a));
    FATHOM_TRY(reserve_columns(a, p->outputs > 1 ? p->outputs : p->d));
    fathom_status status = FATHOM_OK;
    const int64_t k = a->count, at = a->start[k];
    uint64_t *pattern = a->pattern + k * a->words;
    read_pattern(pattern, a, neuron);
    const int64_t known = p->outputs > 1 ? find_direction(a, neuron) : find_face(a, pattern, sign);
    if (known >= 0) {
        a->idle[known] = 0;
        return FATHOM_OK;
    }
    if (p->outputs > 1)
        make_direction(a, neuron);
    else
        status = make_face(&size, a, neuron, sign, pattern);
    if (status != FATHOM_OK)
        return status;
    memcpy(a->neuron + k * (p->d + 1), neuron, (size_t)(p->d + 1) * sizeof *neuron);
    memset(a->p + at, 0, (size_t)size * sizeof *a->p);
    memset(a->kept + k * (a->words / 2), 0, (size_t)(a->words / 2) * sizeof *a->kept);
    a->sign[k] = sign;
    a->idle[k] = 0;
    a->cone[k] = NULL;
    a->cone_rows[k] = 0;
    a->cone_room[k] = 0;
    a->start[++a->count] = at + size;
    *added = true;
    return p->outputs > 1 ? FATHOM_OK : first_sides(a, k);
}

/* (u, b) of face k, |u| = 1; returns |p|. */
static double face_neuron(double *neuron, const fathom_faces *a, int64_t k)
{
    const int64_t ld = a->problem->d + 1, at = a->start[k], size = a->start[k + 1] - at;
    const double norm = fathom_blas_norm(a->p + at, size);
    memset(neuron, 0, (size_t)ld * sizeof *neuron);
    for (int64_t l = 0; l < size && norm > 0; l++)
        fathom_blas_axpy(neuron, a->p[at + l] / norm, a->basis + (at + l) * ld, ld);
    return norm;
}

/* Adds the inequalities that the solution violates, and moves it back inside the faces concerned. */
static fathom_status add_violated(int64_t *count, fathom_faces *a, double *work, double least)
{
    const fathom_train_problem *p = a->problem;
    fathom_status status = FATHOM_OK;
    *count = 0;
    for (int64_t k = 0; k < a->count; k++) {
        const double norm = face_neuron(work, a, k);
        const int64_t before = *count, at = a->start[k], size = a->start[k + 1] - at;
        for (int64_t i = 0; i < p->n && status == FATHOM_OK && norm > least; i++)
            if (is_free(a, k, i) && distance(a, k, i, work) < 0) {
                status = add_side(a, k, i);
                ++*count;
            }
        if (*count > before) {
            memset(a->p + at, 0, (size_t)size * sizeof *a->p);
            a->p[at] = norm;
        }
    }
    return status;
}

static double total_norm(const fathom_faces *a)
{
    double total = 0;
    for (int64_t k = 0; k < a->count; k++)
        total += fathom_blas_norm(a->p + a->start[k], a->start[k + 1] - a->start[k]);
    return total;
}

/* The master with the inequalities at hand. */
static fathom_status solve_once(fathom_faces *a, const fathom_objective *loss, double start, double gap)
{
    fathom_context *context = a->problem->context;
    int64_t *cone_start = fathom_memory_alloc(context, a->count + 1, sizeof *cone_start);
    double *inside = fathom_memory_zero(context, a->start[a->count], sizeof *inside);
    fathom_status status = cone_start && inside ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        cone_start[0] = 0;
        for (int64_t k = 0; k < a->count; k++) {
            cone_start[k + 1] = cone_start[k] + a->cone_rows[k];
            inside[a->start[k]] = a->problem->outputs > 1 ? 0 : 1;
        }
        const fathom_group_problem problem = {.loss = loss,
                                              .groups = a->count,
                                              .start = a->start,
                                              .feature = a->feature,
                                              .cone_start = cone_start,
                                              .cone = (const double *const *)a->cone,
                                              .inside = inside};
        fathom_group_point point = {a->p, a->c, a->f, a->v, 0};
        status = fathom_group_solve(&point, &problem, start, gap);
        a->steps += point.steps;
    }
    FATHOM_FREE(context, cone_start, inside);
    return status;
}

fathom_status fathom_faces_solve(fathom_faces *faces, const fathom_relu_network *net, double start,
                                 double gap)
{
    const fathom_objective loss = fathom_relu_network_problem(net);
    double *work = fathom_memory_alloc(loss.context, loss.d + 1, sizeof *work);
    if (!work)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = FATHOM_OK;
    for (int round = 0; round < 10 && faces->count > 0 && status == FATHOM_OK; round++) {
        int64_t violated = 0;
        status = solve_once(faces, &loss, start, gap);
        if (status == FATHOM_OK && loss.outputs == 1)
            status = add_violated(&violated, faces, work, 1e-12 * total_norm(faces));
        if (violated == 0)
            break;
    }
    fathom_memory_free(loss.context, work);
    return status;
}

fathom_status fathom_faces_network(fathom_relu_network *net, const fathom_faces *faces)
{
    const fathom_train_problem *p = faces->problem;
    const double total = total_norm(faces);
    double *neuron = fathom_memory_alloc(p->context, p->d + 1, sizeof *neuron);
    fathom_status status = neuron ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    net->m = 0;
    memcpy(net->theta, faces->c, (size_t)p->outputs * sizeof *net->theta);
    for (int64_t k = 0; k < faces->count && status == FATHOM_OK; k++) {
        const double *w = faces->p + faces->start[k];
        double weight = faces->sign[k] * face_neuron(neuron, faces, k);
        if (!(fabs(weight) > 1e-12 * total))
            continue;
        if (p->outputs > 1)
            memcpy(neuron, faces->neuron + k * (p->d + 1), (size_t)(p->d + 1) * sizeof *neuron);
        else
            w = &weight;
        status = fathom_relu_network_add(net, neuron, neuron[p->d], w);
    }
    fathom_memory_free(p->context, neuron);
    return status == FATHOM_OK ? fathom_relu_network_descend(net, 0) : status;
}

/* Face k, whose columns start at `from`, takes the place `into`. */
static void move_face(fathom_faces *a, int64_t into, int64_t k, int64_t from)
{
    const int64_t ld = a->problem->d + 1, rows = a->problem->n * a->problem->outputs;
    const int64_t to = a->start[into], size = a->start[k + 1] - from;
    if (into != k) {
        a->idle[into] = a->idle[k];
        a->sign[into] = a->sign[k];
        a->cone[into] = a->cone[k];
        a->cone_rows[into] = a->cone_rows[k];
        a->cone_room[into] = a->cone_room[k];
        memcpy(a->neuron + into * ld, a->neuron + k * ld, (size_t)ld * sizeof *a->neuron);
        memcpy(a->pattern + into * a->words, a->pattern + k * a->words,
               (size_t)a->words * sizeof *a->pattern);
        memcpy(a->kept + into * (a->words / 2), a->kept + k * (a->words / 2),
               (size_t)(a->words / 2) * sizeof *a->kept);
        memmove(a->basis + to * ld, a->basis + from * ld, (size_t)(size * ld) * sizeof *a->basis);
        memmove(a->feature + to * rows, a->feature + from * rows, (size_t)(size * rows) * sizeof *a->feature);
        memmove(a->p + to, a->p + from, (size_t)size * sizeof *a->p);
    }
    a->start[into + 1] = to + size;
}

void fathom_faces_prune(fathom_faces *faces, int64_t rounds)
{
    const double least = faces->count > 0 ? 1e-6 * total_norm(faces) / (double)faces->count : 0;
    int64_t kept = 0, next = 0;
    for (int64_t k = 0; k < faces->count; k++) {
        const int64_t at = next; /* start[k] may belong to a face that moved down */
        next = faces->start[k + 1];
        const bool used = fathom_blas_norm(faces->p + at, next - at) > least;
        faces->idle[k] = used ? 0 : faces->idle[k] + 1;
        if (faces->idle[k] <= (rounds < 0 ? 0 : rounds))
            move_face(faces, kept++, k, at);
        else
            fathom_memory_free(faces->problem->context, faces->cone[k]);
    }
    faces->count = kept;
}

double fathom_faces_work(const fathom_faces *faces)
{
    const double rows = (double)(faces->problem->n * faces->problem->outputs);
    const double columns = faces->count > 0 ? (double)faces->start[faces->count] : 0;
    return rows * columns * fmin(rows, columns) + pow(fmin(rows, columns), 3) / 3;
}
