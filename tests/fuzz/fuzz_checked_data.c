/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the data of a certificate with their hash: the checker's CSV, LIBSVM and NPY readers and its preprocessing.
 * The first byte chooses the format and the steps. */
#include <stdlib.h>
#include <string.h>

#include "checker.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const formats[] = {"csv", "libsvm", "npy", "csv"};
    static const char *const steps[] = {"none\nsteps none", "none\nsteps unit", "none\nsteps standardize",
                                        "signs texts 2 61 62\nsteps none"};
    static check c;
    char hex[65], text[700], table[120];
    if (size < 2)
        return 0;
    const int kind = bytes[0] & 3, step = bytes[0] >> 2 & 3;
    char *data = calloc(size, 1); /* the rest, and a zero byte */
    memcpy(data, bytes + 1, size - 1);
    check_sha256(hex, (const unsigned char *)data, (int64_t)size - 1);
    if (kind == 2)
        snprintf(table, sizeof table, "%s", hex); /* of the labels */
    else if (kind == 1)
        snprintf(table, sizeof table, "3");
    else
        snprintf(table, sizeof table, "%d %d %d", kind == 3, bytes[0] >> 4 & 3, (bytes[0] >> 6 & 3) - 1);
    const int length =
        snprintf(text, sizeof text,
                 "fathom-certificate 2\ndata %s %s %s\nrows 2 0 1 0 2\nclasses %s augment 3 3\n"
                 "gates patterns 0\nclaim zero\npairs 1 0 2 1\nend\n",
                 formats[kind], hex, table, steps[step]);
    const inputs in = {text, data, kind == 2 ? data : NULL, length, (int64_t)size - 1, (int64_t)size - 1};
    const limits most = {INT64_C(256) << 20, check_limits.steps, 0}; /* under the fuzzer's own ceiling */
    const int code = check_run(&c, &in, NULL, &most);
    if (code != 0 && ((code != 4 && code != 5 && code != 6) || !c.message[0]))
        abort();
    free(data);
    return 0;
}
