/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs made ready to be written; see claim_finish.c. */
#ifndef FATHOM_CLAIM_FINISH_H
#define FATHOM_CLAIM_FINISH_H

#include "fathom/train.h"

/* Where the result has a proof: settles its dual point, and finds both ends as the checker will find them; the ends of the result are
 * then no closer to each other than those. Nothing where there is no proof. */
fathom_status fathom_claim_finish(fathom_train_result *result, fathom_context *context, fathom_data *data,
                                  const fathom_train_options *options);

#endif
