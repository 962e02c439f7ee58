/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of training over all ReLU networks in NPZ files.
 *
 *     format       "fathom columns checkpoint 4"
 *     problem      n, d, outputs, loss, equality, constant, divisor, beta, two halves of the seed and of a
 *       checksum of x, y, weights
 *     numbers      turn, rounds, sides done, seconds, share, objective before, bound before; value, penalty,
 *       neurons, draws; faces,
 *                  columns, Newton steps; rounds of growth and idle ones in this turn, effort of the lower
 *                    side in it
 *     theta, f, residual, v      network and dual point
 *     multiplier, shifted, weight      --loss equality: its penalised problem
 *     face         faces x 4: columns, idle rounds, side, rows of the cone
 *     face_neuron, face_cone, face_bits, basis, feature, p, face_c, face_f, face_v      the master over faces
 *
 *     floor, floor_method, floor_v     the bound of a run that a limit cut short after this state, where
 *       there is one
 *
 * and the bound (global_state.c). What a file says is not believed: outputs and value are held against the
 * network, the bound against its proof (global_state.c, sign_state.c). States are written after each slice of
 * a side of a turn, never after one that a limit cut short.
 */
#include "columns_state.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"

enum { PROBLEM = 12, NUMBERS = 18, FACE = 4, MEMBERS = 16 };
static const char FORMAT[] = "fathom columns checkpoint 4";

/* A vector of the state. */
typedef struct member {
    const char *name;
    double *values;
    int64_t count;
} member;

static void describe(double number[PROBLEM], const fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    const uint64_t seed = fathom_context_seed(p->context);
    uint64_t hash = fathom_state_hash(FATHOM_STATE_HASH, p->x, p->n * p->d);
    hash = fathom_state_hash(hash, p->y, p->n * p->outputs);
    if (p->weight)
        hash = fathom_state_hash(hash, p->weight, p->n);
    if (p->box.above > 0) /* a parameter of the loss */
        hash = fathom_state_hash(hash, &p->box.above, 1);
    const double values[PROBLEM] = {(double)p->n,         (double)p->d,
                                    (double)p->outputs,   p->loss,
                                    p->equality,          p->constant,
                                    p->divisor,           a->net.beta,
                                    (double)(seed >> 32), (double)(seed & 0xffffffffu),
                                    (double)(hash >> 32), (double)(hash & 0xffffffffu)};
    memcpy(number, values, sizeof values);
}

/* The vectors whose lengths are known once neurons, faces and columns are; returns how many there are. */
static int list_members(member list[MEMBERS], const fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    const fathom_faces *faces = &a->faces;
    const int64_t size = p->n * p->outputs, ld = p->d + 1;
    const int64_t columns = faces->count > 0 ? faces->start[faces->count] : 0;
    const member all[] = {{"theta", a->net.theta, p->outputs + a->net.m * a->net.stride},
                          {"f", a->net.f, size},
                          {"residual", a->net.residual, size},
                          {"v", a->v, size},
                          {"face_neuron", faces->neuron, faces->count * ld},
                          {"basis", faces->basis, columns * ld},
                          {"feature", faces->feature, columns * size},
                          {"p", faces->p, columns},
                          {"face_c", faces->c, p->outputs},
                          {"face_f", faces->f, size},
                          {"face_v", faces->v, size},
                          {"multiplier", a->multiplier, size},
                          {"shifted", a->shifted, size},
                          {"weight", a->weight, p->n}};
    const int given = (int)(sizeof all / sizeof *all) - (p->equality ? 0 : 3);
    memcpy(list, all, (size_t)given * sizeof *all);
    return given;
}

/* Numbers in each cone of a face: rows times columns. */
static int64_t cone_size(const fathom_faces *a, int64_t k)
{
    return a->cone_rows[k] * (a->start[k + 1] - a->start[k]);
}

