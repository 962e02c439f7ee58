/* SPDX-License-Identifier: Apache-2.0 */
/* Data in, certificate out: see fathom/job.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "context_internal.h"
#include "data_internal.h"
#include "inner/certificate.h"
#include "inner/context.h"
#include "inner/margin.h"
#include "inner/train.h"
#include "job_internal.h"
#include "leftovers.h"
#include "platform_child.h"
#include "ranks.h"
#include "schema_internal.h"

/* The data before all steps: as it was given, or read anew. *owned is what the caller frees. */
static fathom_status open_raw(const fathom_data **raw, fathom_data **owned, fathom_job *job,
                              const fathom_job_source *source, const fathom_data_options *options)
{
    *owned = NULL;
    *raw = source->given;
    if (source->given)
        return FATHOM_OK;
    const fathom_status status = fathom_data_open(owned, job->context, source->spec, options);
    *raw = *owned;
    return status;
}

/* Points without targets get targets of 0: in a CSV file the last column is the target's. */
static fathom_status add_targets(const fathom_data **raw, fathom_data **owned, fathom_job *job)
{
    const fathom_data_view view = fathom_data_look(*raw);
    fathom_data *made;
    job->untargeted = view.outputs == 0;
    if (view.outputs > 0 || !view.x)
        return FATHOM_OK;
    double *zero = fathom_context_allocate(job->context, view.n, sizeof *zero);
    if (!zero)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < view.n; i++)
        zero[i] = 0;
    const fathom_status status =
        fathom_data_create(&made, job->context, view.n, view.d, view.x, view.ld, 1, zero, view.weight, NULL);
    fathom_context_release(job->context, zero);
    if (status != FATHOM_OK)
        return status;
    fathom_data_free(*owned);
    *raw = *owned = made;
    return FATHOM_OK;
}

/* Without all that was about the form of the original. */
static void read_plainly(fathom_data_options *options)
{
    options->format = options->decimal = options->header = options->missing = 0;
    options->target = options->labels = options->separator = NULL;
    options->missing_text = options->as_category = options->keep = options->exclude = options->drop = NULL;
    options->categorical = false;
}

/* Writes the data before all steps beside the certificate and turns the options to that file. */
static fathom_status write_plain(fathom_job *job, const fathom_job_source *source)
{
    fathom_data_options raw = job->options;
    const fathom_data *data = NULL;
    fathom_data *owned = NULL;
    raw.classes = NULL;
    raw.rows =
        raw.weights || fathom_data_is_as_is(&raw)
            ? raw.rows /* where rows may be left out, numbers of rows change; medians are those of the rows chosen */
            : NULL;
    raw.normalize = FATHOM_NORMALIZE_NONE;
    raw.bias = FATHOM_BIAS_NONE;
    fathom_context_mute(job->context, true); /* all has been said when the data was looked at */
    fathom_status status = open_raw(&data, &owned, job, source, &raw);
    fathom_context_mute(job->context, false);
    if (status == FATHOM_OK)
        job->decimal = data->origin.decimal;
    FATHOM_THEN(status, fathom_data_copy_names(&job->names, data));
    FATHOM_THEN(status, add_targets(&data, &owned, job));
    FATHOM_THEN(status, fathom_certificate_keep_data(&job->kept, data, job->certificate));
    if (job->kept.made_path)
        job->leftover[2] = fathom_leftover_add(job->kept.path);
    if (job->kept.made_labels)
        job->leftover[3] = fathom_leftover_add(job->kept.labels);
    if (status == FATHOM_OK) { /* weights stand before the target, which is last */
        const fathom_data_view view = fathom_data_look(data);
        snprintf(job->weights, sizeof job->weights, "%lld", (long long)view.d);
        job->options.weights = view.weight ? job->weights : NULL;
        job->options.columns = view.x ? job->options.columns : view.d;
        snprintf(job->path, sizeof job->path, "%s", job->kept.path);
    }
    fathom_data_free(owned);
    read_plainly(&job->options);
    job->options.rows = raw.rows ? NULL : job->options.rows;
    if (*job->kept.labels)
        job->options.labels = job->kept.labels;
    return status;
}

/* A folder for a certificate that is there only to be verified. */
static fathom_status make_folder(fathom_job *job)
{
    fathom_ranks_part(); /* other ranks do not see it */
    fathom_leftover_hold();
    const bool made = fathom_platform_make_temporary(job->folder, sizeof job->folder);
    job->leftover[0] = made ? fathom_leftover_add(job->folder) : 0;
    fathom_leftover_release();
    if (!made) {
        *job->folder = 0;
        return fathom_context_fail(job->context, FATHOM_ERROR_RUNTIME,
                                   "no temporary folder for the certificate");
    }
    snprintf(job->temporary, sizeof job->temporary, "%s/certificate", job->folder);
    job->certificate = job->temporary;
    job->leftover[1] = fathom_leftover_add(job->certificate);
    return FATHOM_OK;
}

