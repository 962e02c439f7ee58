/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the fields of a text table are written: what separates them, whether numbers have a decimal comma,
 * which lines are comments.
 *
 * What was not said is read off the first lines. A separator fits where it cuts all of them into the same
 * number of fields, at least two; of those that fit the one with the largest share of numbers, then of
 * most fields, then the first of the list is taken. Numbers have decimal commas where commas separate
 * nothing, some field is a number with one and none is a number with a point. 1,234,567.5 (with decimal
 * commas 1.234.567,5; 1'234'567; 1 234 567) is a number with separators of thousands. Texts stand between
 * single quotes where every one of those opens or closes a field or is doubled inside, and no double quote
 * is elsewhere. Lines that begin with # or % are comments where the other lines have another number of
 * fields; lines of --- between | or + are rules of a table drawn in text. "sep=;" in the first line names the
 * separator, as Excel has it. Lines of one text at most are titles where a line of names follows them, and
 * numbers below that.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "context_internal.h"
#include "csv_internal.h"
#include "number.h"
#include "sheet.h"

enum { LINES = 50, COMMENTS = 10, MARKS = 5, LONGEST = 64 };
static const char marks[MARKS] = {'\t', ';', '|', ',', ' '};

bool csv_has_thousands(const char *text, size_t size, char decimal)
{
    const char mark = decimal == '.' ? ',' : '.';
    size_t k = size > 0 && (text[0] == '-' || text[0] == '+'), run = 0, groups = 0;
    const size_t first = k;
    for (; k < size && (isdigit((unsigned char)text[k]) || text[k] == mark || text[k] == '\''); k++) {
        if (isdigit((unsigned char)text[k])) {
            run++;
            continue;
        }
        if (groups++ > 0 ? run != 3 : run < 1 || run > 3 || text[first] == '0')
            return false;
        run = 0;
    }
    return groups > 0 && run == 3 && (k == size || text[k] == decimal);
}

/* Copies text[0..size) without separators of thousands, its decimal comma as a point. */
static size_t make_plain(char plain[LONGEST], const char *text, size_t size, char decimal)
{
    const bool thousands = csv_has_thousands(text, size, decimal);
    size_t used = 0;
    for (size_t k = 0; k < size; k++)
        if (text[k] == decimal)
            plain[used++] = '.';
        else if (!thousands || (text[k] != '\'' && text[k] != ',' && text[k] != '.'))
            plain[used++] = text[k];
    return used;
}

/* (123) is -123, as accountants write it: whether there is such a number inside. */
static bool is_bracketed(const char *text, size_t size)
{
    return size > 2 && text[0] == '(' && text[size - 1] == ')' && text[1] >= '0' && text[1] <= '9';
}

fathom_number_outcome csv_number_parse(double *value, const csv_reader *csv, const char *text, size_t size)
{
    char plain[LONGEST], spelled[CSV_SPELLED];
    if (csv_is_spelled(text, size)) {
        size = csv_respell(spelled, text, size);
        text = spelled;
    }
    if (is_bracketed(text, size)) {
        const fathom_number_outcome inside = csv_number_parse(value, csv, text + 1, size - 2);
        *value = inside == FATHOM_NUMBER_OK ? -*value : *value;
        return inside;
    }
    size_t end;
    const bool percent = size > 1 && text[size - 1] == '%';
    size -= percent;
    const bool foreign = memchr(text, ',', size) || memchr(text, '\'', size) || csv->decimal == ',';
    if (foreign && size < sizeof plain &&
        (csv_has_thousands(text, size, csv->decimal) || (csv->decimal == ',' && !memchr(text, '.', size)))) {
        size = make_plain(plain, text, size, csv->decimal);
        text = plain;
    }
    const fathom_number_outcome outcome = fathom_number_parse(value, &end, text, size);
    if (percent && outcome == FATHOM_NUMBER_OK)
        *value /= 100;
    return outcome != FATHOM_NUMBER_INVALID && end != size ? FATHOM_NUMBER_INVALID : outcome;
}

bool csv_truth_parse(double *value, const char *text, size_t size)
{
    static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strlen(words[k]) == size && memcmp(words[k], text, size) == 0) {
            *value = (double)(k % 2);
            return true;
        }
    return false;
}

/* What one separator makes of the lines. */
typedef struct tally {
    int64_t fields;  /* of the first line */
    bool fits;       /* of all of them */
    int64_t numbers; /* with a point or whole */
    int64_t points;  /* with a point */
    int64_t commas;  /* numbers with a comma */
    int64_t clear;   /* those whose comma separates no thousands */
    int64_t inside;  /* commas inside numbers */
    int64_t count;   /* fields of all lines */
    int64_t filled;  /* those that are not empty */
} tally;

