/* SPDX-License-Identifier: Apache-2.0 */
/* A planted bug: reads one item after the end of a block. */
#include <stdlib.h>

int main(int argc, char **argv)
{
    (void)argv;
    int *volatile block = malloc(4 * sizeof(int)); /* volatile: the compiler forgets its length */
    if (!block)
        return 0;
    const volatile int beyond = block[3 + argc];
    free(block);
    return beyond & 0;
}
