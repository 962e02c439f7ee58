/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands with --certificate and --verify share; see certified.c. */
#ifndef FATHOM_CERTIFIED_H
#define FATHOM_CERTIFIED_H

#include "cli.h"

typedef struct cli_certified {
    const char *certificate; /* NULL: none is asked for */
    bool verify;
    fathom_certificate_data kept; /* files that the data was written to for the certificate */
    fathom_data_options options;  /* with which `path` is read */
    char path[4096], folder[4096], temporary[4200], weights[32];
} cli_certified;

/* Opens the command's DATA; where a certificate is asked for, from a plain file. */
fathom_status cli_certified_open(cli_certified *c, fathom_data **data, cli_invocation *invocation,
                                 const char *certificate, bool verify);

/* Adds the claims of `user` to a certificate. */
typedef fathom_status cli_add_claims(fathom_certificate *certificate, cli_invocation *invocation,
                                     const void *user);

/* Writes the certificate, where one is asked for. */
fathom_status cli_certified_write(const cli_certified *c, cli_invocation *invocation, const fathom_data *data,
                                  cli_add_claims *add, const void *user);

/* At the end of the command, which has come to `status`: says where the certificate is, verifies it where asked for (exit
 * code 4 where it is rejected), removes what was temporary. */
fathom_status cli_certified_close(cli_certified *c, cli_invocation *invocation, fathom_status status,
                                  int *exit_code);

#endif
