/* SPDX-License-Identifier: Apache-2.0 */
/* What commands.c gathers: one function per command, and the option tables that only the command line has. */
#ifndef FATHOM_COMMANDS_H
#define FATHOM_COMMANDS_H

#include "cli.h"

extern const fathom_option_table cli_gen_option_table;

cli_command_function cli_run_gen;
cli_command_function cli_run_kernel;
cli_command_function cli_run_margin;
cli_command_function cli_run_report;

#endif
