/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of columns by their content. With m cells that are not missing:
 *
 *   text        digits of one length, five or more, some with a 0 in front: codes such as 01234, whatever stands below
 *   number      all are numbers, or numbers with one unit (12 kg, $1,200); or nine of ten are, of more than 20 values, where the others then count as missing
 *   date        all are dates, with the day and the month in one order
 *   category    everything else
 *   constant    one value throughout, or none
 *   identifier  texts of which more than half are different (m >= 20); whole numbers, all different, that run without a hole
 *               (m >= 20 from 0 or 1, m >= 200 from elsewhere) or stand under a name such as id (m >= 10)
 *
 * Constants and identifiers are dropped unless they are to be kept. A category has at most 64 numbers:
 * those of its most frequent texts, the earlier by bytes first among equals.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "context_internal.h"
#include "date.h"
#include "decimal.h"
#include "memory.h"
#include "schema_internal.h"
#include "sort_numbers.h"

enum { CODE = 5, MOST_LINES = 25, MOST_CATEGORIES = 64, FEW_ROWS = 10, SOME_ROWS = 20, MANY_ROWS = 200 };

/* What is in the cells of a column. */
typedef struct column_look {
    int64_t n, present, numbers, day_first, month_first;
    int64_t quantities;          /* numbers, and numbers with the unit */
    char unit[FATHOM_UNIT_SIZE]; /* of the first number that has one; empty: none has */
    size_t length;               /* of the first text */
    int64_t digits, zeros;       /* texts of that length that are digits alone; those that begin with 0 */
    double *value;               /* n: numbers or seconds, NaN where there is none */
} column_look;

static void look_for_code(column_look *look, const char *text)
{
    const size_t length = strspn(text, "0123456789");
    look->length = look->present == 1 ? length : look->length;
    if (text[length] || length != look->length)
        return;
    look->digits++;
    look->zeros += *text == '0';
}

static bool are_codes(const column_look *look)
{
    return look->zeros > 0 && look->digits == look->present && look->length >= CODE;
}

/* A number with the unit of all others counts, and has its value. */
static void look_for_unit(column_look *look, int64_t i, const char *text, char decimal)
{
    char unit[FATHOM_UNIT_SIZE];
    double value;
    if (!fathom_sheet_unit(unit, &value, text, decimal) || (*look->unit && strcmp(unit, look->unit) != 0))
        return;
    memcpy(look->unit, unit, sizeof unit);
    look->quantities++;
    look->value[i] = value;
}

static void look_at_cells(column_look *look, const fathom_cell_view *view, int64_t column)
{
    for (int64_t i = 0; i < view->n; i++) {
        const char *text = fathom_cell_view_at(view, i, column);
        double seconds;
        look->value[i] = NAN;
        if (!text)
            continue;
        look->present++;
        look_for_code(look, text);
        if (fathom_sheet_number(&look->value[i], text, view->sheet->decimal))
            look->numbers++;
        else
            look_for_unit(look, i, text, view->sheet->decimal);
        look->month_first += fathom_date_parse(&seconds, text, FATHOM_DATE_MONTH_FIRST);
        look->day_first += fathom_date_parse(&seconds, text, FATHOM_DATE_DAY_FIRST);
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Moves what is not NaN to the front; how many. */
static int64_t gather_values(double *value, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(value[i]))
            value[count++] = value[i];
    return count;
}

/* The same in order. */
static int64_t sort_values(double *value, int64_t n)
{
    const int64_t count = gather_values(value, n);
    qsort(value, (size_t)count, sizeof *value, by_value);
    return count;
}

/* Middle of sorted values, or half of the two middle ones each. */
static double median_of(const double *sorted, int64_t count)
{
    const double low = sorted[(count - 1) / 2], high = sorted[count / 2];
    return low == high ? low : low / 2 + high / 2;
}

/* A name under which numbers are only names: id, customer_id, PassengerId, ... */
static bool is_identifier_name(const char *name)
{
    static const char *const words[] = {"id",    "index", "key",        "uuid",    "guid",
                                        "rowid", "row",   "unnamed: 0", "column 0"};
    const size_t size = strlen(name);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcasecmp(name, words[k]) == 0)
            return true;
    if (strncasecmp(name, "id_", 3) == 0)
        return true;
    if (size < 3 || strcasecmp(name + size - 2, "id") != 0)
        return false;
    const char before = name[size - 3];
    return !isalpha((unsigned char)before) || (islower((unsigned char)before) && name[size - 2] == 'I');
}

