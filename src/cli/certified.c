/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --certificate FILE and --verify, the same for all commands that have them.
 *
 * A certificate is about a plain file. Data of other kinds (generated, built in, compressed, IDX, ...) is written to
 * FILE.csv, FILE.svm or FILE.npy first and read again from there: numbers read back as the same doubles, so the problem is
 * the same. --verify runs fathom-check, found beside this program or along PATH, as a process of its own.
 */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "certified.h"
#include "commands.h"
#include "stop.h"

extern char **environ;

#define OWNER cli_certificate_options
static const fathom_option rows_of_options[] = {CLI_CERTIFICATE_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_certificate_option_table =
    FATHOM_OPTION_TABLE("Proof", rows_of_options, cli_certificate_options);

/* A failure of this file's own; the library's errors stand in the context. */
static fathom_status fail(cli_invocation *invocation, const char *text)
{
    return fathom_context_fail(invocation->context, FATHOM_ERROR_RUNTIME, text);
}

/* Writes the data before all steps beside the certificate and turns the options to that file. */
static fathom_status write_plain(cli_certified *c, cli_invocation *invocation)
{
    fathom_data_options raw = c->options;
    fathom_data *data = NULL;
    raw.classes = NULL;
    raw.rows =
        raw.weights ? raw.rows : NULL; /* where rows of weight 0 may be left out, numbers of rows change */
    raw.normalize = FATHOM_NORMALIZE_NONE;
    raw.bias = FATHOM_BIAS_NONE;
    fathom_status status = fathom_data_open(&data, invocation->context, invocation->argument[0], &raw);
    if (status == FATHOM_OK)
        status = fathom_certificate_keep_data(&c->kept, data, c->certificate);
    if (status == FATHOM_OK) { /* weights stand before the target, which is last */
        const fathom_data_view view = fathom_data_look(data);
        snprintf(c->weights, sizeof c->weights, "%lld", (long long)view.d);
        c->options.weights = view.weight ? c->weights : NULL;
        c->options.columns = view.x ? c->options.columns : view.d;
        snprintf(c->path, sizeof c->path, "%s", c->kept.path);
    }
    fathom_data_free(data);
    c->options.format = 0;
    c->options.target = c->options.labels = NULL;
    c->options.rows = raw.rows ? NULL : c->options.rows;
    c->options.categorical = false;
    if (*c->kept.labels)
        c->options.labels = c->kept.labels;
    return status;
}

fathom_status cli_certified_open(cli_certified *c, fathom_data **data, cli_invocation *invocation,
                                 const char *certificate, bool verify)
{
    const fathom_data_options *options = cli_options(invocation, &fathom_data_option_table);
    const char *spec = invocation->argument[0];
    *c = (cli_certified){.certificate = certificate, .verify = verify, .options = *options};
    fathom_status status = fathom_data_open(data, invocation->context, spec, options);
    if (status != FATHOM_OK || (!certificate && !verify))
        return status;
    if (!certificate) {
        snprintf(c->folder, sizeof c->folder, "%s/fathom-XXXXXX",
                 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
        if (!mkdtemp(c->folder))
            return fail(invocation, "no temporary folder for the certificate");
        snprintf(c->temporary, sizeof c->temporary, "%s/certificate", c->folder);
        c->certificate = c->temporary;
    }
    if ((size_t)snprintf(c->path, sizeof c->path, "%s", spec) < sizeof c->path &&
        fathom_certificate_plain(*data, spec, options))
        return FATHOM_OK;
    status = fathom_context_error(invocation->context)->status;
    if (status != FATHOM_OK)
        return status; /* it may be plain */
    fathom_data_free(*data);
    *data = NULL;
    status = write_plain(c, invocation);
    return status == FATHOM_OK ? fathom_data_open(data, invocation->context, c->path, &c->options) : status;
}

fathom_status cli_certified_write(const cli_certified *c, cli_invocation *invocation, const fathom_data *data,
                                  cli_add_claims *add, const void *user)
{
    const fathom_certificate_source source = {c->path, c->options.labels, &c->options};
    fathom_certificate *certificate = NULL;
    if (!c->certificate)
        return FATHOM_OK;
    fathom_status status =
        fathom_certificate_open(&certificate, invocation->context, c->certificate, data, &source);
    if (status == FATHOM_OK)
        status = add(certificate, invocation, user);
    if (status == FATHOM_OK)
        return fathom_certificate_close(certificate);
    fathom_certificate_abort(certificate);
    return status;
}

/* The checker's path: beside this program where it is there, else the bare name for PATH. */
static void find_checker(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash)
        snprintf(slash + 1, size - (size_t)(slash + 1 - path), "fathom-check");
    if (!slash || access(path, X_OK) != 0)
        snprintf(path, size, "fathom-check");
}

/* Runs the checker; its output goes to `text`. Returns its exit code, or -1 where it could not be run. */
static int run_checker(char *text, size_t size, const cli_certified *c)
{
    char path[PATH_MAX];
    int ends[2], status = -1;
    pid_t child;
    posix_spawn_file_actions_t actions;
    find_checker(path, sizeof path);
    char *words[] = {path,
                     (char *)c->certificate,
                     (char *)c->path,
                     (char *)(c->options.labels ? "--labels" : NULL),
                     (char *)c->options.labels,
                     NULL};
    *text = 0;
    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const int failed = posix_spawnp(&child, path, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed)
        cli_stop_child(child);
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got = 1; !failed && got > 0;) { /* what does not fit is read and dropped */
        char rest[512];
        got = read(ends[0], used + 1 < size ? text + used : rest,
                   used + 1 < size ? size - used - 1 : sizeof rest);
        if (used + 1 < size && got > 0)
            used += (size_t)got;
    }
    text[used] = 0;
    close(ends[0]);
    while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    cli_stop_child(0);
    return failed || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

/* Temporary files at the end, and after a failure the data that was written for a certificate that is not there. */
static void remove_files(cli_certified *c, bool failed)
{
    if (!*c->folder && !failed)
        return;
    if (*c->folder)
        unlink(c->certificate);
    fathom_certificate_drop_data(&c->kept);
    if (*c->folder)
        rmdir(c->folder);
}

/* Says where the certificate is and verifies it where asked for. */
static fathom_status finish(const cli_certified *c, cli_invocation *invocation, int *exit_code)
{
    char text[4096];
    fathom_status status = FATHOM_OK;
    if (!*c->folder) {
        status = fathom_json_set_text(invocation->result, "certificate", c->certificate);
        if (status == FATHOM_OK)
            status = fathom_json_set_text(invocation->result, "certificate_data", c->path);
        cli_say(invocation, "certificate  %s, about %s", c->certificate, c->path);
    }
    if (status == FATHOM_OK && c->verify) {
        const int code = run_checker(text, sizeof text, c);
        text[strcspn(text, "\n")] = 0;
        if (code != 0 && code != 4)
            status = fail(invocation, code < 0 ? "fathom-check could not be run" : text);
        else
            status = fathom_json_set_bool(invocation->result, "verified", code == 0);
        if (status == FATHOM_OK)
            cli_say(invocation, "fathom-check %s", text);
        if (code == 4)
            *exit_code = EXIT_REJECTED;
    }
    return status;
}

fathom_status cli_certified_close(cli_certified *c, cli_invocation *invocation, fathom_status status,
                                  int *exit_code)
{
    if (status == FATHOM_OK && c->certificate)
        status = finish(c, invocation, exit_code);
    remove_files(c, status != FATHOM_OK);
    return status;
}
