/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions as CSV: output (or output1, output2, ...), class, and one column of probabilities per class.
 *
 * Names are quoted as RFC 4180 asks, so that a class called `a,"b"` reads back as itself.
 */
#include <string.h>

#include "fathom/model.h"
#include "file_write.h"

/* A field of text, in quotes where it contains a separator, a quote or a line end. */
static void write_field(fathom_file *file, const char *prefix, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fathom_file_print(file, "%s%s", prefix, text);
        return;
    }
    fathom_file_print(file, "\"%s", prefix);
    for (; *text; text++)
        fathom_file_print(file, *text == '"' ? "\"\"" : "%c", *text);
    fathom_file_print(file, "\"");
}

static void write_header(fathom_file *file, const fathom_prediction *p, const fathom_classes *classes)
{
    for (int64_t k = 0; k < p->outputs; k++) {
        fathom_file_print(file, "%soutput", k ? "," : "");
        if (p->outputs > 1)
            fathom_file_print(file, "%lld", (long long)(k + 1));
    }
    if (p->label)
        fathom_file_print(file, ",class");
    for (int64_t k = 0; p->probability && k < p->classes; k++) {
        fathom_file_print(file, ",");
        write_field(file, "probability_", classes->name[k]);
    }
    fathom_file_print(file, "\n");
}

static void write_row(fathom_file *file, const fathom_prediction *p, const fathom_classes *classes, int64_t i)
{
    for (int64_t k = 0; k < p->outputs; k++) {
        fathom_file_print(file, k ? "," : "");
        fathom_file_write_number(file, p->output[i * p->outputs + k]);
    }
    if (p->label) {
        fathom_file_print(file, ",");
        write_field(file, "", p->label[i] < 0 ? "" : classes->name[p->label[i]]);
    }
    for (int64_t k = 0; p->probability && k < p->classes; k++) {
        fathom_file_print(file, ",");
        fathom_file_write_number(file, p->probability[i * p->classes + k]);
    }
    fathom_file_print(file, "\n");
}

fathom_status fathom_prediction_write(const fathom_prediction *prediction, const fathom_model *model,
                                      const char *path)
{
    const fathom_classes classes = fathom_model_look(model).classes;
    fathom_file *file;
    FATHOM_TRY(fathom_file_create(&file, prediction->context, path));
    write_header(file, prediction, &classes);
    for (int64_t i = 0; i < prediction->n; i++)
        write_row(file, prediction, &classes, i);
    return fathom_file_commit(file);
}
