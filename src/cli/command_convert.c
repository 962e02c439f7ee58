/* SPDX-License-Identifier: Apache-2.0 */
/* fathom convert MODEL --to KIND -o FILE: the same function in another form. */
#include "commands.h"
#include "inner/context.h"
#include "inner/data.h"
#include "inner/json.h"

#include <math.h>
#include <string.h>

#define CONVERT_OPTIONS(X)                                                               \
    X(CHOICE, to, "to", NULL, 0, 0, "same|relu|gated|compressed|json|npz|c|onnx|js",     \
      "what to write; same: only the file's format changes, by its extension (.json, "   \
      ".npz, .c, .onnx, .js)")                                                           \
    X(INPUT, data, "data", NULL, 0, 0, "DATA", "data on which the two forms must agree") \
    X(CHOICE, select, "select", "any", 0, 0, "any|sparse|min-norm",                      \
      "gated to relu: which decomposition into the gates' cones")                        \
    X(REAL, prune, "prune", NULL, 0, 1, "SHARE",                                         \
      "drop neurons while no output on --data moves by more than this share of the "     \
      "outputs' spread")

FATHOM_OPTIONS_STRUCT(convert_options, CONVERT_OPTIONS)

#define OWNER convert_options
static const fathom_option convert_rows[] = {CONVERT_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_convert_option_table =
    FATHOM_OPTION_TABLE("Options of convert", convert_rows, convert_options);

enum { TO_SAME, TO_RELU, TO_GATED, TO_COMPRESSED, TO_JSON, TO_NPZ, TO_C, TO_ONNX, TO_JS };

static bool ends_with(const char *text, const char *tail)
{
    const size_t length = strlen(text), size = strlen(tail);
    return length >= size && strcmp(text + length - size, tail) == 0;
}

/* What is to be written: where nothing else is said, what the file's name says. */
static int target_of(const cli_invocation *invocation, const convert_options *options)
{
    const char *output = invocation->run.output;
    if (options->to != TO_SAME || !output)
        return options->to;
    if (ends_with(output, ".js"))
        return TO_JS;
    return ends_with(output, ".c") ? TO_C : ends_with(output, ".onnx") ? TO_ONNX : TO_SAME;
}

/* Whether the name is that of a form that there is not: JSON under it would be a surprise. */
static bool is_foreign(const char *output)
{
    static const char *const tails[] = {".py", ".h", ".cpp", ".rs", ".java", ".pt", ".pkl", ".pmml"};
    for (size_t k = 0; k < sizeof tails / sizeof *tails; k++)
        if (ends_with(output, tails[k]))
            return true;
    return false;
}

/* Forms go by the extension, so the two must not contradict each other. */
static fathom_status check_target(cli_invocation *invocation, const convert_options *options)
{
    const int to = target_of(invocation, options);
    const fathom_export_options *export = cli_options(invocation, &fathom_export_option_table);
    const char *output = invocation->run.output;
    const char *text = NULL;
    if (!output)
        text = "convert needs -o FILE";
    else if (to == TO_SAME && is_foreign(output))
        text = "a model is written as .json, .npz, .c, .onnx or .js (--to json: JSON under any name)";
    else if (to == TO_NPZ && !ends_with(output, ".npz"))
        text = "--to npz needs a file that ends in .npz";
    else if (to == TO_JSON && ends_with(output, ".npz"))
        text = "--to json needs a file that does not end in .npz";
    else if (to != TO_C && ends_with(output, ".c"))
        text = "a file that ends in .c holds --to c";
    else if (to != TO_ONNX && ends_with(output, ".onnx"))
        text = "a file that ends in .onnx holds --to onnx";
    else if (to != TO_JS && ends_with(output, ".js"))
        text = "a file that ends in .js holds --to js";
    else if ((to == TO_RELU || to == TO_COMPRESSED) && !options->data)
        text = "this form agrees with the model on data only: --data DATA says which";
    else if (options->prune >= 0 && !options->data)
        text = "--prune goes by outputs on data: --data DATA says which";
    else if (export->header && (to != TO_C || export->precision > FATHOM_EXPORT_FLOAT))
        text = "--header-file goes with --to c in double or float";
    else if (export->precision > FATHOM_EXPORT_FLOAT && (to != TO_C || !options->data))
        text = "a model in integers is C for a box of inputs: --to c --data DATA, whose ranges they are";
    return text ? fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text) : FATHOM_OK;
}

/* A ReLU network with the same outputs on the data, and what it costs. */
static fathom_status decompose(fathom_net **net, cli_invocation *invocation, const fathom_net *old,
                               const fathom_data *data, int select)
{
    double inflation = 1;
    FATHOM_TRY(
        fathom_net_decompose(net, &inflation, invocation->context, old, data, (fathom_decompose)select));
    FATHOM_TRY(fathom_json_set_real(invocation->result, "norm_inflation", inflation));
    cli_say(invocation, "norm inflation %.6g: sum |w_j||u_j| over the gated network's sum |w_j|", inflation);
    return FATHOM_OK;
}

