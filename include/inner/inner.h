/* SPDX-License-Identifier: Apache-2.0 */
/* What the program, the package for Python and the layers share besides the public headers. Nothing here is installed, and all of
 * it may change with every version: a program in C includes fathom/fathom.h. FATHOM_PROGRAM stands before what the two front ends call. */
#ifndef FATHOM_INNER_H
#define FATHOM_INNER_H

#include "fathom/fathom.h"
#include "inner/certificate.h"
#include "inner/check.h"
#include "inner/cones.h"
#include "inner/context.h"
#include "inner/data.h"
#include "inner/extreme.h"
#include "inner/files.h"
#include "inner/fit.h"
#include "inner/flow.h"
#include "inner/gates.h"
#include "inner/geometry.h"
#include "inner/json.h"
#include "inner/kernel.h"
#include "inner/loss.h"
#include "inner/margin.h"
#include "inner/model.h"
#include "inner/options.h"
#include "inner/program.h"
#include "inner/schema.h"
#include "inner/train.h"

#endif
