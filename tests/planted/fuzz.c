/* SPDX-License-Identifier: Apache-2.0 */
/* A planted bug: stops on the inputs that begin with "bug", which no seed does. */
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 2 && data[0] == 'b' && data[1] == 'u' && data[2] == 'g')
        abort();
    return 0;
}
