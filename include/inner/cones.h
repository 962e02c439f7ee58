/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: what was decided of one cone, for certificates. */
#ifndef FATHOM_INNER_CONES_H
#define FATHOM_INNER_CONES_H

#include "fathom/cones.h"
#include "inner/certificate.h"

/* Adds what was decided of the cone of `active` (n) to a certificate. */
fathom_status fathom_certificate_add_cone(fathom_certificate *certificate, const fathom_cone *cone,
                                          const bool *active);

#endif
