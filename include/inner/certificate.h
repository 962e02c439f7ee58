/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: writing certificates, claim by claim, and saying what one holds. */
#ifndef FATHOM_INNER_CERTIFICATE_H
#define FATHOM_INNER_CERTIFICATE_H

#include "fathom/certificate.h"
#include "fathom/json.h"
#include "inner/program.h"

/* A certificate in the making. */
typedef struct fathom_certificate fathom_certificate;

/* The files that a certificate is about: plain CSV, LIBSVM or NPY (with its labels), as `options` read them. */
typedef struct fathom_certificate_source {
    const char *path;
    const char *labels; /* NULL unless NPY */
    const fathom_data_options *options;
} fathom_certificate_source;

/* Whether fathom-check reads this data as it stands: a file, not compressed, CSV without quotes or
 * categories, LIBSVM or NPY. What is not plain is first written to a file that is. Where the file cannot be
 * read: false, and the context's error, FATHOM_OK otherwise, says why. */
bool fathom_certificate_plain(const fathom_data *data, const char *path, const fathom_data_options *options);

/* The files in which data that is not plain is kept beside a certificate. */
enum { FATHOM_CERTIFICATE_PATH = 4096 };
typedef struct fathom_certificate_data {
    char path[FATHOM_CERTIFICATE_PATH]; /* CERTIFICATE.csv, .svm or .npy */
    /* CERTIFICATE.labels.npy where there are several outputs, else "" */
    char labels[FATHOM_CERTIFICATE_PATH];
    bool made_path, made_labels; /* by this call; what was there with the same bytes stays as it is */
} fathom_certificate_data;

/* Writes `data` beside the certificate. A file that is there with other bytes is not touched: ERROR_USAGE. */
fathom_status fathom_certificate_keep_data(fathom_certificate_data *files, const fathom_data *data,
                                           const char *certificate);
/* Removes what that call made. */
void fathom_certificate_drop_data(fathom_certificate_data *files);

/* Begins the file `path` about `data`, which was read from `source`. Nothing appears before it is closed. */
fathom_status fathom_certificate_open(fathom_certificate **certificate, fathom_context *context,
                                      const char *path, const fathom_data *data,
                                      const fathom_certificate_source *source);

/* Before the first claim: the claims, of cones or of margin 0, are about the decimals of the data's text (fathom_data_decimals). */
void fathom_certificate_read_decimals(fathom_certificate *certificate);

/* Adds the claim that these gates, all of them witnesses of cones, are all full-dimensional cones of the data. */
fathom_status fathom_certificate_add_cones(fathom_certificate *certificate, const fathom_gates *gates);

/* Adds the claim that these gates are all sets of active points, those of measure zero included. */
fathom_status fathom_certificate_add_faces(fathom_certificate *certificate, const fathom_gates *gates);

/* Adds the claim that the data matrix A is spike-free (NULL, NULL), or that it is not: point (d) and
 * combination (n) are u and c with <c, (Au)_+> > |A'c||u| (fathom_geometry_show_spike). */
fathom_status fathom_certificate_add_spike(fathom_certificate *certificate, const double *point,
                                           const double *combination);

/* Whether a file begins as a certificate does; and what it says (nothing is verified) as members of `result`: data, n, d,
 * claims with their bounds and sizes. */
FATHOM_PROGRAM bool fathom_certificate_recognize(fathom_context *context, const char *path);
FATHOM_PROGRAM fathom_status fathom_certificate_describe(fathom_json *result, fathom_context *context,
                                                         const char *path);

/* Makes the file appear and frees the certificate whatever happens. */
fathom_status fathom_certificate_close(fathom_certificate *certificate);
/* Frees a certificate that is not to appear; free(NULL) is legal. */
void fathom_certificate_abort(fathom_certificate *certificate);

#endif
