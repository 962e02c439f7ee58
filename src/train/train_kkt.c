/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The duality gap as a table. For a dual point v with p(v) <= beta (1'v = 0 with a free constant) and any
 * network
 *
 *     P - D(v) = sum_i { l_i(f_i) + l_i*(-v_i) + v_i f_i }  +  sum_j { beta |w_j||u_j| - <w_j, V'z_j> },
 *       z_j = relu(X u_j + b_j),
 *
 * because <v, f> = sum_j <w_j, V'z_j>. Every brace is >= 0 (Fenchel-Young; |V'z_j| <= beta |u_j|), and all
 * vanish at an optimum: v_i = -l_i'(f_i), and every neuron has the largest price, |V'z_j| = beta |u_j|. So
 * the gap says how much which row and which neuron is off (docs/explanation/global.md).
 */
#include "train_kkt.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "inner/context.h"
#include "inner/json.h"
#include "inner/train.h"
#include "loss_row.h"
#include "memory.h"
#include "npy_internal.h"

/* Listed at most. */
enum { NEURONS = 1000, ROWS = 100 };

/* A row is on the kink of a neuron where it is within this share of the sizes involved. */
static const double ON_KINK = 1e-9;

static fathom_status need_proof(const fathom_train_result *result, fathom_context *context)
{
    if (result->proof && result->proof->v)
        return FATHOM_OK;
    return fathom_context_fail(
        context, FATHOM_ERROR_USAGE,
        "a dual point is kept where --save-dual, --certificate or --verify asks for it");
}

/* Of the problem as asked for: (1/N) s v, scaled back. */
static double dual_entry(const fathom_train_result *r, const fathom_train_options *options, int64_t at)
{
    const bool equality = options->loss == FATHOM_TRAIN_EQUALITY;
    const fathom_proof_shift shift = fathom_proof_shifts(r->proof, equality);
    const double divisor = options->scale && !equality ? (double)r->proof->n : 1;
    return ldexp(r->proof->scale * r->proof->v[at], shift.dual + shift.scale) / divisor;
}

fathom_status fathom_train_get_dual(double *v, fathom_context *context, const fathom_train_result *result,
                                    const fathom_train_options *options)
{
    FATHOM_TRY(need_proof(result, context));
    const int64_t n = result->proof->n, o = result->proof->outputs;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < o; k++)
            v[i * o + k] = dual_entry(result, options, k * n + i);
    return FATHOM_OK;
}

fathom_status fathom_train_write_dual(const fathom_train_result *result, fathom_context *context,
                                      const fathom_train_options *options, const char *path)
{
    FATHOM_TRY(need_proof(result, context));
    const int64_t shape[] = {result->proof->n, result->proof->outputs};
    fathom_file *file = NULL;
    double *v = fathom_memory_alloc(context, shape[0] * shape[1], sizeof *v);
    fathom_status status = v ? fathom_train_get_dual(v, context, result, options) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_file_create(&file, context, path));
    FATHOM_THEN(status,
                fathom_npy_append(file, v, shape[1] > 1 ? 2 : 1, shape, shape[1] > 1 ? shape[1] : shape[0]));
    fathom_memory_free(context, v);
    if (status == FATHOM_OK)
        return fathom_file_commit(file);
    fathom_file_abort(file);
    return status;
}

/* l_i(f_i) + l_i*(-v_i) + v_i f_i of the loss with weight c_i, v of the sum of the losses. */
static double row_slack(const fathom_claim *c, const double *f, const double *v, int64_t i)
{
    const fathom_loss_row *row = fathom_loss_row_of(c->loss);
    const fathom_loss_pair at = {.f = f + i * c->outputs,
                                 .y = c->y + i * c->outputs,
                                 .v = v + i,
                                 .outputs = c->outputs,
                                 .step = c->n,
                                 .weight = c->weight ? c->weight[i] : 1,
                                 .box = &c->box};
    double sum = 0;
    if (!c->equality)
        return row->slack(row, &at);
    for (int64_t k = 0; k < c->outputs; k++)
        sum += at.v[k * at.step] * (at.f[k] - at.y[k]);
    return sum;
}

