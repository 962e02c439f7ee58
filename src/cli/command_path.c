/* SPDX-License-Identifier: Apache-2.0 */
/* fathom path DATA: training along decreasing penalties, with cross-validation. */
#include "certified.h"
#include "commands.h"
#include "inner/extreme.h"
#include "inner/json.h"

/* One point of the list. */
static fathom_status add_point(fathom_json *list, const fathom_path_result *path, int64_t k)
{
    fathom_json *member;
    FATHOM_TRY(fathom_json_append_object(list, &member));
    FATHOM_TRY(cli_set_train(member, path->point + k));
    if (path->best >= 0)
        FATHOM_TRY(
            CLI_SET(member, cli_real("cv_loss", path->cv_loss[k]), cli_real("cv_error", path->cv_error[k])));
    return FATHOM_OK;
}

static fathom_status set_path(cli_invocation *invocation, const fathom_path_result *path)
{
    fathom_json *list, *best;
    fathom_status status = fathom_json_set_list(invocation->result, "path", &list);
    for (int64_t k = 0; k < path->count && status == FATHOM_OK; k++)
        status = add_point(list, path, k);
    if (status == FATHOM_OK && path->best < 0)
        return fathom_json_set_null(invocation->result, "best");
    FATHOM_THEN(status, fathom_json_set_object(invocation->result, "best", &best));
    FATHOM_THEN(status, fathom_json_set_integer(best, "index", path->best));
    FATHOM_THEN(status, cli_set_train(best, path->point + path->best));
    FATHOM_THEN(status, CLI_SET(best, cli_real("cv_loss", path->cv_loss[path->best]),
                                cli_real("cv_error", path->cv_error[path->best])));
    return status;
}

static void say_path(const cli_invocation *invocation, const fathom_path_result *path)
{
    cli_say(invocation, "%12s %14s %10s %8s%s", "beta", "objective", "rel. gap", "neurons",
            path->best >= 0 ? "   held-out loss" : "");
    for (int64_t k = 0; k < path->count; k++) {
        const fathom_train_result *r = path->point + k;
        if (path->best < 0)
            cli_say(invocation, "%12.6g %14s %10s %8lld", r->beta, cli_above(r->objective, 8).text,
                    cli_above(r->relative_gap, 2).text, (long long)r->neurons);
        else
            cli_say(invocation, "%12.6g %14s %10s %8lld   %s +- %s%s", r->beta,
                    cli_above(r->objective, 8).text, cli_above(r->relative_gap, 2).text,
                    (long long)r->neurons, cli_near(path->cv_loss[k], 6).text,
                    cli_near(path->cv_error[k], 2).text, k == path->best ? "  best" : "");
    }
}

/* --knots: the exact pieces of the path on the line. */
static fathom_status set_knots(cli_invocation *invocation, fathom_data *data,
                               const fathom_train_options *train, double ratio)
{
    fathom_json *member;
    fathom_line_path path;
    FATHOM_TRY(fathom_json_set_object(invocation->result, "knots", &member));
    FATHOM_TRY(fathom_line_path_set(&path, member, invocation->context, data, train, ratio));
    cli_say(invocation, "knots        %lld pieces below beta_max %.12g, each with its knots (--json)%s",
            (long long)path.pieces, path.beta_max, path.complete ? "" : ": not all of them");
    return FATHOM_OK;
}

/* 0 where every point reached its gap and the cross-validation, if any, was completed. */
static int path_exit(const fathom_path_result *path, int64_t points)
{
    if (path->end == FATHOM_END_INTERRUPTED)
        return EXIT_INTERRUPTED;
    for (int64_t k = 0; k < path->count; k++)
        if (path->point[k].status == FATHOM_TRAIN_LIMIT)
            return EXIT_LIMIT;
    return path->count < points || path->end != FATHOM_END_REACHED ? EXIT_LIMIT : 0;
}

/* The model of the best point, or of the last one where there is no cross-validation. */
static fathom_status finish_path(cli_invocation *invocation, fathom_path_result *path,
                                 const fathom_data *data, const fathom_train_options *options)
{
    const int64_t chosen = path->best >= 0 ? path->best : path->count - 1;
    return chosen < 0 ? FATHOM_OK : cli_finish_train(invocation, path->point + chosen, data, options);
}

fathom_status cli_run_path(cli_invocation *invocation, int *exit_code)
{
    fathom_job *job = NULL;
    fathom_data *data = NULL;
    fathom_path_result path = {.best = -1};
    fathom_train_options *train = cli_options(invocation, &fathom_train_option_table);
    const fathom_path_options *options = cli_options(invocation, &fathom_path_option_table);
    fathom_status status = cli_job_open(&job, invocation, train->certificate, train->verify);
    if (status == FATHOM_OK) {
        data = fathom_job_look(job).data;
        fathom_train_settle(train, invocation->context, data);
        status = fathom_path(&path, invocation->context, data, NULL, train, options);
    }
    FATHOM_THEN(status, set_path(invocation, &path));
    if (status == FATHOM_OK) {
        say_path(invocation, &path);
        *exit_code = path_exit(&path, options->points);
        status = fathom_job_prove_train(job, path.point, path.count, train);
        if (status == FATHOM_OK && options->knots)
            status = set_knots(invocation, data, train, options->ratio);
        FATHOM_THEN(status, finish_path(invocation, &path, data, train));
    }
    status = cli_job_close(job, invocation, status, exit_code);
    fathom_path_result_clear(&path, invocation->context);
    return status;
}
