/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "fathom/fathom.h"

int main(void)
{
    printf("fathom %s\n", fathom_version());
    return 0;
}
