/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of fathom geometry that are asked for: extreme points, sets of two rows, whitening, minimisers
 * on the line. */
#include <math.h>

#include "commands.h"
#include "inner/extreme.h"
#include "inner/json.h"
#include "members.h"

/* Neurons are listed in the JSON up to this many; -o writes all. */
enum { LISTED = 100, INTERVALS = 1000 };

static fathom_status add_extreme(fathom_json *list, const fathom_extremes *extremes, int64_t k, int64_t d)
{
    const double *u;
    fathom_json *member;
    const fathom_extreme e = fathom_extremes_get(&u, extremes, k);
    fathom_status status = fathom_json_append_object(list, &member);
    if (status == FATHOM_OK && e.row >= 0)
        status = fathom_json_set_integer(member, "row", e.row);
    const struct {
        const char *key;
        double value;
    } row[] = {{"lower", e.lower}, {"upper", e.upper}, {"sign", e.sign}, {"bias", e.bias}};
    for (size_t r = 0; r < sizeof row / sizeof *row && status == FATHOM_OK; r++)
        status = fathom_json_set_real(member, row[r].key, row[r].value);
    FATHOM_THEN(status, fathom_json_set_integer(member, "tight", e.tight));
    FATHOM_THEN(status, fathom_json_set_text(member, "method", e.method));
    return status == FATHOM_OK ? fathom_json_set_vector(member, "u", u, d) : status;
}

static void say_extremes(const cli_invocation *invocation, const fathom_extremes *extremes)
{
    const int64_t count = fathom_extremes_count(extremes);
    int64_t inside = 0;
    double least = INFINITY, most = 0;
    for (int64_t k = 0; k < count; k++) {
        const double *u;
        const fathom_extreme e = fathom_extremes_get(&u, extremes, k);
        inside += e.lower <= 0;
        least = fmin(least, e.lower);
        most = fmax(most, e.upper);
    }
    cli_say(invocation, "extreme     %lld directions, values from %s (attained) to %s (not exceeded)",
            (long long)count, cli_below(count > 0 ? fmax(least, 0) : 0, 12).text, cli_above(most, 12).text);
    if (inside > 0)
        cli_say(invocation, "            %lld of them without a neuron: inside the hull of the other rows",
                (long long)inside);
}

static fathom_status find_extremes(cli_invocation *invocation, const fathom_data *data, const char *text,
                                   int *exit_code)
{
    const fathom_data_view view = fathom_data_look(data);
    fathom_extremes *extremes;
    fathom_json *list;
    FATHOM_TRY(fathom_extremes_compute(&extremes, invocation->context, data, text));
    fathom_status status =
        fathom_json_set_integer(invocation->result, "extreme_count", fathom_extremes_count(extremes));
    FATHOM_THEN(status, fathom_json_set_list(invocation->result, "extreme", &list));
    for (int64_t k = 0; k < fathom_extremes_count(extremes) && k < LISTED && status == FATHOM_OK; k++)
        status = add_extreme(list, extremes, k, view.d);
    if (status == FATHOM_OK)
        say_extremes(invocation, extremes);
    if (status == FATHOM_OK && invocation->run.output)
        status = fathom_extremes_write(extremes, invocation->run.output);
    if (!fathom_extremes_complete(extremes))
        *exit_code = EXIT_LIMIT;
    fathom_extremes_free(extremes);
    return status;
}

static fathom_status add_pieces(fathom_json *sets, const char *key, const fathom_piece *piece, int count)
{
    static const char *const kind[] = {"segment", "arc", "ray"};
    fathom_json *list, *member;
    fathom_status status = fathom_json_set_list(sets, key, &list);
    for (int k = 0; k < count && status == FATHOM_OK; k++) {
        status = fathom_json_append_object(list, &member);
        FATHOM_THEN(status, fathom_json_set_text(member, "kind", kind[piece[k].kind]));
        FATHOM_THEN(status, fathom_json_set_vector(member, "from", piece[k].from, 2));
        FATHOM_THEN(status,
                    fathom_json_set_vector(member, piece[k].kind == FATHOM_PIECE_RAY ? "direction" : "to",
                                           piece[k].to, 2));
        if (status == FATHOM_OK && piece[k].kind == FATHOM_PIECE_ARC)
            status = fathom_json_set_vector(member, "matrix", piece[k].matrix, 3);
    }
    return status;
}

static fathom_status draw_sets(cli_invocation *invocation, const fathom_data *data, bool write)
{
    fathom_plane_sets sets;
    fathom_json *member;
    FATHOM_TRY(fathom_plane_sets_compute(&sets, invocation->context, data));
    FATHOM_TRY(fathom_json_set_object(invocation->result, "sets", &member));
    FATHOM_TRY(fathom_json_set_vector(member, "gram", sets.gram, 3));
    FATHOM_TRY(add_pieces(member, "rectified", sets.rectified, sets.rectified_count));
    FATHOM_TRY(add_pieces(member, "hull", sets.hull, sets.hull_count));
    FATHOM_TRY(add_pieces(member, "polar", sets.polar, sets.polar_count));
    cli_say(invocation,
            "sets        %d pieces of the rectified ellipsoid, %d of its hull, %d of its polar set",
            sets.rectified_count, sets.hull_count, sets.polar_count);
    if (write)
        FATHOM_TRY(fathom_plane_sets_write(&sets, invocation->context, invocation->run.output));
    return FATHOM_OK;
}

