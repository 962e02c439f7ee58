/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A global bound in an archive.
 *
 *     bound          lower, price, exhausted, price and side of the neuron met, whether there is a search and a tree, t, price
 *                    found, work, evaluations of the tree, c of v(t), whether t is the last, accuracy and effort of directions of outputs, the
 *                    bound of the residual with the price found there, whether the bound is that of a glance: it is made anew
 *     bound_method   where the bound came from
 *     bound_v, met   its dual point, the neuron
 *     search         4 n: v_J, the residual, v(t), the residual that the joint relaxation began with
 *     joint          multipliers of the joint relaxation; its neighbours are found again
 *     origin         several outputs: the dual point from which rays began, and the objective then
 *
 * and the tree (sign_state.c).
 */
#include <math.h>
#include <string.h>

#include "columns_state.h"
#include "context_internal.h"
#include "joint_internal.h"
#include "memory.h"
#include "price.h"

enum { NUMBERS = 17 };
static const double APART = 8;        /* seconds of effort between two states */
static const double MOST_BYTES = 2e9; /* of multipliers */

/* All texts that a bound may carry: a result points to them when the run is over. */
static const char *const methods[] = {"no loss is negative",   "joint relaxation",
                                      "branching on signs",    "output by output",
                                      "directions of outputs", "rays of outputs",
                                      "two directions",        "arcs",
                                      "subdivision",           "zero"};

static void write_origin(fathom_npz_writer *writer, const fathom_global_bound *bound, const char *name)
{
    if (!bound->origin)
        return;
    fathom_state_add(writer, name, bound->origin, bound->problem->n * bound->problem->outputs + 1);
}

/* Where the file has one. */
static fathom_status take_origin(fathom_global_bound *bound, const fathom_npz *npz, const char *path,
                                 const char *name)
{
    const fathom_objective *p = bound->problem;
    if (!fathom_npz_has(npz, name))
        return FATHOM_OK;
    FATHOM_TRY(fathom_global_bound_reserve(bound));
    return fathom_state_take(bound->origin, npz, p->context, path, name, p->n * p->outputs + 1);
}

fathom_status fathom_global_bound_write(fathom_npz_writer *writer, const fathom_global_bound *bound)
{
    const fathom_objective *p = bound->problem;
    const fathom_global_search *s = bound->search;
    const bool tree = s && s->tree.problem;
    const double number[NUMBERS] = {bound->lower,
                                    bound->price,
                                    bound->exhausted,
                                    bound->met_price,
                                    bound->met_sign,
                                    s != NULL,
                                    tree,
                                    s ? s->t : 0,
                                    s ? s->found : 0,
                                    s ? s->work : 0,
                                    tree ? (double)s->tree.evaluations : 0,
                                    s ? s->even : 0,
                                    s && s->last,
                                    bound->fine,
                                    bound->total,
                                    s ? s->ideal : 0,
                                    bound->glanced && !s};
    fathom_state_add(writer, "bound", number, NUMBERS);
    fathom_npz_add_texts(writer, "bound_method", &bound->method, 1);
    fathom_state_add(writer, "bound_v", bound->v, p->n * p->outputs);
    fathom_state_add(writer, "met", bound->met, p->d + 1);
    write_origin(writer, bound, "origin");
    if (!s)
        return FATHOM_OK;
    fathom_state_add(writer, "search", s->v_joint, 4 * p->n);
    fathom_state_add(writer, "joint", s->joint->best, s->joint->size);
    return tree ? fathom_sign_tree_write(writer, &s->tree) : FATHOM_OK;
}

static fathom_status read_method(const char **method, fathom_context *context, const fathom_npz *npz,
                                 const char *name, const char *path)
{
    char **text = NULL;
    int64_t texts = 0;
    bool known = false;
    fathom_status status = fathom_npz_get_texts(&text, &texts, npz, name);
    for (size_t k = 0; k < sizeof methods / sizeof *methods && status == FATHOM_OK && texts == 1; k++)
        if (strcmp(text[0], methods[k]) == 0) {
            *method = methods[k];
            known = true;
        }
    if (status == FATHOM_OK && !known)
        status =
            fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0, "the bound has no known method");
    fathom_npz_texts_free(context, text, texts);
    return status;
}

