/* SPDX-License-Identifier: Apache-2.0 */
/* Files of results, whatever they are, as one JSON object each: what a page shows. */
#ifndef FATHOM_REPORT_SOURCE_H
#define FATHOM_REPORT_SOURCE_H

#include "fathom/json.h"

/* Gives the result in a file: what --json printed, as it is; a log of JSON lines as {"command": "log", "log": [...]}; a
 * model (JSON or NPZ) as {"command": "model", "kind", "d", "m", "outputs", "network": {...}}; a certificate as what it
 * claims. Anything else is ERROR_INPUT. */
fathom_status fathom_report_open(fathom_json **result, fathom_context *context, const char *path);

#endif
