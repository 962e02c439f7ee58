/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a certificate that `info` describes: one JSON object, or a refusal with a text. */
#include "fuzzing.h"

#include "fathom/certificate.h"
#include "fathom/json.h"
#include "inner/certificate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fathom_context *context = fuzz_context();
    fathom_json *result;
    char *text;
    must_hold(fathom_json_create(&result, context) == FATHOM_OK);
    const char *path = fuzz_file(data, size);
    fathom_certificate_recognize(context, path);
    fathom_status status = fathom_certificate_describe(result, context, path);
    if (status == FATHOM_OK)
        status = fathom_json_text(&text, result, true);
    if (status == FATHOM_OK)
        fathom_json_text_free(result, text);
    else
        check_failure(context, status);
    fathom_json_free(result);
    return 0;
}
