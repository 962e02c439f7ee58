/* SPDX-License-Identifier: Apache-2.0 */
/* A job between its files. */
#ifndef FATHOM_JOB_INTERNAL_H
#define FATHOM_JOB_INTERNAL_H

#include "fathom/fathom.h"
#include "inner/certificate.h"
#include "columns_internal.h"

struct fathom_job {
    fathom_context *context;
    const char *certificate; /* NULL: none is asked for */
    bool verify;
    bool written;                 /* the certificate is there */
    bool untargeted;              /* it has targets in that file alone */
    bool decimal;                 /* the data that was written anew had been text */
    fathom_data *data;            /* owned */
    fathom_data_names names;      /* of the original, where the data was written anew */
    fathom_certificate_data kept; /* files that the data was written to for the certificate */
    fathom_data_options options;  /* with which `path` is read */
    char path[FATHOM_CERTIFICATE_PATH], weights[32];
    char folder[FATHOM_CERTIFICATE_PATH]; /* of a certificate that does not stay; "" else */
    char temporary[FATHOM_CERTIFICATE_PATH + 16];
    char *expect; /* what was asked, as words for fathom-check; NULL before a proof is written */
    size_t expect_room;
    int leftover
        [4]; /* what a sudden end removes: folder and certificate that do not stay, data beside one that is not
                        there yet */
};

/* Keep what was asked: of training, `count` results of one command; of a margin; of cones or all sets of
 * active points. */
fathom_status fathom_job_expect_train(fathom_job *job, const fathom_train_result *result, int64_t count,
                                      const fathom_train_options *options);
fathom_status fathom_job_expect_margin(fathom_job *job, const fathom_margin_result *margin);
fathom_status fathom_job_expect_cones(fathom_job *job, bool faces);
fathom_status fathom_job_expect_cone(fathom_job *job, const bool *active);
fathom_status fathom_job_expect_kernel(fathom_job *job, const fathom_kernel_claim *claim);
fathom_status fathom_job_expect_limit(fathom_job *job, bool both);
fathom_status fathom_job_expect_spike(fathom_job *job, bool free);

/* Adds claims to an open certificate; and writes the certificate with the claims that it makes of `user`. */
typedef fathom_status fathom_job_add(fathom_certificate *certificate, fathom_job *job, const void *user);
fathom_status fathom_job_write(fathom_job *job, fathom_job_add *add, const void *user);

#endif