/* The network in its new form; NULL where it has that form already. */
static fathom_status transform(fathom_net **net, cli_invocation *invocation, const fathom_net *old,
                               const convert_options *options, const fathom_data *data)
{
    const fathom_net_kind kind = fathom_net_look(old).kind;
    const int to = options->to;
    *net = NULL;
    if (to == TO_GATED && kind != FATHOM_NET_GATED)
        return fathom_net_to_gated(net, invocation->context, old);
    if (to == TO_RELU && kind != FATHOM_NET_RELU)
        return decompose(net, invocation, old, data, options->select);
    if (to == TO_COMPRESSED)
        return fathom_net_compress(net, invocation->context, old, data);
    return FATHOM_OK;
}

/* The network without neurons that hardly move its outputs, in place of *net, which is in its new form
 * already or NULL. */
static fathom_status prune(fathom_net **net, fathom_prune_report *report, cli_invocation *invocation,
                           const fathom_net *old, const fathom_data *data, double share)
{
    fathom_net *small;
    FATHOM_TRY(fathom_net_prune(&small, report, invocation->context, *net ? *net : old, data, share));
    fathom_net_free(*net);
    *net = small;
    cli_say(invocation,
            "pruned           %lld neuron%s, outputs on the data move by at most %s, %s %% of their spread",
            (long long)report->dropped, report->dropped == 1 ? "" : "s", cli_above(report->lower, 3).text,
            cli_above(report->spread > 0 ? 100 * report->lower / report->spread : 0, 3).text);
    if (!isnan(report->upper))
        cli_say(invocation,
                "                 and by at most %s wherever every column is within its range on the data "
                "(proved)",
                cli_above(report->upper, 6).text);
    return CLI_SET(invocation->result, cli_integer("pruned", report->dropped),
                   cli_real("prune_measured", report->lower), cli_real("prune_upper", report->upper),
                   cli_real("spread", report->spread));
}

/* Puts the model into its new form, *model, and measures the difference on the data, NaN where there is
 * none. */
static fathom_status convert_model(fathom_model **model, double *difference, fathom_prune_report *report,
                                   cli_invocation *invocation, const fathom_model *old,
                                   const convert_options *options)
{
    const fathom_model_view view = fathom_model_look(old);
    fathom_data *data = NULL;
    fathom_net *net = NULL;
    fathom_status status = FATHOM_OK;
    *model = NULL;
    const int to = target_of(invocation, options);
    *difference = to == TO_GATED || to >= TO_C ? NAN : 0;
    if (options->data)
        status = fathom_model_open_data(&data, old, invocation->context, options->data, NULL);
    FATHOM_THEN(status, transform(&net, invocation, view.net, options, data));
    if (status == FATHOM_OK && options->prune >= 0)
        status = prune(&net, report, invocation, view.net, data, options->prune);
    if (status == FATHOM_OK && net && data)
        status = fathom_net_difference(difference, view.net, net, data);
    if (status == FATHOM_OK && net)
        status =
            fathom_model_create(model, invocation->context, net, view.loss, &view.preprocess, &view.classes);
    if (status != FATHOM_OK)
        fathom_net_free(net);
    fathom_data_free(data);
    return status;
}

/* The box of the raw columns: ranges of the prepared ones, undone, and widened by what that may round. */
static fathom_status find_box(double *low, double *high, cli_invocation *invocation,
                              const fathom_model *model, const char *spec)
{
    const fathom_preprocess how = fathom_model_look(model).preprocess;
    fathom_data *data;
    FATHOM_TRY(fathom_model_open_data(&data, model, invocation->context, spec, NULL));
    fathom_data_ranges(low, high, data);
    for (int64_t i = 0; i < how.columns; i++) {
        const double width = how.scale ? how.scale[i] : 1, mean = how.mean ? how.mean[i] : 0;
        const double slack = how.scale ? 1e-15 * (fabs(mean) + width * fmax(fabs(low[i]), fabs(high[i]))) : 0;
        low[i] = mean + width * low[i] - slack;
        high[i] = mean + width * high[i] + slack;
    }
    fathom_data_free(data);
    return FATHOM_OK;
}

/* The model in integers over the box of the data, and how far it can be off from the network that was
 * given: what pruning moves is added. */