/* Sorted numbers that name rows. */
static bool numbers_identify(const double *sorted, int64_t count, const char *name)
{
    if (count < FEW_ROWS)
        return false;
    for (int64_t k = 0; k < count; k++)
        if (sorted[k] != floor(sorted[k]) || (k > 0 && sorted[k] == sorted[k - 1]))
            return false;
    const bool run = count >= (sorted[0] == 0 || sorted[0] == 1 ? SOME_ROWS : MANY_ROWS) &&
                     sorted[count - 1] - sorted[0] == (double)(count - 1);
    return run || is_identifier_name(name);
}

/* Notes what was made of a column, and says so. */
FATHOM_PRINTF(3, 4)
static fathom_status note_use(fathom_column *column, fathom_context *context, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fathom_schema_set_text(&column->use, context, text);
}

static fathom_status drop(fathom_column *column, fathom_context *context, fathom_column_kind kind,
                          const char *why)
{
    column->kind = kind;
    column->width = 0;
    column->indicator = false;
    return note_use(column, context, "dropped: %s", why);
}

/* A number of nines that stands at least twice at an end of the sorted values, further from the others than
 * they are from each other, or alone below 0 (from -99 on): such numbers often mean that nothing is known. NaN where
 * there is none. */
static double find_stand_in(const double *sorted, int64_t count)
{
    static const double words[] = {-9,  -99,  -999,  -9999,  -99999, 99,
                                   999, 9999, 99999, 999999, -999.9, 9999.9};
    for (int side = 0; side < 2; side++) {
        const double value = sorted[side ? count - 1 : 0];
        int64_t same = 0;
        bool word = false;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            word = word || value == words[k];
        while (same < count && sorted[side ? count - 1 - same : same] == value)
            same++;
        const int64_t low = side ? 0 : same, high = side ? count - 1 - same : count - 1;
        if (!word || same < 2 || high - low < 2)
            continue;
        const bool apart = fabs(value - sorted[side ? high : low]) > sorted[high] - sorted[low];
        if (apart || (value <= -99 && sorted[low] >= 0))
            return value;
    }
    return NAN;
}

/* Says that a number may stand for nothing: only who knows the table can tell. */
static void warn_of_stand_in(const fathom_column *column, fathom_context *context, const double *sorted,
                             int64_t count)
{
    char number[FATHOM_DECIMAL_SIZE];
    const double value = find_stand_in(sorted, count);
    if (isnan(value))
        return;
    fathom_decimal_format(number, value);
    fathom_log(context, FATHOM_LOG_WARNING,
               "column '%s': %s stands apart from all other values; if it means missing: --missing-text %s",
               column->name, number, number);
}

/* --- numbers and dates ---------------------------------------------------------------------------------- */

static fathom_status make_number(fathom_column *column, fathom_context *context, const double *sorted,
                                 int64_t count, int64_t others)
{
    char median[32], in[FATHOM_UNIT_SIZE + 8] = "";
    if (column->unit)
        snprintf(in, sizeof in, " in %s", column->unit);
    column->as = FATHOM_COLUMN_NUMBER;
    column->median = median_of(sorted, count);
    column->indicator = column->missing > 0;
    column->width = 1 + column->indicator;
    if (!column->indicator)
        return note_use(column, context, "a number%s", in);
    snprintf(median, sizeof median, "%.10g", column->median); /* halfway between two numbers of few digits */
    if (others > 0)
        return note_use(column, context,
                        "a number%s, %s where it is missing or no number (%lld cell%s), with an indicator",
                        in, median, (long long)others, others == 1 ? "" : "s");
    return note_use(column, context, "a number%s, %s (the median) where it is missing, with an indicator", in,
                    median);
}