static int64_t count_commas(const char *text, size_t size)
{
    int64_t count = 0;
    for (size_t k = 0; k < size; k++)
        count += text[k] == ',';
    return count;
}

/* A number with a unit tells its decimal mark, where that can be no separator of thousands. */
static void judge_quantity(tally *t, const char *text, size_t size, char mark)
{
    char copy[LONGEST], unit[FATHOM_UNIT_SIZE];
    double value;
    if (size >= sizeof copy)
        return;
    memcpy(copy, text, size);
    copy[size] = 0;
    const bool by_point = fathom_sheet_unit(unit, &value, copy, '.'),
               by_comma = mark != ',' && strchr(copy, ',') && fathom_sheet_unit(unit, &value, copy, ',');
    t->commas += by_comma && !by_point;
    t->clear += by_comma && !by_point;
    t->inside += by_comma || by_point ? count_commas(copy, size) : 0;
    t->points += strchr(copy, '.') && !fathom_sheet_unit(unit, &value, copy, ',') &&
                 fathom_sheet_unit(unit, &value, copy, '.');
}

/* A field as a number in either way of writing: where commas do not separate, 1,234 has a decimal comma. */
static void judge_field(tally *t, const char *text, size_t size, char mark, char quote)
{
    double value;
    const csv_reader point = {.decimal = '.'}, comma = {.decimal = ','};
    while (size > 0 && (*text == ' ' || *text == quote)) {
        text++;
        size--;
    }
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\r' || text[size - 1] == quote))
        size--;
    t->count++;
    if (size == 0)
        return;
    t->filled++;
    if (mark != ',' && memchr(text, ',', size) &&
        csv_number_parse(&value, &comma, text, size) != FATHOM_NUMBER_INVALID) {
        t->commas++;
        t->clear += !csv_has_thousands(text, size, '.');
        t->inside += count_commas(text, size);
    } else if (csv_number_parse(&value, &point, text, size) != FATHOM_NUMBER_INVALID) {
        t->numbers++;
        t->points += memchr(text, '.', size) != NULL && !csv_has_thousands(text, size, ',');
    } else {
        judge_quantity(t, text, size, mark);
    }
}

/* Cuts one line; returns its number of fields. Runs of spaces are one separator. */
static int64_t cut_line(tally *t, const char *line, size_t size, char mark, char quote)
{
    int64_t fields = 0;
    bool quoted = false;
    size_t from = 0;
    while (line[size - 1] == '\r' || (mark == ' ' && line[size - 1] == ' ')) /* the line is not blank */
        size--;
    while (mark == ' ' && line[from] == ' ')
        from++;
    for (size_t k = from; k <= size; k++) {
        if (k < size && line[k] == quote)
            quoted = !quoted;
        if (k < size && (quoted || line[k] != mark))
            continue;
        judge_field(t, line + from, k - from, mark, quote);
        fields++;
        while (mark == ' ' && k + 1 < size && line[k + 1] == ' ')
            k++;
        from = k + 1;
    }
    return fields;
}

static bool is_comment_mark(char c) { return c == '#' || c == '%'; }

/* Nothing, or the rule of a table drawn in text: |---|:---| or ----+----. */
static bool is_blank(const char *line, size_t size)
{
    size_t run = 0;
    bool rule = false, other = false;
    for (size_t k = 0; k < size; k++) {
        if (!memchr(" \r|+:-", line[k], 6))
            return false;
        run = line[k] == '-' ? run + 1 : 0;
        rule = rule || run >= 3;
        other = other || (line[k] != ' ' && line[k] != '\r');
    }
    return rule || !other;
}

/* Reads on until the window has a whole line that is neither blank nor begun by a comment's mark, or the file ends:
 * the lines before the first row may be many, and long. */
static fathom_status reach_row(fathom_text *text)
{
    fathom_status status = FATHOM_OK;
    for (size_t distance = 0; status == FATHOM_OK;) {
        const char *line = text->data + text->start + distance;
        const size_t left = text->end - text->start - distance;
        const char *end = memchr(line, '\n', left);
        if (end && !is_blank(line, (size_t)(end - line)) && !is_comment_mark(*line))
            break;
        if (end)
            distance += (size_t)(end - line) + 1;
        else if (text->last)
            break;
        else
            status = fathom_text_more(text);
    }
    return status;
}

/* The first lines of the window that are whole, blank ones left out, and of comments but the first. */
typedef struct sample {
    const char *line[LINES];
    size_t size[LINES];
    int count;
    char quote;
    bool titles; /* may be there */
} sample;

