/* SPDX-License-Identifier: Apache-2.0 */
/* fathom cones DATA: the cones of the data's hyperplane arrangement, counted and listed. */
#include "certified.h"
#include "commands.h"
#include "inner/context.h"
#include "inner/json.h"
#include "picture.h"

#include <math.h>

/* What is known of a result that was cut: p >= 1 hyperplanes through the origin have at least 2 p cones, for
 * each one after the first is cut by those before it into at least two parts, which part as many cones. At
 * most as in general position. */
static fathom_status set_cut(fathom_json *json, const fathom_cones_result *r)
{
    return CLI_SET(
        json, cli_known(r->cones >= 0, cli_integer("cones", r->cones)),
        cli_integer("cones_lower", r->cones >= 0        ? r->cones
                                   : r->hyperplanes > 0 ? 2 * r->hyperplanes
                                                        : 1),
        cli_real("cones_upper", r->cones >= 0 ? (double)r->cones : ceil(r->cover_count * (1 + 0x1p-40))),
        cli_known(r->hyperplanes >= 0, cli_integer("hyperplanes", r->hyperplanes)),
        cli_known(r->rank >= 0, cli_integer("rank", r->rank)), cli_text("reading", r->reading));
}

static void say_cut(const cli_invocation *invocation, const fathom_cones_result *r)
{
    if (r->cones >= 0)
        cli_say(invocation, "cones        %lld", (long long)r->cones);
    else
        cli_say(invocation, "cones        at least %lld, at most %.6g: stopped before all were found",
                r->hyperplanes > 0 ? 2 * (long long)r->hyperplanes : 1, ceil(r->cover_count * (1 + 0x1p-40)));
    if (r->hyperplanes >= 0)
        cli_say(invocation, "hyperplanes  %lld of rank %lld", (long long)r->hyperplanes, (long long)r->rank);
}

static fathom_status set_result(fathom_json *json, const fathom_cones_result *r, const char *list)
{
    const cli_count counts[] = {{"hyperplanes", (double)r->hyperplanes},
                                {"cones", (double)r->cones},
                                {"cones in general position", r->cover_count},
                                {"faces", (double)r->faces}};
    FATHOM_TRY(cli_picture_counts(json, counts, 4));
    return CLI_SET(json, cli_integer("cones", r->cones),
                   cli_known(r->faces >= 0, cli_integer("faces", r->faces)),
                   cli_bool("general_position", r->general_position), cli_real("cover_count", r->cover_count),
                   cli_integer("hyperplanes", r->hyperplanes), cli_integer("rank", r->rank),
                   cli_text("method", r->method), cli_text("reading", r->reading),
                   cli_when(list, cli_text("list", list)));
}

static void say_result(const cli_invocation *invocation, const fathom_cones_result *r, const char *list)
{
    cli_say(invocation, "cones        %lld", (long long)r->cones);
    if (r->faces >= 0)
        cli_say(invocation, "faces        %lld sets of active points, the cones' included",
                (long long)r->faces);
    cli_say(invocation, "hyperplanes  %lld of rank %lld, %s general position", (long long)r->hyperplanes,
            (long long)r->rank, r->general_position ? "data in" : "data not in");
    cli_say(invocation, "cover count  %.17g cones in general position", r->cover_count);
    cli_say(invocation, "method       %s", r->method);
    cli_say(invocation, "reading      %s", r->reading);
    if (list)
        cli_say(invocation, "list         %s", list);
}

/* The data as its decimals, where these can be had and are wanted, or as doubles. */
typedef struct readings {
    fathom_data *decimals; /* owned, or NULL */
    const fathom_data *exact;
} readings;

static const char *reading_name(const readings *data) { return data->decimals ? "decimals" : "doubles"; }

/* All cones: counted, listed, measured, proved. */
static fathom_status list_cones(cli_invocation *invocation, fathom_job *job, const readings *read,
                                int *exit_code)
{
    const fathom_cones_options *options = cli_options(invocation, &fathom_cones_option_table);
    fathom_cones_result result;
    fathom_status status = fathom_cones_run(&result, invocation->context, fathom_job_look(job).data, options);
    if (status == FATHOM_ERROR_STOPPED) {
        *exit_code = EXIT_LIMIT;
        say_cut(invocation, &result);
        return set_cut(invocation->result, &result);
    }
    FATHOM_TRY(status);
    FATHOM_TRY(set_result(invocation->result, &result, options->list));
    say_result(invocation, &result, options->list);
    status = cli_measure_cones(invocation, read->exact);
    if (status == FATHOM_ERROR_STOPPED) {
        *exit_code = EXIT_LIMIT;
        cli_say(invocation, "measures     stopped before they were known");
        return FATHOM_OK;
    }
    FATHOM_TRY(status);
    return fathom_job_prove_cones(job, options->faces, options->as_doubles);
}

fathom_status cli_run_cones(cli_invocation *invocation, int *exit_code)
{
    const cli_certificate_options *proof = cli_options(invocation, &cli_certificate_option_table);
    const fathom_cones_options *options = cli_options(invocation, &fathom_cones_option_table);
    const cli_cone_options *one = cli_options(invocation, &cli_cone_option_table);
    fathom_job *job = NULL;
    readings read = {0};
    if (one->cone && (options->list || options->faces))
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "--cone is about one cone: --list and --faces are not");
    fathom_status status = cli_job_open(&job, invocation, proof->certificate, proof->verify);
    if (status == FATHOM_OK) {
        read.exact = fathom_job_look(job).data;
        status = options->as_doubles ? FATHOM_OK : fathom_data_decimals(&read.decimals, read.exact);
    }
    if (read.decimals)
        read.exact = read.decimals;
    if (status == FATHOM_OK && one->cone)
        status = cli_ask_cone(invocation, job, read.exact, read.decimals != NULL, one->cone);
    if (status == FATHOM_OK && one->cone)
        status = fathom_json_set_text(invocation->result, "reading", reading_name(&read));
    if (status == FATHOM_OK && !one->cone)
        status = list_cones(invocation, job, &read, exit_code);
    status = cli_job_close(job, invocation, status, exit_code);
    fathom_data_free(read.decimals);
    return status;
}