static fathom_status write_integers(cli_invocation *invocation, const fathom_model *model, const char *spec,
                                    const fathom_export_options *export, double pruned)
{
    const int64_t columns = fathom_model_look(model).preprocess.columns;
    fathom_fixed_report found;
    double *box = fathom_context_allocate(invocation->context, 2 * columns + 2, sizeof *box);
    if (!box)
        return FATHOM_ERROR_MEMORY;
    /* one more column, that of a bias, may follow in the prepared data */
    fathom_status status = find_box(box, box + columns + 1, invocation, model, spec);
    if (status == FATHOM_OK)
        status =
            fathom_model_export_fixed(&found, model, invocation->run.output, export, box, box + columns + 1);
    fathom_context_release(invocation->context, box);
    if (status != FATHOM_OK)
        return status;
    found.lower = fmax(0, found.lower - pruned * (1 + 0x1p-50)); /* rounded down and up */
    found.upper = pruned > 0 ? (found.upper + pruned) * (1 + 0x1p-50) : found.upper;
    cli_say(invocation, "integers         %lld bytes of constants", (long long)found.bytes);
    cli_say(invocation,
            "deviation        at most %s from the network, for all inputs in the ranges of the data (proved; "
            "%s is attained)",
            cli_above(found.upper, 6).text, cli_below(found.lower, 6).text);
    return CLI_SET(invocation->result, cli_real("deviation_upper", found.upper),
                   cli_real("deviation_lower", found.lower), cli_integer("bytes", found.bytes));
}

static fathom_status write_model(const fathom_model *model, cli_invocation *invocation,
                                 const convert_options *options, const fathom_prune_report *report)
{
    const fathom_export_options *export = cli_options(invocation, &fathom_export_option_table);
    const int to = target_of(invocation, options);
    if (export->precision > FATHOM_EXPORT_FLOAT)
        return write_integers(invocation, model, options->data, export, report->upper);
    if (to == TO_C)
        return fathom_model_export_c(model, invocation->run.output, export);
    if (to == TO_JS)
        return fathom_model_export_js(model, invocation->run.output, export);
    if (to == TO_ONNX)
        return fathom_model_export_onnx(model, invocation->run.output, export);
    return fathom_model_write(model, invocation->run.output);
}

/* What a graph takes where the table has more than plain numbers. */
static void say_inputs(const cli_invocation *invocation, const fathom_model *model)
{
    const fathom_schema *schema = fathom_model_look(model).preprocess.schema;
    int64_t used = 0, dates = 0;
    bool plain = true;
    for (int64_t k = 0; schema && k < schema->columns; k++) {
        const fathom_column *column = schema->column + k;
        used += column->width > 0;
        dates += column->width > 0 && column->as == FATHOM_COLUMN_DATE;
        plain = plain && column->width == 1 && column->as == FATHOM_COLUMN_NUMBER;
    }
    if (!plain)
        cli_say_block(invocation,
                      "inputs       %lld column%s of the table by name, NaN or an empty text where missing%s",
                      (long long)used, used == 1 ? "" : "s",
                      dates > 0 ? "; dates in seconds since 1970" : "");
}

static fathom_status report(cli_invocation *invocation, const fathom_model *model, double difference)
{
    const int64_t neurons = fathom_net_look(fathom_model_look(model).net).m;
    const fathom_export_options *export = cli_options(invocation, &fathom_export_option_table);
    const fathom_status status =
        CLI_SET(invocation->result, cli_integer("neurons", neurons), cli_real("max_difference", difference));
    if (export->precision > FATHOM_EXPORT_FLOAT)
        return status;
    if (status == FATHOM_OK && difference == 0)
        cli_say(invocation, "%s: %lld neurons, the same function", invocation->run.output,
                (long long)neurons);
    else if (status == FATHOM_OK && isnan(difference))
        cli_say(invocation, "%s: %lld neurons, the same function up to rounding (--data measures it)",
                invocation->run.output, (long long)neurons);
    else if (status == FATHOM_OK)
        cli_say(invocation, "%s: %lld neurons, outputs on the data differ by at most %.3g",
                invocation->run.output, (long long)neurons, difference);
    if (status == FATHOM_OK && ends_with(invocation->run.output, ".onnx"))
        say_inputs(invocation, model);
    return status;
}

fathom_status cli_run_convert(cli_invocation *invocation, int *exit_code)
{
    const convert_options *options = cli_options(invocation, &cli_convert_option_table);
    fathom_model *model = NULL, *converted = NULL;
    fathom_prune_report pruned = {0};
    double difference = 0;
    (void)exit_code;
    FATHOM_TRY(fathom_model_read(&model, invocation->context, invocation->argument[0]));
    fathom_status status = check_target(invocation, options);
    FATHOM_THEN(status, convert_model(&converted, &difference, &pruned, invocation, model, options));
    FATHOM_THEN(status, write_model(converted ? converted : model, invocation, options, &pruned));
    FATHOM_THEN(status, report(invocation, converted ? converted : model, difference));
    fathom_model_free(converted);
    fathom_model_free(model);
    return status;
}
