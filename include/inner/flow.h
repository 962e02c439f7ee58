/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: records of a flow as members of JSON. */
#ifndef FATHOM_INNER_FLOW_H
#define FATHOM_INNER_FLOW_H

#include "fathom/flow.h"
#include "fathom/json.h"
#include "inner/program.h"

/* Sets the members of an object from a record: what a line of a log holds. */
FATHOM_PROGRAM fathom_status fathom_flow_record_set(fathom_json *object, const fathom_flow_record *record);

#endif