/* Faces as they differ in length: sizes, cones, and patterns as halves of their words. */
static fathom_status write_faces(fathom_npz_writer *writer, const fathom_faces *a)
{
    fathom_context *context = a->problem->context;
    const int64_t halves = a->count * a->words, kept = a->count * a->words / 2;
    int64_t cones = 0;
    for (int64_t k = 0; k < a->count; k++)
        cones += cone_size(a, k);
    double *block = fathom_memory_alloc(context, FACE * a->count + cones + 3 * halves, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    double *cone = block + FACE * a->count, *bits = cone + cones, *next = cone;
    for (int64_t k = 0; k < a->count; k++) {
        const double face[FACE] = {(double)(a->start[k + 1] - a->start[k]), (double)a->idle[k], a->sign[k],
                                   (double)a->cone_rows[k]};
        memcpy(block + FACE * k, face, sizeof face);
        if (cone_size(a, k) > 0)
            memcpy(next, a->cone[k], (size_t)cone_size(a, k) * sizeof *next);
        next += cone_size(a, k);
    }
    for (int64_t k = 0; k < halves + kept; k++) {
        const uint64_t word = k < halves ? a->pattern[k] : a->kept[k - halves];
        bits[2 * k] = (double)(word >> 32);
        bits[2 * k + 1] = (double)(word & 0xffffffffu);
    }
    fathom_state_add(writer, "face", block, FACE * a->count);
    fathom_state_add(writer, "face_cone", cone, cones);
    fathom_state_add(writer, "face_bits", bits, 3 * halves);
    fathom_memory_free(context, block);
    return FATHOM_OK;
}

fathom_status fathom_columns_note_bound(const fathom_columns *a, const char *path)
{
    fathom_context *context = a->problem->context;
    fathom_npz_writer *writer;
    if (!(a->below.proved >= a->below.lower && a->below.lower > a->floor.proved))
        return FATHOM_OK; /* a floor that stands is there already */
    FATHOM_TRY(fathom_state_extend(&writer, context, path, "floor"));
    fathom_global_floor_write(writer, &a->below);
    return fathom_npz_commit(writer);
}

fathom_status fathom_columns_write(const fathom_columns *a, const fathom_columns_turns *t, const char *path)
{
    const fathom_faces *faces = &a->faces;
    const double number[NUMBERS] = {(double)t->turn,
                                    (double)t->rounds,
                                    t->above,
                                    t->below,
                                    t->seconds,
                                    t->share,
                                    t->before,
                                    t->lower,
                                    a->value,
                                    a->penalty,
                                    (double)a->net.m,
                                    a->pricing.round,
                                    (double)faces->count,
                                    faces->count > 0 ? (double)faces->start[faces->count] : 0,
                                    (double)faces->steps,
                                    (double)t->grown,
                                    (double)t->idle,
                                    t->spent};
    double problem[PROBLEM];
    member list[MEMBERS];
    fathom_npz_writer *writer;
    describe(problem, a);
    FATHOM_TRY(fathom_state_create(&writer, a->problem->context, path, FORMAT, problem, PROBLEM));
    fathom_state_add(writer, "numbers", number, NUMBERS);
    const int members = list_members(list, a);
    for (int k = 0; k < members; k++)
        fathom_state_add(writer, list[k].name, list[k].values, list[k].count);
    if (a->floor.proved > a->below.proved)
        fathom_global_floor_write(writer, &a->floor);
    fathom_status status = write_faces(writer, faces);
    FATHOM_THEN(status, fathom_global_bound_write(writer, &a->below));
    return fathom_state_end(writer, status);
}

static fathom_status refuse(const fathom_columns *a, const char *path)
{
    return fathom_error_set_at(a->problem->context, FATHOM_ERROR_INPUT, path, 0, 0,
                               "the state of the checkpoint makes no sense");
}

/* Room for `count` faces of `columns` columns in all. */
static fathom_status reserve(fathom_faces *a, int64_t count, int64_t columns)
{
    const int64_t ld = a->problem->d + 1, size = a->problem->n * a->problem->outputs, room = count + 2;
    const struct {
        void **block;
        int64_t count;
        size_t size;
    } part[] = {{(void **)&a->start, room + 1, sizeof *a->start},
                {(void **)&a->idle, room, sizeof *a->idle},
                {(void **)&a->neuron, room * ld, sizeof *a->neuron},
                {(void **)&a->sign, room, sizeof *a->sign},
                {(void **)&a->cone, room, sizeof *a->cone},
                {(void **)&a->cone_rows, room, sizeof *a->cone_rows},
                {(void **)&a->cone_room, room, sizeof *a->cone_room},
                {(void **)&a->kept, room * a->words / 2, sizeof *a->kept},
                {(void **)&a->pattern, room * a->words, sizeof *a->pattern},
                {(void **)&a->basis, columns * ld, sizeof *a->basis},
                {(void **)&a->feature, columns * size, sizeof *a->feature},
                {(void **)&a->p, columns, sizeof *a->p}};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        const fathom_status status =
            fathom_memory_resize(a->problem->context, part[k].block, part[k].count, part[k].size);
        if (status != FATHOM_OK)
            return status;
    }
    a->start[0] = 0;
    a->face_capacity = room;
    a->column_capacity = columns;
    return FATHOM_OK;
}