static void take_sample(sample *s, const csv_reader *csv)
{
    const fathom_text *text = &csv->text;
    int comments = 0;
    s->count = 0;
    for (size_t at = text->start; at < text->end && s->count < LINES;) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->end - at);
        const size_t size = end ? (size_t)(end - line) : text->end - at;
        const bool comment = size > 0 && is_comment_mark(*line);
        if ((end || text->last) && !is_blank(line, size) && !(comment && comments++ >= COMMENTS)) {
            s->line[s->count] = line;
            s->size[s->count++] = size;
        }
        at += size + 1;
    }
}

static bool is_end(char c) { return c == '\r' || memchr(marks, c, MARKS); }

/* The pairs of single quotes of a line that open behind a separator and close before one, two of them inside
 * a pair being one of the text; -1 where other single quotes, or a double one outside of pairs, are there. */
static int64_t count_pairs(const char *line, size_t size)
{
    int64_t pairs = 0;
    bool open = false;
    for (size_t k = 0; k < size; k++) {
        const char before = k > 0 ? line[k - 1] : ',', after = k + 1 < size ? line[k + 1] : ',';
        if (line[k] == '"' && !open)
            return -1;
        if (line[k] != '\'')
            continue;
        if (open && after == '\'')
            k++;
        else if (!is_end(open ? after : before))
            return -1;
        else
            pairs += open = !open;
    }
    return open ? -1 : pairs;
}

/* Single quotes where there are some, and all of them enclose fields. */
static char find_quote(const sample *s)
{
    int64_t total = 0;
    for (int k = 0; k < s->count; k++) {
        const int64_t pairs = count_pairs(s->line[k], s->size[k]);
        if (pairs < 0)
            return '"';
        total += pairs;
    }
    return total > 0 ? '\'' : '"';
}

/* Lines of one text at most before a line of names, with numbers below it: where the names are. 0: no titles. */
static int find_names(const sample *s, char mark)
{
    tally below = {0};
    bool titles = false;
    for (int k = 0; k < s->count && mark != ' '; k++) {
        tally line = {0};
        if (is_comment_mark(*s->line[k]))
            continue;
        const int64_t fields = cut_line(&line, s->line[k], s->size[k], mark, s->quote);
        if (line.filled <= 1 && line.numbers + line.commas == 0) {
            titles = true;
            continue;
        }
        if (line.filled < fields || line.numbers + line.commas > 0)
            return 0;
        for (int l = k + 1; l < s->count; l++)
            cut_line(&below, s->line[l], s->size[l], mark, s->quote);
        return titles && below.numbers + below.commas > 0 ? k : 0;
    }
    return 0;
}

/* The lines of a sample that are, or are not, begun by a comment's mark. */
static tally count_lines(const sample *s, char mark, bool comments)
{
    tally t = {.fits = true};
    for (int k = s->titles ? find_names(s, mark) : 0; k < s->count; k++) {
        if (is_comment_mark(*s->line[k]) != comments)
            continue;
        const int64_t fields = cut_line(&t, s->line[k], s->size[k], mark, s->quote);
        t.fits = t.fits && (t.fields == 0 || t.fields == fields);
        t.fields = t.fields == 0 ? fields : t.fields;
    }
    return t;
}

/* A comment's mark that no word is joined to: "# text", "##", unlike "#ff0000". */
static bool is_plain_comment(const char *line, size_t size)
{
    return is_comment_mark(line[0]) && (size == 1 || strchr(" \t\r#%", line[1]));
}

/* Whether several plain comments lead, and no line with a mark comes later: no header, and no column of such texts. */
static bool comments_lead(const sample *s)
{
    int leading = 0, later = 0;
    while (leading < s->count && is_plain_comment(s->line[leading], s->size[leading]))
        leading++;
    for (int k = leading; k < s->count; k++)
        later += is_comment_mark(*s->line[k]);
    return leading > 1 && later == 0;
}

/* Whether `a` is the better separator. */
static bool is_better(const tally *a, const tally *b)
{
    const double left = (double)(a->numbers + a->commas) * (double)b->count;
    const double right = (double)(b->numbers + b->commas) * (double)a->count;
    return left != right ? left > right : a->fields > b->fields;
}

/* Whether all commas of the lines stand inside numbers of the fields that another mark makes: then they separate none. */
static bool commas_are_inside(const sample *s, const tally *t)
{
    int64_t commas = 0;
    for (int k = s->titles ? 1 : 0; k < s->count; k++)
        commas += is_comment_mark(*s->line[k]) ? 0 : count_commas(s->line[k], s->size[k]);
    return t->fits && t->fields > 1 && commas > 0 && t->inside == commas;
}

static char choose_separator(const sample *s)
{
    tally best = {0};
    char chosen = ',';
    bool inside = false;
    if (count_lines(s, ',', false).fields <=
        1) /* where none fits, the first line's: a row is then wrong, not all */
        for (int k = MARKS - 2; k >= 0; k--)
            chosen = count_lines(s, marks[k], false).fields > 1 ? marks[k] : chosen;
    for (int k = 0; k < MARKS; k++) {
        const tally t = count_lines(s, marks[k], false);
        inside = inside || commas_are_inside(s, &t);
        if (inside && marks[k] == ',')
            continue;
        if (t.fits && t.fields > 1 && (best.count == 0 || is_better(&t, &best))) {
            best = t;
            chosen = marks[k];
        }
    }
    return chosen;
}

