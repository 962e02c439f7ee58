/* SPDX-License-Identifier: Apache-2.0 */
/* Activations and their slopes, on one number and on a tile of pre-activations. */
#ifndef FATHOM_ACTIVATION_H
#define FATHOM_ACTIVATION_H

#include "fathom/net.h"

/* sigma(t); scalar networks are ReLU in t = b <u, x>, gated ones have no activation (t is returned where t > 0). */
double fathom_activation(fathom_net_kind kind, double parameter, double t);

/* sigma'(t) with the conventions at the kinks: relu 0 and leaky alpha at t = 0 (gates open strictly above 0); huber
 * is differentiable. */
double fathom_activation_slope(fathom_net_kind kind, double parameter, double t);

/* z_ij <- sigma(z_ij + bias_j) on rows x columns (leading dimension ldz); bias NULL: none. `scalar`: sigma(bias_j z_ij). */
void fathom_activation_apply(double *z, int64_t ldz, int64_t rows, int64_t columns, fathom_net_kind kind,
                             double parameter, const double *bias);

/* g_ij <- g_ij sigma'(t_ij), t as above from the pre-activations z before fathom_activation_apply. */
void fathom_activation_apply_slope(double *g, int64_t ldg, const double *z, int64_t ldz, int64_t rows,
                                   int64_t columns, fathom_net_kind kind, double parameter,
                                   const double *bias);

/* relu, leaky: g_j = s a_j sigma'(z_j), one row. */
void fathom_activation_pull(double *g, double s, const double *a, const double *z, int64_t columns,
                            fathom_net_kind kind, double parameter);

#endif