/* Sizes, cones and patterns of `count` faces from the arrays that write_faces wrote; false where they do
 * not fit together. */
static fathom_status take_faces(bool *valid, fathom_faces *a, int64_t count, int64_t columns,
                                const fathom_array part[3])
{
    int64_t cones = 0;
    *valid = part[0].count == FACE * count && part[2].count == 3 * count * a->words;
    for (int64_t k = 0; *valid && k < count; k++) {
        const double *face = part[0].values + FACE * k;
        const double width = face[0], rows = face[3];
        *valid = width >= 1 && width <= (double)(columns - a->start[k]) && face[1] >= 0 && face[1] < 1e9 &&
                 fabs(face[2]) == 1 && rows >= 0 && rows <= (double)a->problem->n &&
                 rows * width <= (double)(part[1].count - cones);
        if (!*valid)
            break;
        a->start[k + 1] = a->start[k] + (int64_t)width;
        a->idle[k] = (int64_t)face[1];
        a->sign[k] = face[2];
        a->cone_rows[k] = (int64_t)rows;
        a->cone_room[k] = cone_size(a, k);
        a->cone[k] = NULL;
        a->count = k + 1;
        if (cone_size(a, k) == 0)
            continue;
        a->cone[k] = fathom_memory_alloc(a->problem->context, cone_size(a, k), sizeof **a->cone);
        if (!a->cone[k])
            return FATHOM_ERROR_MEMORY;
        memcpy(a->cone[k], part[1].values + cones, (size_t)cone_size(a, k) * sizeof **a->cone);
        cones += cone_size(a, k);
    }
    *valid = *valid && a->start[count] == columns;
    const int64_t words = *valid ? count * a->words : 0;
    for (int64_t k = 0; *valid && k < words + words / 2; k++) {
        const double high = part[2].values[2 * k], low = part[2].values[2 * k + 1];
        *valid = high >= 0 && high < 0x1p32 && low >= 0 && low < 0x1p32;
        *(k < words ? a->pattern + k : a->kept + (k - words)) =
            *valid ? (uint64_t)high << 32 | (uint64_t)low : 0;
    }
    return FATHOM_OK;
}

static fathom_status read_faces(fathom_columns *a, const fathom_npz *npz, const char *path, int64_t count,
                                int64_t columns)
{
    static const char *const name[] = {"face", "face_cone", "face_bits"};
    fathom_array part[3] = {{0}};
    bool valid = true;
    fathom_status status = count > 0 ? reserve(&a->faces, count, columns) : FATHOM_OK;
    for (int k = 0; k < 3 && status == FATHOM_OK && count > 0; k++)
        status = fathom_npz_get(part + k, npz, name[k]);
    if (status == FATHOM_OK && count > 0)
        status = take_faces(&valid, &a->faces, count, columns, part);
    for (int k = 0; k < 3; k++)
        fathom_array_free(a->problem->context, part + k);
    return status == FATHOM_OK && !valid ? refuse(a, path) : status;
}

/* Outputs and value that the file gives, within rounding of those of the network: m neurons of d + 1 products
 * each, at most reach |u||w| in size. */
