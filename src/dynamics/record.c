/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as JSON, and the log: one object a line, appended with a single write, so that a killed run leaves whole
 * lines and two runs may share a file. "-" is standard output.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "dynamics_internal.h"
#include "inner/flow.h"
#include "inner/json.h"
#include "memory.h"
#include "platform.h"

/* Counts with -1 for "does not apply", and truth values likewise. */
static fathom_status set_count(fathom_json *object, const char *key, int64_t value)
{
    return value < 0 ? fathom_json_set_null(object, key) : fathom_json_set_integer(object, key, value);
}

static fathom_status set_truth(fathom_json *object, const char *key, int value)
{
    return value < 0 ? fathom_json_set_null(object, key) : fathom_json_set_bool(object, key, value != 0);
}

static fathom_status set_quantiles(fathom_json *object, const char *key, const double *value)
{
    if (isnan(value[0]))
        return fathom_json_set_null(object, key);
    return fathom_json_set_vector(object, key, value, FATHOM_FLOW_QUANTILES);
}

fathom_status fathom_flow_record_set(fathom_json *object, const fathom_flow_record *r)
{
    const struct {
        const char *key;
        double value;
    } row[] = {{"time", r->time},
               {"log_time", r->log_time},
               {"step", r->step},
               {"log_loss", r->log_loss},
               {"objective", r->objective},
               {"accuracy", r->accuracy},
               {"norm", r->norm},
               {"distance", r->distance},
               {"margin", r->margin},
               {"normalized_margin", r->normalized_margin},
               {"smoothed_margin", r->smoothed_margin},
               {"smoothed_normalized_margin", r->smoothed_normalized_margin},
               {"log_gradient", r->log_gradient},
               {"balance", r->balance},
               {"cluster_ratio", r->cluster_ratio},
               {"max_angle", r->max_angle},
               {"max_angle_upper", r->max_angle_upper},
               {"linear_fraction", r->linear_fraction},
               {"linear_fraction_sharp", r->linear_fraction_sharp},
               {"par_share_w", r->par_share_w},
               {"par_share_u", r->par_share_u},
               {"test_accuracy", r->test_accuracy},
               {"test_linear_fraction", r->test_linear_fraction},
               {"group_margin", r->group_margin},
               {"limit_angle", r->limit_angle},
               {"kkt_residual", r->kkt_residual},
               {"kkt_slack", r->kkt_slack},
               {"rho", r->rho},
               {"lemma6", r->lemma6},
               {"lemma7", r->lemma7},
               {"lemma8", r->lemma8},
               {"i1", r->i1},
               {"i3", r->i3},
               {"spline_deviation", r->spline_deviation}};
    FATHOM_TRY(fathom_json_set_integer(object, "steps", r->steps));
    FATHOM_TRY(fathom_json_set_integer(object, "evaluations", r->evaluations));
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        FATHOM_TRY(fathom_json_set_real(object, row[k].key, row[k].value));
    FATHOM_TRY(set_count(object, "activation_changes", r->activation_changes));
    FATHOM_TRY(set_count(object, "sliding_pairs", r->sliding_pairs));
    FATHOM_TRY(set_count(object, "increases", r->increases));
    FATHOM_TRY(set_count(object, "disagreements_w", r->disagreements_w));
    FATHOM_TRY(set_count(object, "disagreements_u", r->disagreements_u));
    FATHOM_TRY(set_count(object, "disagreements_w_upper", r->disagreements_w_upper));
    FATHOM_TRY(set_count(object, "disagreements_u_upper", r->disagreements_u_upper));
    FATHOM_TRY(set_quantiles(object, "rotation", r->rotation));
    FATHOM_TRY(set_quantiles(object, "neuron_norm", r->neuron_norm));
    FATHOM_TRY(set_truth(object, "nar", r->nar));
    return set_truth(object, "par", r->par);
}

static fathom_status fail(const dynamics_run *run)
{
    return fathom_error_set_at(run->problem->context, FATHOM_ERROR_RUNTIME, run->problem->options->log, 0, 0,
                               "could not append to the log: %s", strerror(errno));
}

fathom_status fathom_dynamics_log_open(dynamics_run *run)
{
    run->log = -1;
    if (!run->problem->options->log)
        return FATHOM_OK;
    if (strcmp(run->problem->options->log, "-") == 0)
        run->log = fathom_platform_duplicate(FATHOM_PLATFORM_OUTPUT);
    else
        run->log = fathom_platform_open(run->problem->options->log, FATHOM_PLATFORM_APPEND);
    return run->log < 0 ? fail(run) : FATHOM_OK;
}

void fathom_dynamics_log_close(dynamics_run *run)
{
    if (run->log >= 0)
        fathom_platform_close(run->log);
    run->log = -1;
}

/* The whole line, whatever the kernel takes at a time. */
static bool write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        const int64_t done = fathom_platform_write(file, text, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        text += done;
        size -= (size_t)done;
    }
    return true;
}

static fathom_status write_line(dynamics_run *run, const char *text)
{
    const size_t size = strlen(text);
    char *line = fathom_memory_alloc(run->problem->context, (int64_t)size + 1, 1);
    if (!line)
        return FATHOM_ERROR_MEMORY;
    memcpy(line, text, size);
    line[size] = '\n';
    const fathom_status status = write_all(run->log, line, size + 1) ? FATHOM_OK : fail(run);
    fathom_memory_free(run->problem->context, line);
    return status;
}

fathom_status fathom_dynamics_log_write(dynamics_run *run, const fathom_flow_record *record)
{
    fathom_json *object;
    char *text = NULL;
    if (run->log < 0)
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_create(&object, run->problem->context));
    fathom_status status = fathom_flow_record_set(object, record);
    if (status == FATHOM_OK && (run->problem->options->trace || run->problem->options->trace_of))
        status = fathom_dynamics_trace(object, run);
    FATHOM_THEN(status, fathom_json_text(&text, object, false));
    if (status == FATHOM_OK) {
        status = write_line(run, text);
        fathom_json_text_free(object, text);
    }
    fathom_json_free(object);
    return status;
}
