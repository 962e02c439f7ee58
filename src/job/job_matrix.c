/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates about the data matrix: one cone, a kernel's spectrum, spike-free or not; and of where flows end. */
#include <string.h>

#include "context_internal.h"
#include "data_internal.h"
#include "inner/certificate.h"
#include "inner/cones.h"
#include "inner/flow.h"
#include "inner/geometry.h"
#include "inner/kernel.h"
#include "job_internal.h"

typedef struct cone_claim {
    const fathom_cone *cone;
    const bool *active;
    bool decimals;
} cone_claim;

static fathom_status add_cone(fathom_certificate *certificate, fathom_job *job, const void *user)
{
    const cone_claim *claim = user;
    (void)job;
    if (claim->decimals)
        fathom_certificate_read_decimals(certificate);
    return fathom_certificate_add_cone(certificate, claim->cone, claim->active);
}

fathom_status fathom_job_prove_cone(fathom_job *job, const fathom_cone *cone, const bool *active,
                                    bool decimals)
{
    const cone_claim claim = {cone, active, decimals};
    if (!job->certificate)
        return FATHOM_OK;
    FATHOM_TRY(fathom_job_expect_cone(job, active));
    return fathom_job_write(job, add_cone, &claim);
}

typedef struct limit_claim {
    const fathom_net *net;
    const double *dual;
} limit_claim;

static fathom_status add_limit(fathom_certificate *certificate, fathom_job *job, const void *user)
{
    const limit_claim *claim = user;
    (void)job;
    return fathom_certificate_add_limit(certificate, claim->net, claim->dual);
}

fathom_status fathom_job_prove_limit(fathom_job *job, const fathom_net *net, const double *dual)
{
    const limit_claim claim = {net, dual};
    if (!job->certificate)
        return FATHOM_OK;
    FATHOM_TRY(fathom_job_expect_limit(job, !fathom_net_look(net).output_fixed));
    return fathom_job_write(job, add_limit, &claim);
}

static fathom_status add_kernel(fathom_certificate *certificate, fathom_job *job, const void *user)
{
    (void)job;
    return fathom_certificate_add_spectrum(certificate, user);
}

fathom_status fathom_job_prove_kernel(fathom_job *job, const fathom_kernel_claim *claim)
{
    if (!job->certificate)
        return FATHOM_OK;
    FATHOM_TRY(fathom_job_expect_kernel(job, claim));
    return fathom_job_write(job, add_kernel, claim);
}

/* Rows as the decision read them, and what shows a spike in them. */
static fathom_status add_shown(fathom_certificate *certificate, fathom_job *job, const fathom_data *rows)
{
    const int64_t n = job->data->n, d = job->data->d;
    bool shown = false;
    double *point = fathom_context_allocate(job->context, d + n, sizeof *point);
    fathom_status status = point ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_geometry_show_spike(&shown, point, point + d, job->context, rows));
    if (status == FATHOM_OK && !shown)
        status = fathom_error_set(job->context, FATHOM_ERROR_USAGE,
                                  "no spike was found that doubles can show: there is no certificate");
    FATHOM_THEN(status, fathom_certificate_add_spike(certificate, point, point + d));
    fathom_context_release(job->context, point);
    return status;
}

static fathom_status add_geometry(fathom_certificate *certificate, fathom_job *job, const void *user)
{
    const fathom_geometry *g = user;
    fathom_data *decimals = NULL;
    fathom_status status = FATHOM_OK;
    if (strcmp(g->reading, "decimals") == 0) {
        status = fathom_data_decimals(&decimals, job->data);
        fathom_certificate_read_decimals(certificate);
    }
    FATHOM_THEN(status, g->spike_free == FATHOM_YES
                            ? fathom_certificate_add_spike(certificate, NULL, NULL)
                            : add_shown(certificate, job, decimals ? decimals : job->data));
    fathom_data_free(decimals);
    return status;
}

fathom_status fathom_job_prove_geometry(fathom_job *job, const fathom_geometry *geometry)
{
    const bool free = geometry->spike_free == FATHOM_YES;
    const bool exact = strstr(geometry->spike_method, "Gram") || geometry->directions <= 1 ||
                       geometry->spike_free == FATHOM_NO;
    if (!job->certificate)
        return FATHOM_OK;
    if (geometry->spike_free == FATHOM_UNKNOWN || !exact)
        return fathom_error_set(job->context, FATHOM_ERROR_USAGE,
                                "a certificate is about the numbers as they stand, and whether they are "
                                "spike-free was decided %s",
                                exact ? "not at all" : "to rounding alone");
    FATHOM_TRY(fathom_job_expect_spike(job, free));
    return fathom_job_write(job, add_geometry, geometry);
}
