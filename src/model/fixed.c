/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers of a ReLU network, as fixed.h has them.
 *
 * unit_j = max(max_i |h_ji| / Q, |s_j| / 2^30), so that every entry of K_j fits and B_j too; scale = max
 * |a_jk unit_j| / 32767. A neuron that is closed on the whole box has M = 0. C_k takes what rounding to M
 * does to the mean of the network at q = 0: C_k = round((f_k(0) - g_k(0)) / scale).
 */
#include "fixed.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "model_internal.h"

enum { OUTPUT_MOST = 32767 };
static const double SHIFT_MOST = 0x1p30;

static fathom_status refuse(const fathom_model *model, const char *why)
{
    return fathom_error_set(model->context, FATHOM_ERROR_USAGE, "no form in integers: %s", why);
}

static fathom_status allocate(fathom_fixed *f, fathom_context *context)
{
    const int64_t md = f->m * f->d, mo = f->m * f->outputs;
    f->block = fathom_memory_zero(context, 2 * f->d + md + 3 * f->m + mo, sizeof *f->block);
    f->integers = fathom_memory_zero(context, md + f->m + mo, sizeof *f->integers);
    f->constant = fathom_memory_zero(context, f->outputs, sizeof *f->constant);
    if (!f->block || !f->integers || !f->constant)
        return FATHOM_ERROR_MEMORY;
    f->middle = f->block, f->step = f->middle + f->d, f->h = f->step + f->d, f->s = f->h + md;
    f->unit = f->s + f->m, f->size = f->unit + f->m, f->a = f->size + f->m;
    f->k = f->integers, f->b = f->k + md, f->w = f->b + f->m;
    return FATHOM_OK;
}

/* The coordinates q of the box, and the network in them. */
static void place(fathom_fixed *f, const fathom_model *model, const fathom_export_net *net, const double *low,
                  const double *high)
{
    for (int64_t i = 0; i < f->d; i++) {
        f->middle[i] = low[i] / 2 + high[i] / 2;
        const double half = fmax(high[i] - f->middle[i], f->middle[i] - low[i]);
        f->step[i] = half > 0 ? half * (1 + 0x1p-50) / (double)f->most : 1;
    }
    for (int64_t j = 0; j < f->m; j++) {
        double shift = net->hidden_shift[j], size = fabs(shift);
        for (int64_t i = 0; i < f->d; i++) {
            const double width = model->scale ? model->scale[i] : 1, mean = model->mean ? model->mean[i] : 0;
            const double slope = net->hidden[j * f->d + i] / width;
            f->h[j * f->d + i] = slope * f->step[i];
            shift += slope * (f->middle[i] - mean);
            size += fabs(slope) * (fabs(f->middle[i]) + fabs(mean) + (double)f->most * f->step[i]);
        }
        f->s[j] = shift, f->size[j] = size;
        memcpy(f->a + j * f->outputs, net->output + j * f->outputs, (size_t)f->outputs * sizeof *f->a);
    }
}

/* Largest |h_ji|, and whether the neuron is open somewhere on the box. */
static double widest(const fathom_fixed *f, int64_t j, bool *opens)
{
    double most = 0, sum = 0;
    for (int64_t i = 0; i < f->d; i++) {
        most = fmax(most, fabs(f->h[j * f->d + i]));
        sum += fabs(f->h[j * f->d + i]);
    }
    *opens = f->s[j] + (double)f->most * sum * (1 + 1e-12) > -1e-12 * f->size[j];
    return most;
}

static void round_hidden(fathom_fixed *f, int64_t j, double most)
{
    f->unit[j] = fmax(most / (double)f->most, fabs(f->s[j]) / SHIFT_MOST);
    if (!(f->unit[j] > 0))
        f->unit[j] = 1;
    for (int64_t i = 0; i < f->d; i++)
        f->k[j * f->d + i] = (int32_t)lrint(f->h[j * f->d + i] / f->unit[j]);
    f->b[j] = (int32_t)lrint(f->s[j] / f->unit[j]);
}

