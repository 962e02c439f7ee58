/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates: claims with proofs that a program of its own, fathom-check, verifies against the data file in exact
 * arithmetic. docs/reference/certificate.md has the format and why each check suffices.
 *
 * A solver leaves the evidence for its lower bound in a proof (numbers only; any values are valid evidence of
 * something, and the checker decides of what). A job (fathom/job.h) turns results with proofs into a file.
 */
#ifndef FATHOM_CERTIFICATE_H
#define FATHOM_CERTIFICATE_H

#include "fathom/gates.h"
#include "fathom/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What proves a lower bound of training: made by solvers, taken by fathom_job_prove_train. */
typedef struct fathom_proof fathom_proof;

/* Its dual point is of n examples and so many outputs. */
FATHOM_API void fathom_proof_shape(int64_t *n, int64_t *outputs, const fathom_proof *proof);

#ifdef __cplusplus
}
#endif
#endif
