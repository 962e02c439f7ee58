/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cli.h"

int main(int argc, char **argv)
{
    cli_start(argv);
    return cli_main(argc, argv, NULL);
}