/* From here on everything stays that is there. */
static void keep_files(fathom_job *job)
{
    for (int k = 0; k < 4; k++) {
        fathom_leftover_drop(job->leftover[k]);
        job->leftover[k] = 0;
    }
}

/* Files that do not stay leave no rescue files; gives what was so before. */
static bool hold_rescues(const fathom_job *job)
{
    const bool before = fathom_context_rescues(job->context);
    fathom_context_set_rescues(job->context, before && !*job->folder);
    return before;
}

/* Whether the checker reads the source as it stands; job->data is open then. */
static fathom_status open_as_it_stands(bool *plain, fathom_job *job, const fathom_job_source *source)
{
    *plain = false;
    if (source->given)
        return FATHOM_OK;
    const fathom_status status = fathom_data_open(&job->data, job->context, source->spec, source->options);
    if (status != FATHOM_OK || !job->certificate)
        return status;
    *plain = (size_t)snprintf(job->path, sizeof job->path, "%s", source->spec) < sizeof job->path &&
             fathom_certificate_plain(job->data, source->spec, source->options);
    return *plain ? FATHOM_OK : fathom_context_error(job->context)->status; /* it may be plain */
}

static fathom_status open_data(fathom_job *job, const fathom_job_source *source)
{
    bool plain, alone;
    fathom_status status = open_as_it_stands(&plain, job, source);
    if (status != FATHOM_OK || plain || !job->certificate)
        return status;
    fathom_data_free(job->data);
    job->data = NULL;
    const bool rescues = hold_rescues(job);
    status = write_plain(job, source);
    fathom_context_set_rescues(job->context, rescues);
    status = fathom_ranks_meet(&alone, job->context, 0, status); /* rank 0 has written what all read */
    FATHOM_THEN(status, fathom_data_open(&job->data, job->context, job->path, &job->options));
    if (status != FATHOM_OK)
        return status;
    fathom_data_take_names(job->data, &job->names); /* other tables are treated as the original was */
    job->data->origin.decimal = job->decimal;       /* doubles that were never decimals mean themselves */
    if (job->untargeted)
        fathom_data_drop_targets(job->data);
    return fathom_data_rename(job->data, source->spec);
}

fathom_status fathom_job_open(fathom_job **job, fathom_context *context, const fathom_job_source *source)
{
    fathom_job *made = *job = fathom_context_allocate(context, 1, sizeof *made);
    if (!made)
        return FATHOM_ERROR_MEMORY;
    *made = (fathom_job){.context = context,
                         .certificate = source->certificate,
                         .verify = source->verify,
                         .options = *source->options};
    fathom_status status = FATHOM_OK;
    if (source->given && !source->certificate && !source->verify)
        return fathom_context_fail(context, FATHOM_ERROR_USAGE, "data in memory is its own job");
    if (source->verify && !source->certificate)
        status = make_folder(made);
    return status == FATHOM_OK ? open_data(made, source) : status;
}

fathom_job_view fathom_job_look(const fathom_job *job)
{
    const bool stays = job->written && !*job->folder;
    return (fathom_job_view){.data = job->data,
                             .proves = job->certificate,
                             .certificate = stays ? job->certificate : NULL,
                             .path = job->path,
                             .labels = job->options.labels};
}

void fathom_job_set_bias(fathom_job *job, fathom_bias bias) { job->options.bias = (int)bias; }

static fathom_status write_claims(fathom_job *job, fathom_job_add *add, const void *user)
{
    const fathom_certificate_source source = {job->path, job->options.labels, &job->options};
    fathom_certificate *certificate = NULL;
    fathom_status status =
        fathom_certificate_open(&certificate, job->context, job->certificate, job->data, &source);
    FATHOM_THEN(status, add(certificate, job, user));
    if (status != FATHOM_OK) {
        fathom_certificate_abort(certificate);
        return status;
    }
    fathom_leftover_hold(); /* the certificate and its data stay together */
    status = fathom_certificate_close(certificate);
    job->written = status == FATHOM_OK;
    if (job->written && !*job->folder)
        keep_files(job);
    fathom_leftover_release();
    return status;
}

fathom_status fathom_job_write(fathom_job *job, fathom_job_add *add, const void *user)
{
    const bool rescues = hold_rescues(job);
    job->written = false;
    const fathom_status status = write_claims(job, add, user);
    fathom_context_set_rescues(job->context, rescues);
    return status;
}