static fathom_status check_network(fathom_columns *a, const char *path)
{
    const fathom_train_problem *p = a->problem;
    const int64_t size = p->n * p->outputs;
    double loss, norm, largest = 0, reach = 1, off = 0;
    double *given = fathom_memory_alloc(p->context, size, sizeof *given);
    if (!given)
        return FATHOM_ERROR_MEMORY;
    memcpy(given, a->net.f, (size_t)size * sizeof *given);
    fathom_status status = fathom_relu_network_refresh(&a->net);
    for (int64_t i = 0; i < size; i++) {
        off = given[i] == a->net.f[i] ? off : fmax(off, fabs(given[i] - a->net.f[i]));
        largest = fmax(largest, fabs(a->net.f[i]));
    }
    memcpy(a->net.f, given, (size_t)size * sizeof *given);
    fathom_memory_free(p->context, given);
    for (int64_t i = 0; i < p->n; i++)
        reach = fmax(reach, fathom_blas_norm(p->x + i * p->d, p->d));
    const double value = fathom_relu_network_objective(&a->net, &loss, &norm);
    const double rounding = (double)(a->net.m + p->d + 16) * 0x1p-50;
    const double least = p->equality ? norm : value;
    if (status == FATHOM_OK && !(off <= rounding * (largest + reach * norm + reach) &&
                                 (a->value >= least * (1 - rounding) || a->net.m == 0)))
        status = refuse(a, path);
    return status;
}

/* Numbers, then room, then vectors. */
static fathom_status take_state(fathom_columns *a, fathom_columns_turns *t, const fathom_npz *npz,
                                const char *path)
{
    double number[NUMBERS];
    member list[MEMBERS];
    fathom_context *context = a->problem->context;
    fathom_status status = fathom_state_take(number, npz, context, path, "numbers", NUMBERS);
    const int whole[] = {0, 1, 10, 11, 12, 13, 14, 15, 16, 17};
    for (size_t k = 0; k < sizeof whole / sizeof *whole && status == FATHOM_OK; k++) /* NaN fails, too */
        if (!(number[whole[k]] >= 0 && number[whole[k]] < 1e9))
            status = refuse(a, path);
    if (status != FATHOM_OK)
        return status;
    *t = (fathom_columns_turns){.turn = (int64_t)number[0],
                                .rounds = (int64_t)number[1],
                                .above = number[2] != 0,
                                .below = number[3] != 0,
                                .grown = (int64_t)number[15],
                                .idle = (int64_t)number[16],
                                .spent = number[17],
                                .seconds = number[4],
                                .share = number[5],
                                .before = number[6],
                                .lower = number[7]};
    a->value = number[8];
    a->interpolates = a->problem->equality && (number[0] > 0 || number[2] != 0) && isfinite(a->value);
    a->penalty = number[9];
    a->pricing.round = (uint32_t)number[11];
    a->faces.steps = (int64_t)number[14];
    const int64_t m = (int64_t)number[10];
    status = fathom_memory_grow(context, (void **)&a->net.theta, &a->net.capacity,
                                a->problem->outputs + m * a->net.stride, sizeof *a->net.theta);
    FATHOM_THEN(status, read_faces(a, npz, path, (int64_t)number[12], (int64_t)number[13]));
    a->net.m = status == FATHOM_OK ? m : 0;
    const int members = list_members(list, a);
    for (int k = 0; k < members && status == FATHOM_OK; k++)
        if (list[k].count > 0)
            status = fathom_state_take(list[k].values, npz, context, path, list[k].name, list[k].count);
    FATHOM_THEN(status, check_network(a, path));
    if (status == FATHOM_OK && !a->below.proof)
        status = fathom_global_bound_read(&a->below, npz, path);
    if (status == FATHOM_OK && !a->below.proof && fathom_npz_has(npz, "floor"))
        status = fathom_global_floor_read(&a->floor, &a->below, npz, path);
    if (status != FATHOM_OK || !a->below.proof)
        return status;
    t->below = false; /* a state has no evidence for a certificate: the lower side begins anew */
    t->spent = t->lower = 0;
    return FATHOM_OK;
}

fathom_status fathom_columns_read(fathom_columns *a, fathom_columns_turns *turns, const char *path)
{
    fathom_context *context = a->problem->context;
    fathom_npz *npz;
    double problem[PROBLEM];
    describe(problem, a);
    FATHOM_TRY(fathom_state_open(&npz, context, path, FORMAT, problem, PROBLEM));
    fathom_status status = take_state(a, turns, npz, path);
    fathom_npz_close(npz);
    return status;
}