/* Slacks of all rows: their sum, the largest and whose it is; how many rows v uses. */
static fathom_status set_rows(fathom_json *object, const fathom_kkt *kkt, fathom_data *data)
{
    const fathom_claim *c = &kkt->claim;
    double *f = fathom_memory_alloc(c->context, c->n * (2 * c->outputs + 1), sizeof *f);
    if (!f)
        return FATHOM_ERROR_MEMORY;
    double *v = f + c->n * c->outputs, *slack = v + c->n * c->outputs, sum = 0;
    int64_t worst = 0, support = 0;
    for (int64_t k = 0; k < c->n * c->outputs; k++)
        v[k] = kkt->v[k] * c->divisor;
    fathom_status status = fathom_net_forward(f, kkt->result->net, data);
    for (int64_t i = 0; i < c->n && status == FATHOM_OK; i++) {
        bool used = false;
        for (int64_t k = 0; k < c->outputs; k++)
            used = used || v[k * c->n + i] != 0;
        support += used;
        slack[i] = row_slack(c, f, v, i) / c->divisor;
        sum += slack[i];
        worst = slack[i] > slack[worst] ? i : worst;
    }
    kkt->summary->row_gap = sum;
    FATHOM_THEN(status, fathom_json_set_real(object, "row_gap", sum));
    FATHOM_THEN(status, fathom_json_set_integer(object, "worst_row", worst));
    FATHOM_THEN(status, fathom_json_set_real(object, "worst_row_gap", slack[worst]));
    FATHOM_THEN(status, fathom_json_set_integer(object, "support_rows", support));
    if (status == FATHOM_OK && c->n <= NEURONS)
        status = fathom_json_set_vector(object, "row_gaps", slack, c->n);
    fathom_memory_free(c->context, f);
    return status;
}

/* One neuron at v. */
typedef struct {
    double size;      /* |w_j||u_j| */
    double price;     /* |V'z_j| / |u_j| */
    double product;   /* <w_j, V'z_j> */
    int64_t tight;    /* rows on its kink, */
    double row[ROWS]; /* the first of them */
} neuron;

/* V'z_j, output k; counts the rows on the kink at k = 0. */
static double relu_price(neuron *a, const fathom_kkt *kkt, const fathom_net_weights *net, int64_t j,
                         int64_t k)
{
    const fathom_claim *c = &kkt->claim;
    const double *u = net->u + j * c->d, bias = net->b ? net->b[j] : 0, length = fathom_blas_norm(u, c->d);
    double sum = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const double *x = c->x + i * c->d, h = fathom_blas_dot(u, x, c->d) + bias;
        const double size = length * fathom_blas_norm(x, c->d) + fabs(bias);
        if (k == 0 && fabs(h) <= ON_KINK * size && a->tight++ < ROWS)
            a->row[a->tight - 1] = (double)i;
        sum += kkt->v[k * c->n + i] * fmax(h, 0);
    }
    return sum;
}

static neuron measure_relu(const fathom_kkt *kkt, const fathom_net_weights *net, int64_t j)
{
    const fathom_claim *c = &kkt->claim;
    const double length = fathom_blas_norm(net->u + j * c->d, c->d);
    neuron a = {.size = length * fathom_blas_norm(net->w + j * c->outputs, c->outputs)};
    double square = 0;
    for (int64_t k = 0; k < c->outputs; k++) {
        const double t = relu_price(&a, kkt, net, j, k);
        square += t * t;
        a.product += net->w[j * c->outputs + k] * t;
    }
    a.price = length > 0 ? sqrt(square) / length : 0;
    return a;
}

/* A gate: A_j'v in the place of V'z_j. */
static neuron measure_gate(const fathom_kkt *kkt, const fathom_net_weights *net, int64_t j)
{
    const fathom_claim *c = &kkt->claim;
    const int64_t block = c->outputs * c->d;
    neuron a = {.size = fathom_blas_norm(net->w + j * block, block)};
    double square = 0;
    for (int64_t l = 0; l < block; l++) {
        double sum = 0;
        for (int64_t i = 0; i < c->n; i++)
            if (fathom_blas_dot(net->v + j * c->d, c->x + i * c->d, c->d) > 0)
                sum += kkt->v[l / c->d * c->n + i] * c->x[i * c->d + l % c->d];
        square += sum * sum;
        a.product += net->w[j * block + l] * sum;
    }
    a.price = sqrt(square);
    return a;
}

