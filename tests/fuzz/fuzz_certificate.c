/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the rest of a certificate about a small table, behind a head with the right hash: never a crash, a leak or
 * too much memory; a failure has a code and a text. */
#include <stdlib.h>
#include <string.h>

#include "checker.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char table[] = "1,0.5,1\n-2,0.25,-1\n0.125,3,1\n1,-1,-1\n";
    static check c;
    char hex[65], head[200];
    check_sha256(hex, (const unsigned char *)table, (int64_t)strlen(table));
    const int length = snprintf(head, sizeof head, "fathom-certificate 2\ndata csv %s 0 2 -1\n", hex);
    char *text = malloc((size_t)length + size + 1);
    memcpy(text, head, (size_t)length);
    memcpy(text + length, bytes, size);
    const inputs in = {text, table, NULL, length + (int64_t)size, (int64_t)strlen(table), 0};
    const limits most = {INT64_C(256) << 20, check_limits.steps, 0}; /* under the fuzzer's own ceiling */
    const int code = check_run(&c, &in, NULL, &most);
    if (code != 0 && ((code != 4 && code != 5 && code != 6) || !c.message[0]))
        abort();
    free(text);
    return 0;
}
