/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activations: relu max(t, 0); leaky max(t, alpha t); huber 0, t^2/(2h), t - h/2 [002, eq. 1].
 *
 * The loops over a row are written without branches on data, so that the compiler turns them into vector code;
 * a tile is small enough to be still in cache from the product that made it. Comparisons let NaN through.
 */
#include "activation.h"

#include "dispatch.h"

double fathom_activation(fathom_net_kind kind, double parameter, double t)
{
    switch (kind) {
    case FATHOM_NET_LEAKY:
        return t > 0 ? t : parameter * t;
    case FATHOM_NET_HUBER:
        if (t >= parameter)
            return t - parameter / 2;
        return t <= 0 ? 0 : t * (t / parameter) / 2; /* t * t could underflow or overflow alone */
    default:
        return t <= 0 ? 0 : t;
    }
}

double fathom_activation_slope(fathom_net_kind kind, double parameter, double t)
{
    switch (kind) {
    case FATHOM_NET_LEAKY:
        return t > 0 ? 1 : parameter;
    case FATHOM_NET_HUBER:
        if (t >= parameter)
            return 1;
        return t > 0 ? t / parameter : 0;
    default:
        return t > 0 ? 1 : 0;
    }
}

/* t_j = z_j + bias_j, or bias_j z_j for scalar networks. */
static void shift_row(double *restrict z, int64_t columns, fathom_net_kind kind, const double *restrict bias)
{
    if (!bias)
        return;
    if (kind == FATHOM_NET_SCALAR)
        for (int64_t j = 0; j < columns; j++)
            z[j] *= bias[j];
    else
        for (int64_t j = 0; j < columns; j++)
            z[j] += bias[j];
}

FATHOM_DISPATCH static void activation_row(double *z, int64_t columns, fathom_net_kind kind, double parameter)
{
    if (kind == FATHOM_NET_LEAKY)
        for (int64_t j = 0; j < columns; j++)
            z[j] = z[j] > 0 ? z[j] : parameter * z[j];
    else if (kind == FATHOM_NET_HUBER)
        for (int64_t j = 0; j < columns; j++) { /* both sides are found and one is taken: vector code */
            const double t = z[j], line = t - parameter / 2, curve = t * (t / parameter) / 2;
            z[j] = t >= parameter ? line : t <= 0 ? 0 : curve;
        }
    else
        for (int64_t j = 0; j < columns; j++)
            z[j] = z[j] <= 0 ? 0 : z[j];
}

void fathom_activation_apply(double *z, int64_t ldz, int64_t rows, int64_t columns, fathom_net_kind kind,
                             double parameter, const double *bias)
{
    for (int64_t i = 0; i < rows; i++) {
        shift_row(z + i * ldz, columns, kind, bias);
        activation_row(z + i * ldz, columns, kind, parameter);
    }
}

/* Without a bias, kind by kind. */
FATHOM_DISPATCH static void activation_slope_row(double *restrict g, const double *restrict z,
                                                 int64_t columns, fathom_net_kind kind, double parameter)
{
    if (kind == FATHOM_NET_HUBER)
        for (int64_t j = 0; j < columns; j++) {
            const double part = z[j] / parameter, low = z[j] > 0 ? part : 0;
            g[j] *= z[j] >= parameter ? 1 : low;
        }
    else {
        const double low = kind == FATHOM_NET_LEAKY ? parameter : 0;
        for (int64_t j = 0; j < columns; j++)
            g[j] *= z[j] > 0 ? 1 : low;
    }
}

static void slope_row(double *restrict g, const double *restrict z, int64_t columns, fathom_net_kind kind,
                      double parameter, const double *bias)
{
    const bool scalar = kind == FATHOM_NET_SCALAR;
    if (!bias && !scalar) {
        activation_slope_row(g, z, columns, kind, parameter);
        return;
    }
    for (int64_t j = 0; j < columns; j++) {
        const double shift = bias ? bias[j] : 0;
        const double t = scalar ? shift * z[j] : z[j] + shift;
        g[j] *= fathom_activation_slope(kind, parameter, t);
    }
}

void fathom_activation_apply_slope(double *g, int64_t ldg, const double *z, int64_t ldz, int64_t rows,
                                   int64_t columns, fathom_net_kind kind, double parameter,
                                   const double *bias)
{
    for (int64_t i = 0; i < rows; i++)
        slope_row(g + i * ldg, z + i * ldz, columns, kind, parameter, bias);
}

FATHOM_DISPATCH static void activation_pull_row(double *restrict g, double s, const double *restrict a,
                                                const double *restrict z, double low, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++)
        g[j] = s * a[j] * (z[j] > 0 ? 1 : low);
}

void fathom_activation_pull(double *g, double s, const double *a, const double *z, int64_t columns,
                            fathom_net_kind kind, double parameter)
{
    activation_pull_row(g, s, a, z, kind == FATHOM_NET_LEAKY ? parameter : 0, columns);
}