typedef struct train_claims {
    const fathom_train_result *result;
    int64_t count;
    const fathom_train_options *options;
} train_claims;

static fathom_status add_train(fathom_certificate *certificate, fathom_job *job, const void *user)
{
    const train_claims *claims = user;
    fathom_status status = FATHOM_OK;
    (void)job;
    for (int64_t k = 0; k < claims->count && status == FATHOM_OK; k++)
        status = fathom_certificate_add_train(certificate, claims->result + k, claims->options);
    return status;
}

/* Interpolation without a network that interpolates: one that misses its targets is shorter than any that
 * does not, and a claim has both sides. */
static bool without_network(const fathom_job *job, const fathom_train_result *result, int64_t count,
                            const fathom_train_options *options)
{
    bool without = false;
    for (int64_t k = 0; k < count && options->loss == FATHOM_TRAIN_EQUALITY; k++)
        without = without || !isfinite(result[k].objective);
    if (without)
        fathom_log(job->context, FATHOM_LOG_WARNING,
                   "no certificate: no network was found that takes the targets, and a claim has both sides; "
                   "the lower "
                   "bound is unchecked");
    return without;
}

fathom_status fathom_job_prove_train(fathom_job *job, const fathom_train_result *result, int64_t count,
                                     const fathom_train_options *options)
{
    const train_claims claims = {result, count, options};
    if (!job->certificate || count == 0 || without_network(job, result, count, options))
        return FATHOM_OK;
    FATHOM_TRY(fathom_job_expect_train(job, result, count, options));
    return fathom_job_write(job, add_train, &claims);
}

static fathom_status add_margin(fathom_certificate *certificate, fathom_job *job, const void *user)
{
    (void)job;
    if (fathom_margin_prove(user).sampled)
        return fathom_certificate_add_sampled(certificate, (fathom_margin_result *)user);
    return fathom_certificate_add_margin(certificate, user);
}

fathom_status fathom_job_prove_margin(fathom_job *job, fathom_margin_result *margin)
{
    if (!job->certificate)
        return FATHOM_OK;
    FATHOM_TRY(fathom_margin_seek_proof(margin, job->data));
    FATHOM_TRY(fathom_job_expect_margin(job, margin));
    const fathom_status status = fathom_job_write(job, add_margin, margin);
    if (status != FATHOM_ERROR_STOPPED || fathom_margin_look(margin).reached)
        return status;
    fathom_log(job->context, FATHOM_LOG_WARNING, "no certificate: %s; the interval is unchecked",
               fathom_context_error(job->context)->text);
    return FATHOM_OK;
}

typedef struct cone_claim {
    bool faces, as_doubles;
} cone_claim;

/* The cones once more, as gates with witnesses. */
static fathom_status add_cones(fathom_certificate *certificate, fathom_job *job, const void *user)
{
    const cone_claim *claim = user;
    fathom_gates *gates = NULL;
    fathom_data *decimals = NULL;
    fathom_status status = claim->as_doubles ? FATHOM_OK : fathom_data_decimals(&decimals, job->data);
    FATHOM_THEN(status, (claim->faces ? fathom_gates_enumerate_faces : fathom_gates_enumerate)(
                            &gates, job->context, decimals ? decimals : job->data));
    if (status == FATHOM_OK && decimals)
        fathom_certificate_read_decimals(certificate);
    if (status == FATHOM_OK)
        status =
            (claim->faces ? fathom_certificate_add_faces : fathom_certificate_add_cones)(certificate, gates);
    fathom_gates_free(gates);
    fathom_data_free(decimals);
    return status;
}

fathom_status fathom_job_prove_cones(fathom_job *job, bool faces, bool as_doubles)
{
    const cone_claim claim = {faces, as_doubles};
    if (!job->certificate)
        return FATHOM_OK;
    FATHOM_TRY(fathom_job_expect_cones(job, faces));
    return fathom_job_write(job, add_cones, &claim);
}

void fathom_job_end(fathom_job *job)
{
    if (!job)
        return;
    if (*job->folder) /* whatever writing it said: a failing close leaves a whole file */
        remove(job->certificate);
    if (*job->folder || !job->written)
        fathom_certificate_drop_data(&job->kept);
    if (*job->folder)
        fathom_platform_remove_folder(job->folder);
    keep_files(job);
    fathom_data_free(job->data);
    fathom_context_release(job->context, job->expect);
    fathom_data_names_free(job->context, &job->names);
    fathom_context_release(job->context, job);
}
