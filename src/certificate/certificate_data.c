/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a certificate whose source is no plain file, kept beside it: CERTIFICATE.csv, .svm, or .npy
 * with .labels.npy.
 *
 * These names are ours, not the user's choice: a file that is there already is never replaced. It may
 * stand where it has the same bytes; otherwise the call is refused. What was there before is not removed
 * after a failure either.
 */
#include <stdio.h>
#include <string.h>

#include "certificate_internal.h"
#include "context_internal.h"
#include "data_internal.h"
#include "file_write.h"
#include "inner/certificate.h"
#include "leftovers.h"
#include "platform.h"

/* CERTIFICATE + middle + ending; false where the name is too long. */
static bool make_name(char *name, const char *certificate, const char *middle, const char *ending)
{
    return (size_t)snprintf(name, FATHOM_CERTIFICATE_PATH, "%s%s%s", certificate, middle, ending) <
           FATHOM_CERTIFICATE_PATH;
}

/* Writes everything under temporary names, then lets it appear. */
static fathom_status write_through(fathom_certificate_data *files, int leftover[2], const fathom_data *data,
                                   const char *certificate, const char *ending, bool wide)
{
    char middle[FATHOM_FILE_MIDDLE], temporary[FATHOM_CERTIFICATE_PATH], labels[FATHOM_CERTIFICATE_PATH];
    fathom_file_passing(middle);
    if (!make_name(files->path, certificate, "", ending) ||
        !make_name(temporary, certificate, middle, ending) ||
        !make_name(labels, certificate, middle, ".labels.npy") ||
        (wide && !make_name(files->labels, certificate, "", ".labels.npy")))
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE, "the name of the certificate is too long");
    const int own[] = {fathom_leftover_add(temporary), fathom_leftover_add(labels)};
    fathom_status status = fathom_data_write(data, temporary);
    FATHOM_THEN(status,
                fathom_file_settle(&files->made_path, leftover, data->context, temporary, files->path));
    if (status == FATHOM_OK && wide)
        status = fathom_file_settle(&files->made_labels, leftover + 1, data->context, labels, files->labels);
    remove(temporary);
    remove(labels);
    fathom_leftover_drop(own[0]);
    fathom_leftover_drop(own[1]);
    return status;
}

/* A name that needs quotes, which a plain file has not. */
static bool is_awkward(const char *name)
{
    const size_t size = strlen(name);
    return size == 0 || name[0] == ' ' || name[size - 1] == ' ' || strpbrk(name, ",\"\r\n");
}

/* Numbers stand for the names of a file that would not be plain with them. */
static void drop_awkward_names(fathom_data *data)
{
    bool awkward = false;
    for (int64_t k = 0; k < data->names; k++)
        awkward = awkward || is_awkward(data->name[k]);
    if (awkward) {
        data->name = NULL;
        data->names = 0;
    }
    if (data->target_name && (awkward || is_awkward(data->target_name)))
        data->target_name = NULL;
}

static fathom_status keep_files(fathom_certificate_data *files, int leftover[2], const fathom_data *data,
                                const char *certificate)
{
    const bool wide = data->outputs > 1;
    fathom_data plain = *data; /* lends everything */
    memset(files, 0, sizeof *files);
    leftover[0] = leftover[1] = 0;
    drop_awkward_names(&plain);
    const fathom_status status = write_through(files, leftover, &plain, certificate,
                                               wide      ? ".npy"
                                               : data->x ? ".csv"
                                                         : ".svm",
                                               wide);
    if (status != FATHOM_OK)
        fathom_certificate_drop_data(files);
    for (int k = 0; k < 2 && status != FATHOM_OK; k++) {
        fathom_leftover_drop(leftover[k]);
        leftover[k] = 0;
    }
    return status;
}

fathom_status fathom_certificate_keep_data(fathom_certificate_data *files, const fathom_data *data,
                                           const char *certificate)
{
    int leftover[2];
    const fathom_status status = keep_files(files, leftover, data, certificate);
    fathom_leftover_drop(leftover[0]);
    fathom_leftover_drop(leftover[1]);
    return status;
}

void fathom_certificate_drop_data(fathom_certificate_data *files)
{
    if (files->made_path)
        remove(files->path);
    if (files->made_labels)
        remove(files->labels);
    files->made_path = files->made_labels = false;
}