static fathom_status round_output(fathom_fixed *f, const fathom_model *model)
{
    double most = 0;
    bool opens;
    for (int64_t j = 0; j < f->m; j++) {
        round_hidden(f, j, widest(f, j, &opens));
        for (int64_t k = 0; k < f->outputs && opens; k++)
            most = fmax(most, fabs(f->a[j * f->outputs + k] * f->unit[j]));
    }
    f->scale = most > 0 ? most / OUTPUT_MOST : 1;
    for (int64_t j = 0; j < f->m; j++) {
        widest(f, j, &opens);
        for (int64_t k = 0; k < f->outputs && opens; k++)
            f->w[j * f->outputs + k] = (int32_t)lrint(f->a[j * f->outputs + k] * f->unit[j] / f->scale);
    }
    const double *zero = fathom_memory_zero(model->context, f->d + 1, sizeof *zero);
    if (!zero)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < f->outputs && status == FATHOM_OK; k++) {
        const double rest = (fathom_fixed_exact(f, zero, k) - fathom_fixed_rounded(f, zero, k)) / f->scale;
        if (fabs(rest) < 0x1p62)
            f->constant[k] = llrint(rest);
        else
            status = refuse(model, "the constant is out of range");
    }
    fathom_memory_free(model->context, (void *)zero);
    return status;
}

/* Sums stay below 2^31 for 8 bits and 2^62 for 16, whatever the input. */
static fathom_status check_sums(const fathom_fixed *f, const fathom_model *model)
{
    const double room = f->bits == 8 ? 0x1p31 : 0x1p46;
    double total = 0;
    for (int64_t j = 0; j < f->m; j++) {
        double sum = fabs((double)f->b[j]), output = 0;
        for (int64_t i = 0; i < f->d; i++)
            sum += (double)f->most * fabs((double)f->k[j * f->d + i]);
        for (int64_t k = 0; k < f->outputs; k++)
            output = fmax(output, fabs((double)f->w[j * f->outputs + k]));
        if (sum >= room)
            return refuse(model, "too many columns for the sums");
        total += output * sum;
    }
    return total < 0x1p62 ? FATHOM_OK : refuse(model, "too many neurons for the sums");
}

fathom_status fathom_fixed_open(fathom_fixed *f, const fathom_model *model, const fathom_export_net *net,
                                int bits, const double *low, const double *high)
{
    *f = (fathom_fixed){.bits = bits,
                        .most = ((int64_t)1 << (bits - 1)) - 1,
                        .d = net->d,
                        .m = net->m,
                        .outputs = net->outputs,
                        .c = net->constant};
    if (net->kind != FATHOM_NET_RELU)
        return refuse(model, "it is for ReLU networks (fathom convert --to relu makes one of gates)");
    if (model->normalize == FATHOM_NORMALIZE_UNIT)
        return refuse(model, "rows of norm 1 need a root");
    for (int64_t i = 0; i < f->d; i++)
        if (!(low[i] <= high[i] && isfinite(high[i] - low[i])))
            return refuse(model, "the box of inputs is empty or has no end");
    fathom_status status = allocate(f, model->context);
    if (status == FATHOM_OK) {
        place(f, model, net, low, high);
        status = round_output(f, model);
    }
    return status == FATHOM_OK ? check_sums(f, model) : status;
}

void fathom_fixed_close(fathom_fixed *f, fathom_context *context)
{
    FATHOM_FREE(context, f->block, f->integers, f->constant);
    *f = (fathom_fixed){0};
}

double fathom_fixed_exact(const fathom_fixed *f, const double *q, int64_t output)
{
    double sum = f->c[output];
    for (int64_t j = 0; j < f->m; j++) {
        double t = f->s[j];
        for (int64_t i = 0; i < f->d; i++)
            t += f->h[j * f->d + i] * q[i];
        sum += t > 0 ? f->a[j * f->outputs + output] * t : 0;
    }
    return sum;
}

double fathom_fixed_rounded(const fathom_fixed *f, const double *q, int64_t output)
{
    int64_t sum = f->constant[output];
    for (int64_t j = 0; j < f->m; j++) {
        int64_t t = f->b[j];
        for (int64_t i = 0; i < f->d; i++)
            t += f->k[j * f->d + i] * (int64_t)lrint(q[i]);
        sum += t > 0 ? f->w[j * f->outputs + output] * t : 0;
    }
    return f->scale * (double)sum;
}
