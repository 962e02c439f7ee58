/* SPDX-License-Identifier: Apache-2.0 */
/* fathom: two-layer ReLU networks, solved. Gathers the headers of all stages. */
#ifndef FATHOM_H
#define FATHOM_H

#include "fathom/certificate.h"
#include "fathom/check.h"
#include "fathom/cones.h"
#include "fathom/context.h"
#include "fathom/data.h"
#include "fathom/decompose.h"
#include "fathom/doctor.h"
#include "fathom/equivalence.h"
#include "fathom/explain.h"
#include "fathom/export.h"
#include "fathom/extreme.h"
#include "fathom/fit.h"
#include "fathom/flow.h"
#include "fathom/gates.h"
#include "fathom/geometry.h"
#include "fathom/interrupt.h"
#include "fathom/job.h"
#include "fathom/json.h"
#include "fathom/kernel.h"
#include "fathom/loss.h"
#include "fathom/margin.h"
#include "fathom/measure.h"
#include "fathom/model.h"
#include "fathom/net.h"
#include "fathom/options.h"
#include "fathom/schema.h"
#include "fathom/status.h"
#include "fathom/train.h"
#include "fathom/version.h"

#endif
