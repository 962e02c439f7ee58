/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence about merged rows as evidence about all rows; see merge_proof.c. */
#ifndef FATHOM_MERGE_PROOF_H
#define FATHOM_MERGE_PROOF_H

#include "merge_rows.h"

/* `all`, whose dual point is there, takes over what proves the price of s v in `few`, a proof about the merged rows. *done: whether it
 * could; if not, `all` is as it was but for memory. */
fathom_status fathom_merged_proof_lift(bool *done, fathom_proof *all, const fathom_proof *few, double s,
                                       const fathom_merged_rows *merged, const fathom_train_problem *problem);

#endif