/* Sorts `value` on the way. */
static fathom_status judge_numbers(fathom_column *column, fathom_context *context, double *value, int64_t n,
                                   int64_t others, bool keep)
{
    const int64_t count = gather_values(value, n);
    double *room = fathom_memory_alloc(context, count, sizeof *room);
    if (!room)
        return FATHOM_ERROR_MEMORY;
    fathom_sort_numbers(value, room, count); /* of every column of a long table */
    fathom_memory_free(context, room);
    column->kind = FATHOM_COLUMN_NUMBER;
    if (count == 0)
        return drop(column, context, FATHOM_COLUMN_CONSTANT, "nothing is there");
    const fathom_status status = make_number(column, context, value, count, others);
    const bool constant = value[0] == value[count - 1] && column->missing == 0;
    const bool identifier = !constant && numbers_identify(value, count, column->name);
    column->kind = constant     ? FATHOM_COLUMN_CONSTANT
                   : identifier ? FATHOM_COLUMN_IDENTIFIER
                                : FATHOM_COLUMN_NUMBER;
    if (column->kind == FATHOM_COLUMN_NUMBER)
        warn_of_stand_in(column, context, value, count);
    if (status != FATHOM_OK || keep || !(constant || identifier))
        return status;
    return drop(column, context, column->kind, constant ? "always the same" : "another number in every row");
}

static bool part_varies(const double *value, int64_t n, fathom_date_part part)
{
    double first = NAN;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(value[i]))
            continue;
        const double now = fathom_date_part_of(value[i], part);
        if (isnan(first))
            first = now;
        else if (now != first)
            return true;
    }
    return false;
}

static fathom_status judge_dates(fathom_column *column, fathom_context *context, column_look *look,
                                 const fathom_cell_view *view, int64_t place, bool keep)
{
    static const char *const words[] = {"year", "month", "weekday", "hour"};
    char parts[64] = "";
    column->kind = column->as = FATHOM_COLUMN_DATE;
    column->order = look->month_first == look->present ? FATHOM_DATE_MONTH_FIRST : FATHOM_DATE_DAY_FIRST;
    const bool open = look->month_first == look->day_first;
    bool both = false;
    for (int64_t i = 0; i < view->n; i++) {
        const char *text = fathom_cell_view_at(view, i, place);
        double other;
        look->value[i] = NAN;
        if (text && fathom_date_parse(&look->value[i], text, column->order) && open)
            both =
                both || (fathom_date_parse(&other, text, FATHOM_DATE_DAY_FIRST) && other != look->value[i]);
    }
    for (int p = 0; p < 4; p++)
        if (part_varies(look->value, view->n, 1 << p)) {
            column->parts += 1 << p;
            column->width++;
            snprintf(parts + strlen(parts), sizeof parts - strlen(parts), "%s%s", *parts ? ", " : "",
                     words[p]);
        }
    if (column->parts == 0 && column->missing == 0) {
        column->parts = column->width = keep;
        return keep ? note_use(column, context, "year, always the same")
                    : drop(column, context, FATHOM_COLUMN_CONSTANT, "always the same");
    }
    column->indicator = column->missing > 0;
    column->width += column->indicator;
    column->median = median_of(look->value, sort_values(look->value, view->n));
    return note_use(column, context, "its %s%s%s", *parts ? parts : "presence",
                    column->indicator ? ", those of the median where it is missing, with an indicator" : "",
                    both ? " (read as month/day/year)" : "");
}

/* --- categories ----------------------------------------------------------------------------------------- */

/* Distinct texts of a column, and how often each is there. */
typedef struct text_count {
    const char *text;
    int64_t count;
} text_count;

static int by_count(const void *a, const void *b)
{
    const text_count *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const text_count *)a)->text, ((const text_count *)b)->text);
}