static void say_dialect(const csv_reader *csv)
{
    const char *separator = csv->separator == '\t'  ? "tabs"
                            : csv->separator == ' ' ? "spaces"
                            : csv->separator == ';' ? "semicolons"
                                                    : "bars";
    fathom_log(csv->context, FATHOM_LOG_INFO, "fields are separated by %s%s", separator,
               csv->decimal == ',' ? ", numbers have decimal commas" : "");
}

/* Moves the window behind `bytes` of it. */
static void pass_over(csv_reader *csv, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++)
        csv->text.line += csv->text.data[csv->text.start + k] == '\n';
    csv->text.start += bytes;
    csv->passed = true;
}

/* The separator that a first line "sep=;" names, 0 where there is no such line, which is then passed over. */
static char read_excel_mark(csv_reader *csv)
{
    const char *line = csv->text.data + csv->text.start;
    const size_t left = csv->text.end - csv->text.start;
    const char *end = memchr(line, '\n', left);
    size_t size = end ? (size_t)(end - line) : 0;
    const size_t quote = size > 0 && line[0] == '"';
    size -= size > 0 && line[size - 1] == '\r';
    if (size != 5 + 2 * quote || strncasecmp(line + quote, "sep=", 4) != 0 ||
        (quote && line[size - 1] != '"'))
        return 0;
    const char mark = line[quote + 4];
    pass_over(csv, (size_t)(end - line) + 1);
    return memchr(marks, mark, MARKS) ? mark : 0;
}

static void pass_over_titles(csv_reader *csv, const sample *s)
{
    const int titles = s->titles ? find_names(s, csv->separator) : 0;
    if (titles == 0)
        return;
    pass_over(csv, (size_t)(s->line[titles] - (csv->text.data + csv->text.start)));
    fathom_log(csv->context, FATHOM_LOG_INFO,
               "%d line%s left out before the names of the columns (--header no: none)", titles,
               titles == 1 ? " is" : "s are");
}

fathom_status csv_dialect_choose(csv_reader *csv, char preset)
{
    const fathom_table_request *request = csv->request;
    FATHOM_TRY(reach_row(&csv->text));
    const char excel = read_excel_mark(csv);
    FATHOM_TRY(reach_row(&csv->text));
    sample s = {.titles = request->header >= 0};
    take_sample(&s, csv);
    s.quote = csv->quote = find_quote(&s);
    csv->separator = request->separator ? request->separator
                     : excel            ? excel
                     : preset           ? preset
                                        : choose_separator(&s);
    pass_over_titles(csv, &s);
    const tally rows = count_lines(&s, csv->separator, false);
    const tally comments = count_lines(&s, csv->separator, true);
    const bool alike = comments.fits && comments.fields == rows.fields && !comments_lead(&s);
    csv->comments = rows.count > 0 && comments.count > 0 && !alike;
    csv->decimal = '.';
    if (csv->separator != ',' && rows.commas > 0 && (rows.points == 0 || rows.clear > rows.points))
        csv->decimal = ',';
    if (request->decimal)
        csv->decimal = request->decimal;
    if (csv->separator != ',' && csv->separator != preset && !request->separator)
        say_dialect(csv);
    csv->table->origin.other_dialect =
        csv->separator != ',' || csv->decimal != '.' || csv->quote != '"' || csv->passed;
    return FATHOM_OK;
}

bool csv_line_is_idle(const csv_reader *csv, size_t offset, size_t *next, bool *more)
{
    const fathom_text *text = &csv->text;
    const char *line = text->data + offset, *end = memchr(line, '\n', text->end - offset);
    const size_t size = end ? (size_t)(end - line) : text->end - offset;
    const bool blank = is_blank(line, size), comment = csv->comments && is_comment_mark(*line);
    *next = offset + size + (end != NULL);
    *more = (blank || comment) && !end && !text->last;
    return (blank || comment) && !*more;
}

bool csv_line_is_head(const csv_reader *csv, size_t offset, size_t *next)
{
    const size_t size = csv->head_size, left = csv->text.end - offset;
    const char *line = csv->text.data + offset;
    if (size == 0 || left < size || memcmp(line, csv->head, size) != 0)
        return false;
    const size_t behind = size + (left > size && line[size] == '\r'); /* a zero byte is behind the window */
    *next = offset + behind + (line[behind] == '\n');
    return line[behind] == '\n' || (csv->text.last && left == behind);
}