static fathom_status add_neuron(fathom_json *list, const neuron *a, double beta, int64_t j)
{
    fathom_json *member;
    const struct {
        const char *key;
        double value;
    } row[] = {{"size", a->size},
               {"price", a->price},
               {"slack", beta - a->price},
               {"gap", beta * a->size - a->product}};
    FATHOM_TRY(fathom_json_append_object(list, &member));
    FATHOM_TRY(fathom_json_set_integer(member, "neuron", j));
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        FATHOM_TRY(fathom_json_set_real(member, row[k].key, row[k].value));
    FATHOM_TRY(fathom_json_set_integer(member, "tight_rows", a->tight));
    return fathom_json_set_vector(member, "tight", a->row, a->tight < ROWS ? a->tight : ROWS);
}

static fathom_status set_neurons(fathom_json *object, const fathom_kkt *kkt)
{
    const fathom_net_shape shape = fathom_net_look(kkt->result->net);
    const fathom_net_weights net = fathom_net_lend(kkt->result->net);
    fathom_train_kkt *all = kkt->summary;
    fathom_json *list;
    fathom_status status = fathom_json_set_list(object, "neurons", &list);
    for (int64_t j = 0; j < shape.m && status == FATHOM_OK; j++) {
        const neuron a =
            shape.kind == FATHOM_NET_GATED ? measure_gate(kkt, &net, j) : measure_relu(kkt, &net, j);
        all->neuron_gap += kkt->claim.beta * a.size - a.product;
        all->least_price = fmin(all->least_price, a.price);
        all->most_price = fmax(all->most_price, a.price);
        all->tight_rows += a.tight;
        if (j < NEURONS)
            status = add_neuron(list, &a, kkt->claim.beta, j);
    }
    FATHOM_THEN(status, fathom_json_set_real(object, "neuron_gap", all->neuron_gap));
    FATHOM_THEN(status, fathom_json_set_real(object, "least_price", all->least_price));
    return status == FATHOM_OK ? fathom_json_set_real(object, "most_price", all->most_price) : status;
}

static fathom_status fill(fathom_json *object, const fathom_kkt *kkt, fathom_data *data)
{
    FATHOM_TRY(fathom_json_set_real(object, "beta", kkt->claim.beta));
    FATHOM_TRY(fathom_json_set_real(object, "value", kkt->result->lower_bound));
    FATHOM_TRY(fathom_json_set_real(object, "gap", kkt->gap));
    FATHOM_TRY(set_rows(object, kkt, data));
    FATHOM_TRY(set_neurons(object, kkt));
    return fathom_kkt_set_maximisers(object, kkt, data);
}

fathom_status fathom_train_set_kkt(fathom_train_kkt *summary, fathom_json *object, fathom_context *context,
                                   const fathom_train_result *result, fathom_data *data,
                                   const fathom_train_options *options)
{
    fathom_kkt kkt = {.result = result, .gap = result->gap, .summary = summary};
    *summary = (fathom_train_kkt){.least_price = NAN, .most_price = NAN, .because = "there is no network"};
    fathom_status status = need_proof(result, context);
    if (status != FATHOM_OK || !result->net)
        return status;
    const int64_t size = result->proof->n * result->proof->outputs;
    status = fathom_claim_open(&kkt.claim, context, data, result, options);
    kkt.v = fathom_memory_alloc(context, size, sizeof *kkt.v);
    if (status == FATHOM_OK && !kkt.v)
        status = FATHOM_ERROR_MEMORY;
    for (int64_t at = 0; at < size && status == FATHOM_OK; at++)
        kkt.v[at] = dual_entry(result, options, at);
    FATHOM_THEN(status, fill(object, &kkt, data));
    fathom_memory_free(context, kkt.v);
    fathom_claim_close(&kkt.claim);
    return status;
}
