/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of a model as C99: rows of the table become columns as in schema_design.c.
 *
 * A number or date is a double, NAN where it is missing, a date in seconds since 1970; a category is a text, NULL
 * where it is missing, or a double where its texts are numbers. Members have the names of the columns, spelled
 * as C identifiers; where that is a keyword or taken, the number of the column follows.
 */
#include "export_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export_text.h"
#include "memory.h"

enum { MEMBER = 40, ROOM = MEMBER + 24 };

typedef char member_name[ROOM];

typedef struct schema_writer {
    fathom_file *file;
    const fathom_schema *schema;
    member_name *member; /* one for each column */
    const char *name;
} schema_writer;

static bool is_keyword(const char *text)
{
    static const char *const words[] = {
        "alignas",   "alignof",  "and",      "asm",      "auto",         "bitand",   "bitor",     "bool",
        "break",     "case",     "catch",    "char",     "class",        "compl",    "concept",   "const",
        "constexpr", "continue", "decltype", "default",  "delete",       "do",       "double",    "else",
        "enum",      "explicit", "export",   "extern",   "false",        "float",    "for",       "friend",
        "goto",      "if",       "inline",   "int",      "long",         "mutable",  "namespace", "new",
        "noexcept",  "not",      "nullptr",  "operator", "or",           "private",  "protected", "public",
        "register",  "requires", "restrict", "return",   "short",        "signed",   "sizeof",    "static",
        "struct",    "switch",   "template", "this",     "thread_local", "throw",    "true",      "try",
        "typedef",   "typeid",   "typename", "typeof",   "union",        "unsigned", "using",     "virtual",
        "void",      "volatile", "wchar_t",  "while",    "xor"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(words[k], text) == 0)
            return true;
    return false;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Whether a column before has the name. */
static bool is_taken(const schema_writer *w, int64_t column)
{
    for (int64_t k = 0; k < column; k++)
        if (strcmp(w->member[k], w->member[column]) == 0)
            return true;
    return false;
}

/* The column's name as an identifier of its own. */
static void spell_member(schema_writer *w, int64_t column)
{
    char *out = w->member[column];
    const char *text = w->schema->column[column].name;
    size_t size = 0;
    if (!is_letter(*text))
        out[size++] = 'c';
    for (; *text && size < MEMBER; text++)
        out[size++] = is_letter(*text) || (*text >= '0' && *text <= '9') ? *text : '_';
    out[size] = 0;
    if (is_keyword(out) || is_taken(w, column))
        size += (size_t)snprintf(out + size, 22, "_%lld", (long long)column);
    while (is_taken(w, column) && size + 1 < ROOM) {
        out[size++] = '_';
        out[size] = 0;
    }
}

static bool is_text(const fathom_column *column)
{
    return column->as == FATHOM_COLUMN_CATEGORY && !column->spelled;
}

static void put_row(const schema_writer *w)
{
    fathom_file_print(
        w->file,
        "\n/* A row of the table. What is missing is NAN, or NULL for texts; dates are seconds since "
        "1970-01-01. */\ntypedef struct %s_row {\n",
        w->name);
    for (int64_t k = 0; k < w->schema->columns; k++) {
        const fathom_column *column = &w->schema->column[k];
        if (column->width == 0)
            continue;
        fathom_file_print(w->file, "    %s%s;%s\n", is_text(column) ? "const char *" : "double ",
                          w->member[k], column->as == FATHOM_COLUMN_DATE ? " /* a date */" : "");
    }
    fathom_file_print(w->file, "} %s_row;\n", w->name);
}

static void put_categories(const schema_writer *w, int64_t k)
{
    const fathom_column *column = &w->schema->column[k];
    if (column->as != FATHOM_COLUMN_CATEGORY || column->categories == 0)
        return;
    fathom_file_print(w->file, "%s_CONST %s%s_%s_is[%lld] = {", w->name,
                      column->spelled ? "double " : "char *const ", w->name, w->member[k],
                      (long long)column->categories);
    for (int64_t c = 0; c < column->categories; c++) {
        fathom_file_print(w->file, c ? ", " : "");
        if (column->spelled)
            fathom_export_put_number(w->file, strtod(column->category[c], NULL), false);
        else
            fathom_export_put_string(w->file, column->category[c]);
    }
    fathom_file_print(w->file, "};\n");
}

/* The calendar of date.c. */
static void put_calendar(const schema_writer *w)
{
    const char *n = w->name;
    fathom_file_print(
        w->file,
        "\nstatic long %s_year_start(long year)\n{\n    const long y = year - 1;\n"
        "    return 365 * y + y / 4 - y / 100 + y / 400 - 719162L;\n}\n\n"
        "/* The year with its share, the month, the weekday (1: Monday) and the hour with its share. */\n"
        "static void %s_date(double seconds, double part[4])\n{\n"
        "    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};\n"
        "    const double day = floor(seconds / 86400), time = seconds - 86400 * day;\n"
        "    long year = 1970 + (long)floor(day / 365.2425), left, month = 0;\n"
        "    while (%s_year_start(year) > (long)day)\n        year--;\n"
        "    while (%s_year_start(year + 1) <= (long)day)\n        year++;\n"
        "    const long first = %s_year_start(year), leap = %s_year_start(year + 1) - first == 366;\n"
        "    for (left = (long)day - first; left >= days[month] + (month == 1 && leap); month++)\n"
        "        left -= days[month] + (month == 1 && leap);\n"
        "    part[0] = (double)year + (seconds - 86400.0 * (double)first) / (86400.0 * (leap ? 366.0 : "
        "365.0));\n"
        "    part[1] = (double)month + 1;\n"
        "    part[2] = day + 3 - 7 * floor((day + 3) / 7) + 1;\n"
        "    part[3] = time / 3600;\n}\n",
        n, n, n, n, n, n);
}

static void put_category_code(const schema_writer *w, int64_t k, int64_t place)
{
    const fathom_column *column = &w->schema->column[k];
    const char *m = w->member[k];
    const bool text = is_text(column);
    const int64_t last = place + column->width - 1;
    if (column->categories > 0 && text)
        fathom_file_print(
            w->file,
            "    for (i = 0; row->%s && i < %lld; i++)\n        x[%lld + i] = (%s_real)(strcmp(row->%s, "
            "%s_%s_is[i]) == 0);\n",
            m, (long long)column->categories, (long long)place, w->name, m, w->name, m);
    else if (column->categories > 0)
        fathom_file_print(
            w->file,
            "    for (i = 0; i < %lld; i++)\n        x[%lld + i] = (%s_real)(row->%s >= %s_%s_is[i] && "
            "row->%s <= %s_%s_is[i]);\n",
            (long long)column->categories, (long long)place, w->name, m, w->name, m, m, w->name, m);
    if (column->indicator && text)
        fathom_file_print(w->file, "    x[%lld] = (%s_real)!row->%s;\n", (long long)last, w->name, m);
    else if (column->indicator)
        fathom_file_print(w->file, "    x[%lld] = (%s_real)(row->%s != row->%s);\n", (long long)last, w->name,
                          m, m);
}

static void put_value_code(const schema_writer *w, int64_t k, int64_t place)
{
    const fathom_column *column = &w->schema->column[k];
    fathom_file_print(w->file,
                      "    value = row->%s;\n    missing = value != value;\n    if (missing)\n"
                      "        value = ",
                      w->member[k]);
    fathom_export_put_number(w->file, column->median, false);
    fathom_file_print(w->file, ";\n");
    if (column->as == FATHOM_COLUMN_DATE)
        fathom_file_print(w->file, "    %s_date(value, part);\n", w->name);
    else
        fathom_file_print(w->file, "    x[%lld] = (%s_real)value;\n", (long long)place++, w->name);
    for (int p = 0; column->as == FATHOM_COLUMN_DATE && p < 4; p++)
        if (column->parts & (1 << p))
            fathom_file_print(w->file, "    x[%lld] = (%s_real)part[%d];\n", (long long)place++, w->name, p);
    if (column->indicator)
        fathom_file_print(w->file, "    x[%lld] = (%s_real)missing;\n", (long long)place, w->name);
}

static void put_encode(const schema_writer *w, bool dates)
{
    const char *n = w->name;
    int64_t place = 0;
    fathom_file_print(
        w->file,
        "\n%s_API void %s_encode(const %s_row *row, %s_real *x)\n{\n    int i, missing;\n"
        "    double value;\n%s    for (i = 0; i < %s_INPUTS; i++)\n        x[i] = 0;\n    (void)value;\n"
        "    (void)missing;\n",
        n, n, n, n, dates ? "    double part[4];\n" : "", n);
    for (int64_t k = 0; k < w->schema->columns; k++) {
        const fathom_column *column = &w->schema->column[k];
        if (column->width == 0)
            continue;
        if (column->as == FATHOM_COLUMN_CATEGORY)
            put_category_code(w, k, place);
        else
            put_value_code(w, k, place);
        place += column->width;
    }
    fathom_file_print(
        w->file,
        "}\n\n%s_API void %s_predict_row(const %s_row *row, %s_real *out)\n{\n    %s_real x[%s_INPUTS];\n"
        "    %s_encode(row, x);\n    %s_predict(x, out);\n}\n",
        n, n, n, n, n, n, n, n);
}

bool fathom_export_has_dates(const fathom_schema *schema)
{
    for (int64_t k = 0; k < schema->columns; k++)
        if (schema->column[k].width > 0 && schema->column[k].as == FATHOM_COLUMN_DATE)
            return true;
    return false;
}

fathom_status fathom_export_put_row(fathom_file *file, fathom_context *context, const fathom_schema *schema,
                                    const char *name)
{
    schema_writer w = {file, schema, fathom_memory_zero(context, schema->columns + 1, sizeof *w.member),
                       name};
    if (!w.member)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < schema->columns; k++)
        spell_member(&w, k);
    put_row(&w);
    fathom_memory_free(context, w.member);
    return FATHOM_OK;
}

fathom_status fathom_export_put_schema(fathom_file *file, fathom_context *context,
                                       const fathom_schema *schema, const char *name)
{
    schema_writer w = {file, schema, fathom_memory_zero(context, schema->columns + 1, sizeof *w.member),
                       name};
    const bool dates = fathom_export_has_dates(schema);
    if (!w.member)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < schema->columns; k++)
        spell_member(&w, k);
    put_row(&w);
    for (int64_t k = 0; k < schema->columns; k++)
        put_categories(&w, k);
    if (dates)
        put_calendar(&w);
    put_encode(&w, dates);
    fathom_memory_free(context, w.member);
    return FATHOM_OK;
}
