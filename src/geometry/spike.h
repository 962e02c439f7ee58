/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spike-free matrices: is {(Au)_+ : |u| <= 1} inside A B_2? [001, Sec. 2.2, Lemma 2.3 corrected]
 */
#ifndef FATHOM_SPIKE_H
#define FATHOM_SPIKE_H

#include "fathom/geometry.h"

/* Fills the spike members of the result for x (n x d, leading dimension d). rank_one and whitened_error are set
 * before: these two are judged to rounding, all else as the stored numbers stand. */
fathom_status fathom_spike_decide(fathom_geometry *result, const double *x, int64_t n, int64_t d,
                                  fathom_context *context);

/* See fathom_geometry_show_spike; x (n x d, leading dimension d). */
fathom_status fathom_spike_show(bool *shown, double *u, double *c, const double *x, int64_t n, int64_t d,
                                fathom_context *context);

#endif
