/* SPDX-License-Identifier: Apache-2.0 */
/* fathom geometry DATA: rank, whitening, the spike-free decision, vertices of the convex hull, extreme points. */
#include <math.h>

#include "certified.h"
#include "commands.h"
#include "picture.h"

static fathom_status set_geometry(fathom_json *json, const fathom_geometry *g)
{
    const double pair[2] = {(double)g->pair[0], (double)g->pair[1]};
    const cli_count counts[] = {{"rows", (double)g->n},
                                {"columns", (double)g->d},
                                {"rank", (double)g->rank},
                                {"directions", (double)g->directions},
                                {"vertices of the hull", g->hull_known ? (double)g->hull_vertices : -1}};
    FATHOM_TRY(cli_picture_counts(json, counts, 5));
    return CLI_SET(
        json, cli_known(g->rank >= 0, cli_integer("rank", g->rank)),
        cli_known(g->rank_exact >= 0, cli_integer("rank_exact", g->rank_exact)),
        cli_text("reading", g->reading), cli_bool("whitened", g->whitened), cli_bool("rank_one", g->rank_one),
        cli_known(g->spike_free != FATHOM_UNKNOWN, cli_bool("spike_free", g->spike_free == FATHOM_YES)),
        cli_real("rank_tolerance", g->rank_tolerance), cli_real("sigma_max", g->sigma_max),
        cli_real("sigma_min", g->sigma_min), cli_real("whitened_error", g->whitened_error),
        cli_real("spike_value", g->rho_lower), cli_real("rho_upper", g->rho_upper),
        cli_real("inverse_gram", g->inverse_gram), cli_text("spike_method", g->spike_method),
        cli_when(g->pair[0] >= 0, cli_vector("spike_pair", pair, 2)),
        cli_integer("directions", g->directions),
        cli_known(g->hull_known, cli_integer("hull_vertices", g->hull_vertices)),
        cli_known(g->hull_known, cli_integer("hull_undecided", g->hull_undecided)));
}

static void say_spike(const cli_invocation *invocation, const fathom_geometry *g)
{
    static const char *const word[] = {"no", "yes", "not decided"};
    cli_say(invocation, "spike-free  %s (%s)", word[g->spike_free], g->spike_method);
    if (g->pair[0] >= 0)
        cli_say(invocation, "pair        rows %lld and %lld", (long long)g->pair[0], (long long)g->pair[1]);
    if (isfinite(g->rho_lower))
        cli_say(invocation, "rho         at least %s (attained), at most %s",
                cli_below(g->rho_lower, 12).text, cli_above(g->rho_upper, 6).text);
    else if (isinf(g->rho_lower))
        cli_say(invocation, "rho         infinite: some (Au)_+ is outside the range of A");
}

static void say_geometry(const cli_invocation *invocation, const fathom_geometry *g)
{
    if (g->rank < 0) {
        cli_say(invocation, "rank        not reached");
        return;
    }
    cli_say(invocation, "rank        %lld (singular values %.6g to %.6g, zero below %.3g)",
            (long long)g->rank, g->sigma_max, g->sigma_min, g->rank_tolerance);
    if (g->rank_exact >= 0 && g->rank_exact != g->rank)
        cli_say(invocation, "            %lld for the numbers as rationals (%s)", (long long)g->rank_exact,
                g->reading);
    if (isnan(g->whitened_error))
        cli_say(invocation, "whitened    no (more rows than columns)");
    else
        cli_say(invocation, "whitened    %s (largest |AA' - I| %.3g)", g->whitened ? "yes" : "no",
                g->whitened_error);
    say_spike(invocation, g);
    if (g->hull_known)
        cli_say(invocation, "vertices    %lld of the convex hull of %lld rows, %lld not decided",
                (long long)g->hull_vertices, (long long)g->n, (long long)g->hull_undecided);
}

fathom_status cli_run_geometry(cli_invocation *invocation, int *exit_code)
{
    const fathom_geometry_options *options = cli_options(invocation, &fathom_geometry_option_table);
    const cli_certificate_options *proof = cli_options(invocation, &cli_certificate_option_table);
    fathom_job *job = NULL;
    fathom_geometry geometry;
    fathom_status status = cli_job_open(&job, invocation, proof->certificate, proof->verify);
    FATHOM_THEN(status,
                fathom_geometry_compute(&geometry, invocation->context, fathom_job_look(job).data, options));
    FATHOM_THEN(status, set_geometry(invocation->result, &geometry));
    if (status == FATHOM_OK) {
        say_geometry(invocation, &geometry);
        if ((!options->skip_hull && !geometry.hull_known) || geometry.rank < 0)
            *exit_code = EXIT_LIMIT;
        status = geometry.rank < 0
                     ? FATHOM_OK
                     : cli_geometry_sets(invocation, fathom_job_look(job).data, options, exit_code);
    }
    if (status == FATHOM_OK && geometry.rank >= 0)
        status = fathom_job_prove_geometry(job, &geometry);
    return cli_job_close(job, invocation, status, exit_code);
}
