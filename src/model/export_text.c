/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, names of classes and identifiers of exported C. */
#include "export_text.h"

#include <ctype.h>
#include <string.h>

#include "context_internal.h"
#include "decimal.h"
#include "model_internal.h"

void fathom_export_put_string(fathom_file *file, const char *text)
{
    fathom_file_print(file, "\"");
    for (const char *at = text; *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (byte < 32 || byte > 126 || byte == '"' || byte == '\\' || byte == '?')
            fathom_file_print(file, "\\%03o", byte);
        else
            fathom_file_print(file, "%c", byte);
    }
    fathom_file_print(file, "\"");
}

void fathom_export_put_number(fathom_file *file, double value, bool narrow)
{
    char text[FATHOM_DECIMAL_SIZE + 4];
    fathom_decimal_format(text, narrow ? (double)(float)value : value);
    fathom_file_print(file, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", narrow ? "f" : "");
}

void fathom_export_put_class_names(fathom_file *file, const fathom_model *model, const char *name)
{
    if (!model->classes)
        return;
    fathom_file_print(file, "\n%s_API const char *const %s_class_name[%lld] = {", name, name,
                      (long long)model->classes);
    for (int64_t k = 0; k < model->classes; k++) {
        fathom_file_print(file, k ? ", " : "");
        fathom_export_put_string(file, model->class_name[k]);
    }
    fathom_file_print(file, "};\n");
}

fathom_status fathom_export_check_name(const fathom_model *model, const char *name)
{
    bool good = name[0] && strlen(name) <= 40 && !isdigit((unsigned char)name[0]);
    for (const char *at = name; *at; at++)
        good = good && (isalnum((unsigned char)*at) || *at == '_');
    return good ? FATHOM_OK
                : fathom_error_set(model->context, FATHOM_ERROR_USAGE,
                                   "--name %.60s: expected a C identifier of at most 40 letters", name);
}
