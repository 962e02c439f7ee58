/* SPDX-License-Identifier: Apache-2.0 */
/* A planted bug: loses a block. */
#include <stdlib.h>

int main(void)
{
    char *volatile block = malloc(100);
    block = NULL;
    return block != NULL;
}