/* Multipliers prove something only within their bounds: |Theta| >= 0, alpha > 0. */
static fathom_status check_multipliers(fathom_global_search *s, const char *path)
{
    bool valid;
    double price;
    const fathom_status status = fathom_joint_price(&valid, &price, s->joint, s->v_joint);
    if (status != FATHOM_OK || valid)
        return status;
    return fathom_error_set_at(s->problem->context, FATHOM_ERROR_INPUT, path, 0, 0,
                               "multipliers of the joint relaxation are out of range");
}

/* The joint relaxation from the residual it began with, its multipliers, and the tree from both. */
static fathom_status take_search(fathom_global_search *s, const fathom_npz *npz, const char *path,
                                 const double number[NUMBERS])
{
    fathom_context *context = s->problem->context;
    fathom_status status = fathom_state_take(s->v_joint, npz, context, path, "search", 4 * s->problem->n);
    FATHOM_THEN(status, fathom_global_search_join(s));
    FATHOM_THEN(status, fathom_state_take(s->joint->best, npz, context, path, "joint", s->joint->size));
    FATHOM_THEN(status, check_multipliers(s, path));
    s->t = number[7];
    s->found = number[8];
    s->work = number[9];
    s->even = number[11];
    s->last = number[12] != 0;
    s->ideal = number[15];
    s->joined = true;
    if (status != FATHOM_OK || number[6] == 0)
        return status;
    status = fathom_sign_tree_open(&s->tree, s->problem, s->joint);
    FATHOM_THEN(status, fathom_sign_tree_read(&s->tree, npz, path));
    s->tree.evaluations = (int64_t)number[10];
    return status;
}

/* A search at the dual point of a bound whose file has none. */
static fathom_status begin_search(fathom_global_search **search, const fathom_global_bound *bound)
{
    const fathom_objective *p = bound->lifted ? bound->lifted : bound->problem;
    const fathom_status status = fathom_global_search_create(search, p, bound->problem);
    for (int k = 0; k < 4 && status == FATHOM_OK; k++)
        memcpy((*search)->v_joint + k * p->n, bound->v, (size_t)p->n * sizeof *bound->v);
    return status == FATHOM_OK ? fathom_global_search_join(*search) : status;
}

/* The price of the bound's dual point that the multipliers of a search give there, its tree's where there is
 * one: a copy is moved to that point and grows for as long as states are apart. */
static fathom_status price_anew(double *price, const fathom_global_bound *bound,
                                const fathom_global_search *s, const fathom_npz *npz, const char *path)
{
    fathom_sign_tree tree = {0};
    fathom_global_search *own = NULL;
    fathom_status status = FATHOM_OK;
    bool valid = false;
    if (s && memcmp(s->v_joint, bound->v, (size_t)s->problem->n * sizeof *bound->v) == 0) {
        status = fathom_joint_price(&valid, price, s->joint, bound->v);
        if (status != FATHOM_OK || (valid && *price <= bound->price))
            return status;
        *price = INFINITY;
    }
    if (s && s->tree.problem && memcmp(s->tree.v, bound->v, (size_t)s->problem->n * sizeof *bound->v) == 0) {
        *price = fathom_sign_tree_price(&s->tree);
        if (*price <= bound->price)
            return FATHOM_OK;
    }
    if (!s)
        status = begin_search(&own, bound);
    s = s ? s : own;
    FATHOM_THEN(status, fathom_sign_tree_open(&tree, s->problem, s->joint));
    if (status == FATHOM_OK && s->tree.problem)
        status = fathom_sign_tree_read(&tree, npz, path);
    FATHOM_THEN(status, fathom_sign_tree_move(&tree, bound->v));
    if (status == FATHOM_OK) /* multipliers of another dual point: they are fitted to this one */
        status = fathom_sign_tree_grow(
            &tree, bound->price, tree.nodes + fathom_global_search_nodes(s->problem, APART), MOST_BYTES);
    if (status == FATHOM_OK)
        *price = fathom_sign_tree_price(&tree);
    fathom_sign_tree_close(&tree);
    fathom_global_search_free(own);
    return status;
}

