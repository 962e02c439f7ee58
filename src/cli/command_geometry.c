/* SPDX-License-Identifier: Apache-2.0 */
/* fathom geometry DATA: rank, whitening, the spike-free decision and the vertices of the convex hull. */
#include <math.h>

#include "commands.h"

static fathom_status set_verdict(fathom_json *json, const char *key, fathom_verdict verdict)
{
    return verdict == FATHOM_UNKNOWN ? fathom_json_set_null(json, key)
                                     : fathom_json_set_bool(json, key, verdict == FATHOM_YES);
}

static fathom_status set_count(fathom_json *json, const char *key, bool known, int64_t count)
{
    return known ? fathom_json_set_integer(json, key, count) : fathom_json_set_null(json, key);
}

static fathom_status set_reals(fathom_json *json, const fathom_geometry *g)
{
    const struct {
        const char *key;
        double value;
    } row[] = {{"rank_tolerance", g->rank_tolerance}, {"sigma_max", g->sigma_max},
               {"sigma_min", g->sigma_min},           {"whitened_error", g->whitened_error},
               {"spike_value", g->rho_lower},         {"rho_upper", g->rho_upper},
               {"inverse_gram", g->inverse_gram}};
    fathom_status status = FATHOM_OK;
    for (size_t k = 0; k < sizeof row / sizeof *row && status == FATHOM_OK; k++)
        status = fathom_json_set_real(json, row[k].key, row[k].value);
    return status;
}

static fathom_status set_geometry(fathom_json *json, const fathom_geometry *g)
{
    const double pair[2] = {(double)g->pair[0], (double)g->pair[1]};
    fathom_status status = fathom_json_set_integer(json, "rank", g->rank);
    if (status == FATHOM_OK)
        status = set_count(json, "rank_exact", g->rank_exact >= 0, g->rank_exact);
    if (status == FATHOM_OK)
        status = fathom_json_set_bool(json, "whitened", g->whitened);
    if (status == FATHOM_OK)
        status = fathom_json_set_bool(json, "rank_one", g->rank_one);
    if (status == FATHOM_OK)
        status = set_verdict(json, "spike_free", g->spike_free);
    if (status == FATHOM_OK)
        status = set_reals(json, g);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(json, "spike_method", g->spike_method);
    if (status == FATHOM_OK && g->pair[0] >= 0)
        status = fathom_json_set_vector(json, "spike_pair", pair, 2);
    if (status == FATHOM_OK)
        status = fathom_json_set_integer(json, "directions", g->directions);
    if (status == FATHOM_OK)
        status = set_count(json, "hull_vertices", g->hull_known, g->hull_vertices);
    if (status == FATHOM_OK)
        status = set_count(json, "hull_undecided", g->hull_known, g->hull_undecided);
    return status;
}

static void say_spike(const cli_invocation *invocation, const fathom_geometry *g)
{
    static const char *const word[] = {"no", "yes", "not decided"};
    cli_say(invocation, "spike-free  %s (%s)", word[g->spike_free], g->spike_method);
    if (g->pair[0] >= 0)
        cli_say(invocation, "pair        rows %lld and %lld", (long long)g->pair[0], (long long)g->pair[1]);
    if (isfinite(g->rho_lower))
        cli_say(invocation, "rho         at least %.12g (attained), at most %.6g", g->rho_lower,
                g->rho_upper);
    else if (isinf(g->rho_lower))
        cli_say(invocation, "rho         infinite: some (Au)_+ is outside the range of A");
}

static void say_geometry(const cli_invocation *invocation, const fathom_geometry *g)
{
    cli_say(invocation, "rank        %lld (singular values %.6g to %.6g, zero below %.3g)",
            (long long)g->rank, g->sigma_max, g->sigma_min, g->rank_tolerance);
    if (g->rank_exact >= 0 && g->rank_exact != g->rank)
        cli_say(invocation, "            %lld for the stored numbers as rationals", (long long)g->rank_exact);
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
    fathom_data *data = NULL;
    fathom_geometry geometry;
    fathom_status status = fathom_data_open(&data, invocation->context, invocation->argument[0],
                                            cli_options(invocation, &fathom_data_option_table));
    if (status == FATHOM_OK) {
        const fathom_data_view view = fathom_data_look(data);
        status = cli_set_shape(invocation, &view);
    }
    if (status == FATHOM_OK)
        status = fathom_geometry_compute(&geometry, invocation->context, data, options);
    if (status == FATHOM_OK)
        status = set_geometry(invocation->result, &geometry);
    if (status == FATHOM_OK) {
        say_geometry(invocation, &geometry);
        if (!options->skip_hull && !geometry.hull_known)
            *exit_code = EXIT_LIMIT;
    }
    fathom_data_free(data);
    return status;
}
