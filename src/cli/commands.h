/* SPDX-License-Identifier: Apache-2.0 */
/* What commands.c gathers: one function per command, and the option tables that only the command line has. */
#ifndef FATHOM_COMMANDS_H
#define FATHOM_COMMANDS_H

#include "cli.h"
#include "inner/files.h"

extern const fathom_option_table cli_convert_option_table;
extern const fathom_option_table cli_gen_option_table;
extern const fathom_option_table cli_reproduce_option_table;

cli_command_function cli_run_convert;
cli_command_function cli_run_gen;
cli_command_function cli_run_doctor;
cli_command_function cli_run_info;
#define CLI_MEASURE_OPTIONS(X)                                                                        \
    X(FLAG, measure, "measure", NULL, 0, 0, "", "Gaussian measures of the cones, checked three ways") \
    X(OUTPUT, measures, "measures", NULL, 0, 0, "FILE", "write pattern and measure of every cone as CSV")

#define CLI_CONE_OPTIONS(X)                      \
    X(TEXT, cone, "cone", NULL, 0, 0, "PATTERN", \
      "one cone alone, without the others: n signs, + or 1 for active points, - or 0 for the rest")

FATHOM_OPTIONS_STRUCT(cli_cone_options, CLI_CONE_OPTIONS)
extern const fathom_option_table cli_cone_option_table;

/* Answers --cone: empty or not, with its proof; dimension; points that force it into hyperplanes. */
fathom_status cli_ask_cone(cli_invocation *invocation, fathom_job *job, const fathom_data *data,
                           bool decimals, const char *pattern);

FATHOM_OPTIONS_STRUCT(cli_measure_options, CLI_MEASURE_OPTIONS)
extern const fathom_option_table cli_measure_option_table;

/* Measures the cones where the options of an invocation ask for it. */
fathom_status cli_measure_cones(cli_invocation *invocation, const fathom_data *data);

#define CLI_KERNEL_OPTIONS(X)                                                                  \
    X(INPUT, gates, "gates", NULL, 0, 0, "FILE", "gates of a finite network from an NPY file") \
    X(CHOICE, gates_as, "gates-as", "auto", 0, 0, FATHOM_GATES_FORMS,                          \
      "how it is read: d x N orientations, n x N of 0 and 1, N x d orientations")              \
    X(OUTPUT, save, "save", NULL, 0, 0, "FILE",                                                \
      "write the matrix to an NPY file; by rows where memory is short")                        \
    X(REAL, ridge, "ridge", NULL, 0, 1e300, "R",                                               \
      "fit the targets with (K + R I) a = y and write the model to -o; 0: the a of least norm")

FATHOM_OPTIONS_STRUCT(cli_kernel_options, CLI_KERNEL_OPTIONS)
extern const fathom_option_table cli_kernel_option_table;

#define CLI_MARGIN_OPTIONS(X)                                                                               \
    X(INPUT, model, "model", NULL, 0, 0, "MODEL", "margins of this model on DATA instead")                  \
    X(OUTPUT, save_dual, "save-dual", NULL, 0, 0, "FILE.npy", "write q, the dual point of the upper bound") \
    X(OUTPUT, save_separator, "save-separator", NULL, 0, 0, "FILE",                                         \
      "write the separator of the lower bound as a model")                                                  \
    X(OUTPUT, save_convex, "save-convex", NULL, 0, 0, "FILE",                                               \
      "write a convex network that classifies, for any data without contradictory rays [000, Thm 7.3]")     \
    X(FLAG, experiment, "experiment", NULL, 0, 0, "",                                                       \
      "failures of random gates against m gamma^2 [000, Thm 7.2]")                                          \
    X(INTEGER, trials, "trials", "400", 1, 1000000000, "N", "draws per row of the experiment")

FATHOM_OPTIONS_STRUCT(cli_margin_options, CLI_MARGIN_OPTIONS)
extern const fathom_option_table cli_margin_option_table;

#define CLI_FLOW_OPTIONS(X)                                                  \
    X(FLAG, global_margin, "global-margin", NULL, 0, 0, "",                  \
      "compare the margin at the end with the largest of all ReLU networks") \
    X(OUTPUT, save_limit, "save-limit", NULL, 0, 0, "MODEL",                 \
      "--ending: write the KKT point as a model, with its multipliers and support examples")

FATHOM_OPTIONS_STRUCT(cli_flow_options, CLI_FLOW_OPTIONS)
extern const fathom_option_table cli_flow_option_table;

#define CLI_CERTIFICATE_OPTIONS(X)                                                           \
    X(OUTPUT, certificate, "certificate", NULL, 0, 0, "FILE", "write a proof of the result") \
    X(FLAG, verify, "verify", NULL, 0, 0, "", "check the proof at the end")

FATHOM_OPTIONS_STRUCT(cli_certificate_options, CLI_CERTIFICATE_OPTIONS)
extern const fathom_option_table cli_certificate_option_table;

cli_command_function cli_run_check;
cli_command_function cli_run_fit;
cli_command_function cli_run_cones;
cli_command_function cli_run_flow;

/* What a run that is resumed reads by the word of its state, beside the files of the command line. */
fathom_status cli_check_flow_files(const cli_invocation *invocation, const fathom_file_use *use,
                                   int64_t count);
cli_command_function cli_run_geometry;
cli_command_function cli_run_kernel;
cli_command_function cli_run_margin;
cli_command_function cli_run_model_margin;

/* The table of --experiment: printed, and member "experiment" of the result. */
fathom_status cli_margin_experiment(cli_invocation *invocation, const fathom_margin_result *margin,
                                    fathom_data *data, int64_t trials);
cli_command_function cli_run_explain;
cli_command_function cli_run_predict;
cli_command_function cli_run_path;
cli_command_function cli_run_report;
cli_command_function cli_run_reproduce;
cli_command_function cli_run_train;

/* What the options of geometry ask for beside its facts; the family of interpolations on the line, also
 * for train. */
fathom_status cli_geometry_sets(cli_invocation *invocation, fathom_data *data,
                                const fathom_geometry_options *options, int *exit_code);
fathom_status cli_set_minimisers(cli_invocation *invocation, fathom_data *data);

/* What training on the line adds to its answer (train_line.c). */
fathom_status cli_set_line(cli_invocation *invocation, const fathom_train_result *result, fathom_data *data,
                           const fathom_train_options *options);

/* The same of all optimal networks of the squared loss at a penalty. */
fathom_status cli_set_minimisers_at(cli_invocation *invocation, fathom_data *data,
                                    const fathom_train_options *options, double beta);

/* Shared by train and path: the members of a result, and the exit code it stands for. */
fathom_status cli_set_train(fathom_json *json, const fathom_train_result *r);

/* A score: the parts that apply as members of `key`, and as a phrase for people in `text`, which it
 * returns. */
fathom_status cli_set_score(cli_invocation *invocation, const char *key, const fathom_score *score);

/* Makes the result's model: scored on the data and on `test` (NULL: none), written where -o says. */
fathom_status cli_finish_train(cli_invocation *invocation, fathom_train_result *r, const fathom_data *data,
                               const fathom_train_options *options);

/* score.c: scores the model on data under `key`; on `spec` (its rows, NULL: all) likewise. */
fathom_status cli_score_on(cli_invocation *invocation, const fathom_model *model, const fathom_data *data,
                           const char *key, const char *name);
fathom_status cli_score_test(cli_invocation *invocation, const char *key, const fathom_model *model,
                             const char *spec, const char *rows);

#endif