const char *fathom_category_text(char number[FATHOM_DECIMAL_SIZE], const fathom_column *column,
                                 const char *text, char decimal)
{
    double value;
    if (!column->spelled || !fathom_sheet_number(&value, text, decimal))
        return text;
    fathom_decimal_format(number, value);
    return number;
}

static fathom_status count_texts(fathom_dictionary *texts, text_count **count, fathom_context *context,
                                 const fathom_column *column, const fathom_cell_view *view, int64_t place)
{
    fathom_status status = FATHOM_OK;
    int64_t capacity = 0, number;
    void *block = NULL;
    for (int64_t i = 0; i < view->n && status == FATHOM_OK; i++) {
        char spelled[FATHOM_DECIMAL_SIZE];
        const char *text = fathom_cell_view_at(view, i, place);
        if (!text)
            continue;
        text = fathom_category_text(spelled, column, text, view->sheet->decimal);
        const int64_t before = texts->count;
        status = fathom_dictionary_add(texts, context, &number, text, strlen(text));
        FATHOM_THEN(status, fathom_memory_grow(context, &block, &capacity, texts->count, sizeof **count));
        *count = block;
        if (status == FATHOM_OK && texts->count > before)
            (*count)[number].count = 0;
        if (status == FATHOM_OK)
            (*count)[number].count++;
    }
    for (int64_t k = 0; k < texts->count && status == FATHOM_OK; k++)
        (*count)[k].text = fathom_dictionary_text(texts, k);
    return status;
}

/* The numbers of a category. */
static fathom_status make_category(fathom_column *column, fathom_context *context, text_count *count,
                                   int64_t texts)
{
    const int64_t kept = texts > MOST_CATEGORIES ? MOST_CATEGORIES : texts;
    qsort(count, (size_t)texts, sizeof *count, by_count);
    qsort(count, (size_t)kept, sizeof *count, by_text);
    const char **text = fathom_memory_alloc(context, kept, sizeof *text);
    if (!text)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < kept; k++)
        text[k] = count[k].text;
    fathom_status status =
        fathom_schema_set_texts(&column->category, &column->categories, context, text, kept);
    fathom_memory_free(context, text);
    column->as = FATHOM_COLUMN_CATEGORY;
    column->indicator = column->missing > 0;
    column->width = kept + column->indicator;
    if (status != FATHOM_OK)
        return status;
    return note_use(column, context, "one-hot: %s%lld text%s%s", kept < texts ? "the most frequent " : "",
                    (long long)kept, kept == 1 ? "" : "s",
                    column->indicator ? ", and missing as one more" : "");
}

static fathom_status judge_category(fathom_column *column, fathom_context *context,
                                    const fathom_cell_view *view, int64_t place, int64_t present,
                                    fathom_column_wish wish)
{
    fathom_dictionary texts = {0};
    text_count *count = NULL;
    fathom_status status = count_texts(&texts, &count, context, column, view, place);
    const bool constant = texts.count <= 1 && column->missing == 0;
    const bool identifier = present >= SOME_ROWS && 2 * texts.count > present;
    column->kind = FATHOM_COLUMN_CATEGORY;
    if (status == FATHOM_OK && (wish.keep || wish.category || !(constant || identifier)))
        status = make_category(column, context, count, texts.count);
    else if (status == FATHOM_OK)
        status = drop(column, context, constant ? FATHOM_COLUMN_CONSTANT : FATHOM_COLUMN_IDENTIFIER,
                      constant                 ? "always the same"
                      : texts.count == present ? "another text in every row"
                                               : "another text in most rows");
    if (status == FATHOM_OK && !wish.category && (constant || identifier))
        column->kind = constant ? FATHOM_COLUMN_CONSTANT : FATHOM_COLUMN_IDENTIFIER;
    fathom_memory_free(context, count);
    fathom_dictionary_free(context, &texts);
    return status;
}

/* --- the choice ----------------------------------------------------------------------------------------- */

