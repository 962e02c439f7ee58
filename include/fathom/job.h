/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job: what stands around a computation, the same for the program, the Python package and callers from C.
 *
 *     open: data, from a plain file where a proof is asked for -> the caller computes -> prove: the certificate
 *     -> verify: fathom-check as a process of its own -> end: what was temporary goes.
 *
 * A certificate is about a plain file. Data of other kinds (generated, built in, compressed, in memory,
 * ...) is written to CERTIFICATE.csv, .svm or .npy first and read again from there: numbers read back as
 * the same doubles, so the problem is the same.
 */
#ifndef FATHOM_JOB_H
#define FATHOM_JOB_H

#include "fathom/cones.h"
#include "fathom/geometry.h"
#include "fathom/kernel.h"
#include "fathom/margin.h"
#include "fathom/model.h"
#include "fathom/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fathom_job fathom_job;

/* What a job starts from. */
typedef struct fathom_job_source {
    const char *spec;                   /* DATA of the command line, or NULL: */
    const fathom_data *given;           /* data in memory, before the steps that `options` ask for */
    const fathom_data_options *options; /* copied; texts are borrowed until the end */
    const char *certificate;            /* file to write the proof to; NULL: none, but for `verify`'s own */
    bool verify;                        /* the proof is checked at the end */
} fathom_job_source;

/* Opens the data of a job. The job belongs to the caller also where this fails. */
FATHOM_API fathom_status fathom_job_open(fathom_job **job, fathom_context *context,
                                         const fathom_job_source *source);

typedef struct fathom_job_view {
    fathom_data *data;       /* borrowed */
    bool proves;             /* a certificate is asked for, or its verification */
    const char *certificate; /* the file that stays, once it is written; NULL: none */
    const char *path;        /* the data file that the certificate is about, with its labels or NULL */
    const char *labels;
} fathom_job_view;
FATHOM_API fathom_job_view fathom_job_look(const fathom_job *job);

/* Says that the caller gave the data another bias (fathom_data_set_bias): so the checker is asked about
 * that one. */
FATHOM_API void fathom_job_set_bias(fathom_job *job, fathom_bias bias);

/* Write the certificate of results about the data, where one is asked for: `count` results of training
 * (those of a path have a claim each), a margin, all cones or with `faces` all sets of active points. */
FATHOM_API fathom_status fathom_job_prove_train(fathom_job *job, const fathom_train_result *result,
                                                int64_t count, const fathom_train_options *options);
FATHOM_API fathom_status fathom_job_prove_margin(fathom_job *job, fathom_margin_result *margin);
FATHOM_API fathom_status fathom_job_prove_cones(fathom_job *job, bool faces, bool as_doubles);

/* The same of one cone, that of `active` (n), decided on the decimals of the data or on its doubles; of both
 * ends of a kernel's spectrum; and of the data being spike-free or not (ERROR_USAGE where that is not
 * decided, or to rounding alone). */
FATHOM_API fathom_status fathom_job_prove_cone(fathom_job *job, const fathom_cone *cone, const bool *active,
                                               bool decimals);
FATHOM_API fathom_status fathom_job_prove_kernel(fathom_job *job, const fathom_kernel_claim *claim);
FATHOM_API fathom_status fathom_job_prove_geometry(fathom_job *job, const fathom_geometry *geometry);

/* What fathom-check said. */
typedef enum fathom_job_answer {
    FATHOM_JOB_NOT_ASKED, /* no certificate, or nothing to verify */
    FATHOM_JOB_ACCEPTED,
    FATHOM_JOB_REJECTED,
    FATHOM_JOB_CUT /* a limit or an interruption ended it first */
} fathom_job_answer;
typedef struct fathom_job_verdict {
    fathom_job_answer answer;
    char text[4096];      /* its first line */
    char statement[8192]; /* what it says was proved, in one line; "" where nothing was */
} fathom_job_verdict;

/* Runs the checker (a path, or a name to look up along PATH) on the certificate, where that is asked for. */
FATHOM_API fathom_status fathom_job_verify(fathom_job_verdict *verdict, fathom_job *job, const char *checker);

/* Ends a job: temporary files go and, where no certificate was written, the data that was written for it.
 * NULL is legal. */
FATHOM_API void fathom_job_end(fathom_job *job);

/* The score of a model on data; and on a test set, read as the training data was (fathom_data_open_test). */
FATHOM_API fathom_status fathom_job_score(fathom_score *score, const fathom_model *model,
                                          const fathom_data *data);
FATHOM_API fathom_status fathom_job_score_test(fathom_score *score, fathom_context *context,
                                               const fathom_model *model, const char *spec, const char *rows,
                                               const fathom_data_options *options);

#ifdef __cplusplus
}
#endif
#endif
