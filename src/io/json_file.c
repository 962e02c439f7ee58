/* SPDX-License-Identifier: Apache-2.0 */
/* JSON files: read whole and parsed, written whole or not at all. */
#include <string.h>

#include "bytes.h"
#include "file_write.h"
#include "json_internal.h"
#include "memory.h"

/* A model file of a billion parameters is larger than this; nothing that people write as JSON is. */
static const int64_t size_limit = INT64_C(1) << 33;

fathom_status fathom_json_write(const fathom_json *root, const char *path, bool pretty)
{
    char *text;
    fathom_file *file;
    FATHOM_TRY(fathom_json_text(&text, root, pretty));
    fathom_status status = fathom_file_create(&file, fathom_json_context(root), path);
    if (status == FATHOM_OK) {
        fathom_file_write(file, text, strlen(text));
        fathom_file_write(file, "\n", 1);
        status = fathom_file_commit(file);
    }
    fathom_json_text_free(root, text);
    return status;
}

fathom_status fathom_json_read_within(fathom_json **root, fathom_context *context, const char *path,
                                      int64_t most_bytes)
{
    fathom_bytes *bytes;
    unsigned char *data = NULL;
    int64_t size = 0;
    *root = NULL;
    FATHOM_TRY(fathom_bytes_open(&bytes, context, path));
    fathom_status status = fathom_bytes_read_all(bytes, &data, &size, most_bytes);
    FATHOM_THEN(status,
                fathom_json_parse(root, context, (const char *)data, (size_t)size, fathom_bytes_name(bytes)));
    fathom_memory_free(context, data);
    fathom_bytes_close(bytes);
    return status;
}

fathom_status fathom_json_read(fathom_json **root, fathom_context *context, const char *path)
{
    return fathom_json_read_within(root, context, path, size_limit);
}
