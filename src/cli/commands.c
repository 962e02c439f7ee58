/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. A command not built yet has no function and says so. */
#include "cli.h"

#include <string.h>

#include "commands.h"

/* clang-format off */
static const cli_command commands[] = {
    {"gen", "write a generated or built-in data set to a file",
     "SPEC", 0, 1, {&cli_gen_option_table},
     "fathom gen gen:circle,n=8 -o circle.csv", cli_run_gen, CLI_OUTPUT_OWN},
    {"train", "fit a two-layer network by convex optimisation, with a bound on its distance from the global optimum",
     "DATA", 1, 1, {&fathom_train_option_table, &fathom_data_option_table},
     "fathom train builtin:wdbc --model gated --gates 500 --normalize standardize", cli_run_train, CLI_OUTPUT_OWN},
    {"fit", "choose, train and explain a network for a table: penalty by cross-validation, a bound on the result, what to expect of it",
     "DATA", 1, 1, {&fathom_fit_option_table, &fathom_data_option_table},
     "fathom fit builtin:wdbc -o model.json --time 5", cli_run_fit, CLI_OUTPUT_OWN},
    {"path", "train along decreasing penalties, warm-started",
     "DATA", 1, 1, {&fathom_path_option_table, &fathom_train_option_table, &fathom_data_option_table},
     "fathom path builtin:iris --model gated --gates 100 --loss logistic --bias free --cv 5", cli_run_path, CLI_OUTPUT_OWN},
    {"predict", "outputs, class names and probabilities of a model; its score where labels are there",
     "MODEL DATA", 2, 2, {&fathom_data_option_table},
     "fathom predict model.json builtin:wdbc -o predictions.csv", cli_run_predict, CLI_OUTPUT_OWN},
    {"explain", "predictions of a model as sums over columns and neurons; how far another class is", "MODEL DATA", 2, 2,
     {&fathom_data_option_table}, "fathom explain model.json builtin:wdbc --rows 0:3", cli_run_explain, CLI_OUTPUT_RESULT},
    {"info", "say what a model or certificate file holds",
     "FILE", 1, 1, {NULL},
     "fathom info model.json", cli_run_info, CLI_OUTPUT_RESULT},
    {"convert", "write a model in another form",
     "MODEL", 1, 1, {&cli_convert_option_table, &fathom_export_option_table},
     "fathom convert model.json --to npz -o model.npz", cli_run_convert, CLI_OUTPUT_OWN},
    {"margin", "margins of data or of a model, with two-sided bounds",
     "DATA", 1, 1, {&fathom_margin_option_table, &cli_margin_option_table, &cli_certificate_option_table, &fathom_data_option_table},
     "fathom margin gen:circle,n=16", cli_run_margin, CLI_OUTPUT_RESULT},
    {"kernel", "neural tangent kernel matrix and its spectrum",
     "DATA", 1, 1, {&fathom_kernel_option_table, &cli_kernel_option_table, &cli_certificate_option_table, &fathom_data_option_table},
     "fathom kernel gen:circle,n=9", cli_run_kernel, CLI_OUTPUT_OWN},
    {"cones", "cones of the data's hyperplane arrangement",
     "DATA", 1, 1, {&fathom_cones_option_table, &cli_cone_option_table, &cli_measure_option_table, &fathom_measure_option_table,
      &cli_certificate_option_table, &fathom_data_option_table},
     "fathom cones gen:cube,d=3 --faces", cli_run_cones, CLI_OUTPUT_RESULT},
    {"geometry", "facts about the rectified ellipsoid: rank, whitened, spike-free, extreme points",
     "DATA", 1, 1, {&fathom_geometry_option_table, &cli_certificate_option_table, &fathom_data_option_table},
     "fathom geometry gen:whitened,n=5,d=7", cli_run_geometry, CLI_OUTPUT_RESULT},
    {"flow", "gradient descent, SGD or gradient flow, with monitors",
     "DATA", 0, 1, {&fathom_flow_option_table, &cli_flow_option_table, &cli_certificate_option_table, &fathom_data_option_table},
     "fathom flow gen:xor,n=128 --net huber --until steps=100", cli_run_flow, CLI_OUTPUT_OWN},
    {"check", "measure a theorem's hypotheses on data and compare its bound with a run",
     "DATA", 0, 1, {&fathom_check_option_table, &fathom_data_option_table},
     "fathom check gen:gauss,n=4,d=60 --theorem 001:3.6", cli_run_check, CLI_OUTPUT_RESULT},
    {"reproduce", "a paper's figure or table, or recipes of one's own, with pass criteria",
     "ID|all|FILE [ID]", 0, 2, {&cli_reproduce_option_table},
     "fathom reproduce 000:lemma7.1 -o figures", cli_run_reproduce, CLI_OUTPUT_OWN},
    {"report", "one self-contained page of results and pictures",
     "FILE...", 1, CLI_ARGUMENTS, {NULL},
     "fathom report train.json -o report.html", cli_run_report, CLI_OUTPUT_OWN},
    {"doctor", "say which libraries, kernels, threads and limits this machine gives, its speed, and what is wrong with it",
     "", 0, 0, {NULL},
     "fathom doctor", cli_run_doctor, CLI_OUTPUT_RESULT},
    {"completion", "print the completion script of a shell, or for it the names of a table's columns",
     "bash|zsh|fish|columns DATA", 1, 2, {NULL},
     "fathom completion bash > fathom.bash", cli_run_completion, CLI_OUTPUT_NONE},
    {"manual", "print the manual page of fathom or of one command",
     "[COMMAND]", 0, 1, {NULL},
     "fathom manual train | man -l -", cli_run_manual, CLI_OUTPUT_NONE},
};
/* clang-format on */

const char *const *cli_presets(const cli_command *command)
{
    /* columns in units of their deviation, biases as fathom_fit_set_bias has them, tables as they are */
    static const char *const fit[] = {"missing",   "impute", "impute",
                                      "normalize", "auto",   "standardize; sparse rows: unit",
                                      "bias",      "free",   "augment for classes, free for numbers",
                                      NULL};
    static const char *const train[] = {"loss", "auto", "auto", NULL};
    return command->run == cli_run_fit                                     ? fit
           : command->run == cli_run_train || command->run == cli_run_path ? train
                                                                           : NULL;
}

const cli_command *cli_command_get(int index)
{
    return index < (int)(sizeof commands / sizeof commands[0]) ? commands + index : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    const cli_command *command;
    for (int k = 0; (command = cli_command_get(k)); k++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}
