/* SPDX-License-Identifier: Apache-2.0 */
/* A planted bug: overflows a signed integer. */
#include <limits.h>

int main(int argc, char **argv)
{
    (void)argv;
    const volatile int sum = INT_MAX + argc;
    return sum & 0;
}