static fathom_status whiten(cli_invocation *invocation, const fathom_data *data, const char *path)
{
    double error;
    fathom_status status = fathom_whitening_write(&error, invocation->context, data, path);
    FATHOM_THEN(status, fathom_json_set_real(invocation->result, "whitening_error", error));
    if (status == FATHOM_OK && isnan(error))
        cli_say(invocation, "whitening   orthonormal columns; dependent rows cannot be whitened");
    else if (status == FATHOM_OK)
        cli_say(invocation, "whitening   largest |AW(AW)' - I| %.3g", error);
    return status;
}

/* Outputs that minimisers of the hinge do not share: at how many places, and the first. */
static void say_ranges(cli_invocation *invocation, const fathom_minimisers *m)
{
    int64_t open = 0, first = -1;
    for (int64_t k = 0; k < m->places; k++) {
        const bool differ = m->values[3 * k + 1] < m->values[3 * k + 2];
        open += differ;
        first = differ && first < 0 ? k : first;
    }
    const double *v = m->values + 3 * first;
    cli_say(invocation, "minimisers   more than one function: their outputs differ at %lld of %lld places",
            (long long)open, (long long)m->places);
    cli_say(invocation, "             the first is %s, where they are %s%s and %s%s", cli_near(v[0], 10).text,
            isfinite(v[1]) ? "at least " : "any number", isfinite(v[1]) ? cli_near(v[1], 10).text : "",
            isfinite(v[2]) ? "at most " : "without limit", isfinite(v[2]) ? cli_near(v[2], 10).text : "");
}

/* The family as a member of the result and in words. */
static fathom_status put_minimisers(cli_invocation *invocation, const fathom_minimisers *m)
{
    fathom_json *member;
    fathom_status status = fathom_json_set_object(invocation->result, "minimisers", &member);
    if (status == FATHOM_OK && m->places > 0)
        status = fathom_json_set_matrix(member, "values", m->values, m->places, 3, 3);
    if (status == FATHOM_OK && m->places > 0 && !m->fixed) {
        say_ranges(invocation, m);
        return fathom_json_set_bool(member, "unique", false);
    }
    FATHOM_THEN(status, CLI_SET(member, cli_real("norm", m->norm), cli_real("lower", m->lower),
                                cli_real("variation", m->variation), cli_real("ends", m->ends),
                                cli_bool("unique", m->unique), cli_bool("outside", m->outside),
                                cli_integer("free_intervals", m->free_count)));
    FATHOM_THEN(status, fathom_json_set_matrix(member, "free", m->free, m->free_kept, 4, 4));
    if (status == FATHOM_OK)
        cli_say(invocation, "minimisers  least norm %s (at least %s): %s%s", cli_near(m->norm, 12).text,
                cli_below(m->lower, 12).text, m->unique ? "one function" : "more than one function",
                m->outside ? ", kinks outside the data are free" : "");
    if (status == FATHOM_OK && m->free_count > 0)
        cli_say(invocation, "            they differ on %lld intervals; the first is [%g, %g], apex (%g, %g)",
                (long long)m->free_count, m->free[0], m->free[1], m->free[2], m->free[3]);
    return status;
}

fathom_status cli_set_minimisers(cli_invocation *invocation, fathom_data *data)
{
    fathom_minimisers m;
    const fathom_data_view view = fathom_data_look(data);
    if (view.outputs != 1)
        return FATHOM_OK;
    fathom_status status = fathom_minimisers_compute(&m, invocation->context, data, INTERVALS);
    if (status == FATHOM_OK && m.applies && m.exists)
        status = put_minimisers(invocation, &m);
    fathom_minimisers_clear(&m, invocation->context);
    return status;
}

fathom_status cli_set_minimisers_at(cli_invocation *invocation, fathom_data *data,
                                    const fathom_train_options *options, double beta)
{
    fathom_minimisers m;
    fathom_status status =
        fathom_minimisers_compute_at(&m, invocation->context, data, options, beta, INTERVALS);
    if (status == FATHOM_OK && m.applies && m.exists)
        status = put_minimisers(invocation, &m);
    fathom_minimisers_clear(&m, invocation->context);
    return status;
}

fathom_status cli_geometry_sets(cli_invocation *invocation, fathom_data *data,
                                const fathom_geometry_options *options, int *exit_code)
{
    fathom_status status = FATHOM_OK;
    invocation->output_taken = options->extreme || options->polar;
    if (options->extreme)
        status = find_extremes(invocation, data, options->extreme, exit_code);
    if (status == FATHOM_OK && options->polar)
        status = draw_sets(invocation, data, invocation->run.output && !options->extreme);
    if (status == FATHOM_OK && options->whiten)
        status = whiten(invocation, data, options->whiten);
    return status == FATHOM_OK ? cli_set_minimisers(invocation, data) : status;
}
