/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: records of a flow as members of JSON, and what proves where it ends. */
#ifndef FATHOM_INNER_FLOW_H
#define FATHOM_INNER_FLOW_H

#include "fathom/flow.h"
#include "fathom/job.h"
#include "fathom/json.h"
#include "inner/certificate.h"
#include "inner/files.h"
#include "inner/program.h"

/* Sets the members of an object from a record: what a line of a log holds. */
FATHOM_PROGRAM fathom_status fathom_flow_record_set(fathom_json *object, const fathom_flow_record *record);

/* ERROR_USAGE where a file that the run of a state was made of, and that going on with it reads, is an output
 * among the `count` uses of this call: the data where `data` is NULL, the test data where `test` is NULL. */
FATHOM_PROGRAM fathom_status fathom_flow_check_origin(fathom_context *context, const char *state,
                                                      const char *data, const char *test,
                                                      const fathom_file_use *use, int64_t count);

/* Adds the claim that the network is a KKT point of the largest margin with these multipliers (n), as fathom_flow_ending has them;
 * the same as the certificate of a job. */
fathom_status fathom_certificate_add_limit(fathom_certificate *certificate, const fathom_net *net,
                                           const double *dual);
FATHOM_PROGRAM fathom_status fathom_job_prove_limit(fathom_job *job, const fathom_net *net,
                                                    const double *dual);

#endif