/* `proved` of a bound as a file gives it. */
static fathom_status confirm(fathom_global_bound *bound, const fathom_global_search *search,
                             const fathom_npz *npz, const char *path)
{
    const fathom_objective *p = bound->problem;
    const fathom_price_problem at = fathom_price_at(p, bound->v, p->outputs);
    double price = INFINITY;
    bool small = true;
    FATHOM_TRY(fathom_price_is_small(&small, &at));
    if (!small && p->outputs == 1 && bound->lower > 0)
        FATHOM_TRY(price_anew(&price, bound, search, npz, path));
    return fathom_global_bound_confirm(bound, price);
}

void fathom_global_floor_write(fathom_npz_writer *writer, const fathom_global_bound *bound)
{
    const double number[] = {bound->lower, bound->price, bound->fine, bound->total};
    fathom_state_add(writer, "floor", number, 4);
    fathom_npz_add_texts(writer, "floor_method", &bound->method, 1);
    fathom_state_add(writer, "floor_v", bound->v, bound->problem->n * bound->problem->outputs);
    write_origin(writer, bound, "floor_origin");
}

fathom_status fathom_global_floor_read(fathom_global_bound *floor, const fathom_global_bound *bound,
                                       const fathom_npz *npz, const char *path)
{
    const fathom_objective *p = bound->problem;
    double number[4] = {0, INFINITY};
    fathom_status status = fathom_global_bound_open(floor, p, NULL);
    FATHOM_THEN(status, fathom_state_take(number, npz, p->context, path, "floor", 4));
    FATHOM_THEN(status, fathom_state_take(floor->v, npz, p->context, path, "floor_v", p->n * p->outputs));
    FATHOM_THEN(status, read_method(&floor->method, p->context, npz, "floor_method", path));
    FATHOM_THEN(status, take_origin(floor, npz, path, "floor_origin"));
    floor->lower = number[0];
    floor->price = number[1];
    floor->fine = number[2];
    floor->total = number[3];
    return status == FATHOM_OK ? confirm(floor, bound->search, npz, path) : status;
}

fathom_status fathom_global_bound_read(fathom_global_bound *bound, const fathom_npz *npz, const char *path)
{
    const fathom_objective *p = bound->problem;
    double number[NUMBERS];
    fathom_status status = fathom_state_take(number, npz, p->context, path, "bound", NUMBERS);
    if (status == FATHOM_OK &&
        !(number[0] >= 0 && number[7] >= 0 && number[7] <= 1 && number[9] >= 0 && number[10] >= 0 &&
          number[10] < 1e15 && number[11] >= 0 && number[13] >= 0 && number[14] >= 0 && number[15] >= 0))
        status = fathom_error_set_at(p->context, FATHOM_ERROR_INPUT, path, 0, 0,
                                     "numbers of the bound are out of range");
    if (status == FATHOM_OK && number[16] != 0)
        return FATHOM_OK;
    FATHOM_THEN(status, read_method(&bound->method, p->context, npz, "bound_method", path));
    FATHOM_THEN(status, fathom_state_take(bound->v, npz, p->context, path, "bound_v", p->n * p->outputs));
    FATHOM_THEN(status, fathom_state_take(bound->met, npz, p->context, path, "met", p->d + 1));
    FATHOM_THEN(status, take_origin(bound, npz, path, "origin"));
    if (status != FATHOM_OK)
        return status;
    bound->lower = number[0];
    bound->price = number[1];
    bound->exhausted = number[2] != 0;
    bound->met_price = number[3];
    bound->met_sign = number[4];
    bound->fine = number[13];
    bound->total = number[14];
    if (number[5] != 0) {
        status = fathom_global_search_create(&bound->search, bound->lifted ? bound->lifted : p, p);
        FATHOM_THEN(status, take_search(bound->search, npz, path, number));
    }
    return status == FATHOM_OK ? confirm(bound, bound->search, npz, path) : status;
}
