/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: what shows that data is not spike-free. */
#ifndef FATHOM_INNER_GEOMETRY_H
#define FATHOM_INNER_GEOMETRY_H

#include "fathom/geometry.h"

/* Looks for what shows that the data matrix A (its rows as they are here) is not spike-free: point (d) and
 * combination (n), u and c with <c, (Au)_+> > |A'c||u| by more than rounding; *shown says whether they were
 * found. */
fathom_status fathom_geometry_show_spike(bool *shown, double *point, double *combination,
                                         fathom_context *context, const fathom_data *data);

#endif