/* Mostly numbers, of many values: a word among them stands for a number that is not known. */
static bool is_mostly_numbers(column_look *look, fathom_context *context)
{
    if (look->numbers == 0 || 10 * look->numbers < 9 * look->present)
        return false;
    double *copy = fathom_memory_alloc(context, look->n, sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, look->value, (size_t)look->n * sizeof *copy);
    const int64_t count = sort_values(copy, look->n);
    int64_t distinct = 1;
    for (int64_t k = 1; k < count; k++)
        distinct += copy[k] != copy[k - 1];
    fathom_memory_free(context, copy);
    return distinct > SOME_ROWS;
}

/* Not all cells have the unit: numbers alone are values. */
static void forget_units(column_look *look, const fathom_cell_view *view, int64_t place)
{
    for (int64_t i = 0; look->quantities > 0 && i < view->n; i++) {
        const char *text = fathom_cell_view_at(view, i, place);
        if (!text || !fathom_sheet_number(&look->value[i], text, view->sheet->decimal))
            look->value[i] = NAN;
    }
}

static fathom_status judge(fathom_column *column, fathom_context *context, column_look *look,
                           const fathom_cell_view *view, int64_t place, fathom_column_wish wish)
{
    const bool dates =
        look->present > 0 && (look->day_first == look->present || look->month_first == look->present);
    column->missing = look->n - look->present;
    column->spelled = look->numbers == look->present && !are_codes(look);
    if (wish.category || are_codes(look))
        return judge_category(column, context, view, place, look->present, wish);
    if (look->numbers == look->present)
        return judge_numbers(column, context, look->value, look->n, 0, wish.keep);
    if (look->numbers + look->quantities == look->present && look->quantities > 0) {
        FATHOM_TRY(fathom_schema_set_text(&column->unit, context, look->unit));
        return judge_numbers(column, context, look->value, look->n, 0, wish.keep);
    }
    forget_units(look, view, place);
    if (dates)
        return judge_dates(column, context, look, view, place, wish.keep);
    if (!is_mostly_numbers(look, context))
        return judge_category(column, context, view, place, look->present, wish);
    const int64_t words = look->present - look->numbers;
    column->missing += words;
    return judge_numbers(column, context, look->value, look->n, words, wish.keep);
}

fathom_status fathom_schema_judge(fathom_schema *schema, fathom_context *context, int64_t k,
                                  const fathom_cell_view *view, int64_t column, fathom_column_wish wish)
{
    fathom_column *made = fathom_schema_column(schema, k);
    column_look look = {.n = view->n, .value = fathom_memory_alloc(context, view->n, sizeof(double))};
    if (!look.value)
        return FATHOM_ERROR_MEMORY;
    look_at_cells(&look, view, column);
    fathom_status status = judge(made, context, &look, view, column, wish);
    fathom_memory_free(context, look.value);
    if (status == FATHOM_OK && wish.exclude)
        status = drop(made, context, made->kind, "as asked");
    return status;
}

void fathom_schema_say(const fathom_schema *schema, fathom_context *context)
{
    int64_t said = 0, kept = 0;
    for (int64_t k = 0; k < schema->columns; k++) {
        const fathom_column *column = &schema->column[k];
        if (column->width == 1 && column->as == FATHOM_COLUMN_NUMBER && !column->unit)
            continue;
        if (said < MOST_LINES)
            fathom_log(context, FATHOM_LOG_INFO, "column '%.80s': %s", column->name, column->use);
        kept += said++ >= MOST_LINES;
    }
    if (kept > 0)
        fathom_log(context, FATHOM_LOG_INFO, "and %lld more columns (--json lists them)", (long long)kept);
}

fathom_status fathom_schema_judge_numbers(fathom_schema *schema, fathom_context *context, int64_t k,
                                          const double *value, int64_t n, int64_t stride)
{
    fathom_column *made = fathom_schema_column(schema, k);
    double *copy = fathom_memory_alloc(context, n, sizeof *copy);
    if (!copy)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        copy[i] = value[i * stride];
        made->missing += isnan(copy[i]);
    }
    const fathom_status status = judge_numbers(made, context, copy, n, 0, true);
    fathom_memory_free(context, copy);
    return status;
}
