/* SPDX-License-Identifier: Apache-2.0 */
/* Cells as they are written: headers found or not, names, empty ends, refusals with their place, units, columns matched by name. */
#include "io_testing.h"

#include "csv_internal.h"
#include "sheet.h"

static const fathom_table_request cells = {.format = FATHOM_FORMAT_CSV, .as_is = true};

static fathom_table *sheet_of(const char *text, const fathom_table_request *request)
{
    fathom_table *table;
    assert_ok(context, read_bytes_as(&table, "", text, strlen(text), request));
    return table;
}

/* A text, and its sheet: rows, whether it has a header, names and cells with bars between them. */
typedef struct expectation {
    const char *text;
    int header; /* asked for */
    int64_t rows;
    bool has;
    const char *names, *all;
} expectation;

static void joined(char *out, size_t room, const fathom_sheet *sheet, bool names)
{
    size_t used = 0;
    out[0] = 0;
    for (int64_t k = 0; k < (names ? sheet->columns : sheet->rows * sheet->columns); k++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", k ? "|" : "",
                                 names ? fathom_sheet_name(sheet, k) : sheet->text + sheet->start[k]);
}

static void headers(void **state)
{
    (void)state;
    static const expectation all[] = {
        {"a,b\n1,x\n2,y\n", 0, 2, true, "a|b", "1|x|2|y"},
        {"1,x\n2,y\n", 0, 2, false, "0|1", "1|x|2|y"},
        {"a,b\n1,x\n", -1, 2, false, "0|1", "a|b|1|x"},
        {"1,2\n3,4\n", 1, 1, true, "1|2", "3|4"},
        {"red,small\nblue,large\nred,large\nblue,small\n", 0, 4, false, "0|1",
         "red|small|blue|large|red|large|blue|small"},
        {"colour,size\nblue,large\nred,large\n", 0, 2, true, "colour|size", "blue|large|red|large"},
        {"a,,b\n1,2,3\n", 0, 1, true, "a|column 1|b", "1|2|3"},
        {"a,,\nx,y,z\n", 0, 2, false, "0|1|2", "a|||x|y|z"},
        {",\nx,y\n", 0, 2, false, "0|1", "||x|y"},
        {"a,a,a (2),a\n1,2,3,4\n", 0, 1, true, "a|a (2)|a (2) (2)|a (3)", "1|2|3|4"},
        {"a,b,\n1,2,\n3,4,\n", 0, 2, true, "a|b", "1|2|3|4"},
        {"a,b,\n1,2,\n3,4,5\n", 0, 2, true, "a|b|column 2", "1|2||3|4|5"},
        {"a,\n1,\n", 0, 1, true, "a|column 1", "1|"},
        {"a,b\n1,2,\n3,4,\n", 0, 2, true, "a|b", "1|2|3|4"},
        {"a;b\n1;2\n3;4;\r\n5;6; ", 0, 3, true, "a|b", "1|2|3|4|5|6"},
        {"a;b\n1,5;true\n", 0, 1, true, "a|b", "1,5|true"},
        {"a,b\n1,x\na,b\n2,y\na,b\n", 0, 2, true, "a|b", "1|x|2|y"},
        {"a;b\n1;x;\n\"a\";b;\n2;y;\n", 0, 2, true, "a|b", "1|x|2|y"},
        {"a,,b\n1,2,3\na,,b\n", 0, 1, true, "a|column 1|b", "1|2|3"},
        {"1,2\n3,4\n1,2\n", 1, 2, true, "1|2", "3|4|1|2"},
        {"\"a\nb\",c\n\"x\"\"y\", 2 \n", 0, 1, true, "a\nb|c", "x\"y|2"},
    };
    char many[200] = "name\n"; /* no number in the first twenty rows */
    for (int k = 0; k < 25; k++)
        strcat(many, k < 24 ? "x\n" : "1\n");
    fathom_table *long_one = sheet_of(many, &cells);
    assert_true(long_one->sheet->header && long_one->sheet->rows == 25);
    fathom_table_free(context, long_one);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char text[200];
        const fathom_table_request request = {
            .format = FATHOM_FORMAT_CSV, .as_is = true, .header = all[k].header};
        fathom_table *table = sheet_of(all[k].text, &request);
        assert_int_equal(table->sheet->rows, all[k].rows);
        assert_int_equal(table->n, all[k].rows);
        assert_int_equal(table->sheet->header, all[k].has);
        joined(text, sizeof text, table->sheet, true);
        assert_string_equal(text, all[k].names);
        joined(text, sizeof text, table->sheet, false);
        assert_string_equal(text, all[k].all);
        fathom_table_free(context, table);
    }
    fathom_sheet_free(context, NULL);
}

/* Names that the caller knows make a header of what does not look like one; other names do not. */
static void known_names(void **state)
{
    (void)state;
    fathom_column columns[] = {{.name = "1"}, {.name = "2"}, {.name = "9"}, {.name = "9"}};
    fathom_schema schema = {.columns = 4, .column = columns};
    fathom_table_request request = cells;
    request.likely = &schema;
    fathom_table *table = sheet_of("1,2\n3,4\n", &request);
    assert_true(table->sheet->header && table->sheet->rows == 1);
    fathom_table_free(context, table);
    table = sheet_of("5,6\n3,4\n", &request);
    assert_true(!table->sheet->header && table->sheet->rows == 2);
    fathom_table_free(context, table);
    schema.columns = 0;
    table = sheet_of("1,2\n3,4\n", &request);
    assert_false(table->sheet->header);
    fathom_table_free(context, table);
}

static void found_columns(void **state)
{
    (void)state;
    fathom_table *table = sheet_of(
        "a,b,7\n1,2,3\n", &(fathom_table_request){.format = FATHOM_FORMAT_CSV, .as_is = true, .header = 1});
    static const struct {
        const char *text;
        int64_t column;
    } all[] = {{"a", 0},
               {"b", 1},
               {"7", 2},
               {"0", 0},
               {"2", 2},
               {"3", -1},
               {"", -1},
               {"x", -1},
               {"1x", -1},
               {"1/", -1},
               {"99999999999999999999", -1},
               {"-1", -1}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        assert_int_equal(fathom_sheet_find(table->sheet, all[k].text), all[k].column);
    fathom_table_free(context, table);
}

static void refusals(void **state)
{
    (void)state;
    refuses_bytes("", "a,b\n1,2\n3\n", 10, &cells, 3, 2, "expected 2 columns, found 1");
    refuses_bytes("", "a,b\n1,2\n3", 9, &cells, 3, 2, "expected 2 columns, found 1");
    refuses_bytes("", "a,b\n1,2,3\n", 10, &cells, 2, 5, "found more");
    refuses_bytes("", "a,b\n1,2,,\n", 10, &cells, 2, 5, "found more");
    refuses_bytes("", "a,b\n1,x\0y\n", 10, &cells, 2, 3, "zero byte");
    refuses_bytes("", "a,b\n1,\"2\n", 9, &cells, 2, 3, "closing quote");
    refuses_bytes("", "a,b\n", 4, &cells, 2, 1, "expected rows under the names");
    refuses_bytes("", "\n\n", 2, &cells, 3, 1, "found nothing");
}

static const char *watched;

static fathom_status read_watched(fathom_context *c)
{
    fathom_column columns[] = {{.name = "a"}, {.name = "b"}};
    const fathom_schema schema = {.columns = 2, .column = columns};
    const fathom_table_request request = {.format = FATHOM_FORMAT_TSV, .as_is = true, .likely = &schema};
    fathom_table *table;
    fathom_bytes *bytes;
    fathom_status status = fathom_bytes_open_memory(&bytes, c, watched, strlen(watched), "watched");
    if (status == FATHOM_OK)
        status = fathom_table_read_bytes(&table, bytes, &request);
    if (status == FATHOM_OK)
        fathom_table_free(c, table);
    fathom_bytes_close(bytes);
    return status;
}

/* Every allocation fails in turn; windows of 2^18 bytes end inside of records. */
static void allocation_failures(void **state)
{
    (void)state;
    enum { SIZE = 600000 };
    char *large = malloc(SIZE + 100);
    size_t used = (size_t)sprintf(large, "a\ta\n");
    while (used < SIZE)
        used += (size_t)sprintf(large + used, "x\t\"1\"\n");
    watched = large;
    assert_true(survives_failures(read_watched) > 6);
    free(large);
}

static void units(void **state)
{
    (void)state;
    static const struct {
        const char *text, *unit; /* NULL: no number with a unit */
        double value;
        char decimal;
    } all[] = {
        {"12 kg", "kg", 12, '.'},
        {"3.5cm", "cm", 3.5, '.'},
        {"$1,200", "$", 1200, '.'},
        {"80 EUR", "EUR", 80, '.'},
        {"EUR 80", "EUR", 80, '.'},
        {"US$5", "US$", 5, '.'},
        {"Rs. 5", NULL, 0, '.'},
        {"-$5", "$", -5, '.'},
        {"- $5", "$", -5, '.'},
        {"($1,200)", "$", -1200, '.'},
        {"(12 kg)", "kg", -12, '.'},
        {"(-$5)", NULL, 0, '.'},
        {"((5 kg))", NULL, 0, '.'},
        {"(5 kg", NULL, 0, '.'},
        {"()", NULL, 0, '.'},
        {"(x)", NULL, 0, '.'},
        {"room 5", NULL, 0, '.'},
        {"A17", NULL, 0, '.'},
        {"5", NULL, 0, '.'},
        {"", NULL, 0, '.'},
        {"-", NULL, 0, '.'},
        {"kg", NULL, 0, '.'},
        {"5 /kg", NULL, 0, '.'},
        {"5 kg2", NULL, 0, '.'},
        {"5 k:g", NULL, 0, '.'},
        {"5 k\x01g", NULL, 0, '.'},
        {"\xe2\x82\xac 5", "\xe2\x82\xac", 5, '.'},
        {"12,5 kg", "kg", 12.5, ','},
        {"1.234,5 kg", "kg", 1234.5, ','},
        {"  7 kg  ", NULL, 0, '.'},
        {"7 a unit of too many letters", NULL, 0, '.'},
        {"1111111111111111111111111111111111111111111111111111111111111111111 kg", NULL, 0, '.'},
        {"(1111111111111111111111111111111111111111111111111111111111111111 kg)", NULL, 0, '.'},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char unit[FATHOM_UNIT_SIZE] = "";
        double value = 0;
        const bool found = fathom_sheet_unit(unit, &value, all[k].text, all[k].decimal);
        if (found != (all[k].unit != NULL) ||
            (found && (value != all[k].value || strcmp(unit, all[k].unit) != 0))) {
            print_error("'%s': %d, %g '%s'\n", all[k].text, found, value, unit);
            fail();
        }
    }
}

static void quantities(void **state)
{
    (void)state;
    double value;
    assert_true(fathom_sheet_quantity(&value, "12", '.', "kg") && value == 12);
    assert_true(fathom_sheet_quantity(&value, "12 kg", '.', "kg") && value == 12);
    assert_false(fathom_sheet_quantity(&value, "12 kg", '.', "cm"));
    assert_false(fathom_sheet_quantity(&value, "12 kg", '.', NULL));
    assert_false(fathom_sheet_quantity(&value, "kg", '.', "kg"));
    assert_true(fathom_sheet_number(&value, "True", '.') && value == 1);
    assert_false(fathom_sheet_number(&value, "", '.'));
    assert_false(fathom_sheet_number(&value, "x", '.'));
}

/* Columns of a model among those of a file, in any order, others left out; one that is missing is named beside what is left. */
static void known_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"b", "c=x", "c=y"};
    fathom_table_known known = {.count = 3, .name = names, .one_hot = true};
    const fathom_table_request request = {
        .format = FATHOM_FORMAT_CSV, .known = &known, .categorical = true, .no_target = true};
    fathom_table *table = sheet_of("p,c,b,q,r,s,t,u,v\n0,x,1,,,,,,\n0,y,2,,,,,,\n", &request);
    assert_true(table->n == 2 && table->d == 3);
    fathom_table_free(context, table);
    table = sheet_of("c,b\nx,1\ny,2\n", &request);
    assert_true(table->n == 2 && table->d == 3);
    fathom_table_free(context, table);
    refuses_bytes("", "b,d\n1,2\n", 8, &request, 1, 1,
                  "the model's column 'c' is missing; columns that it does not know: 'd'");
    refuses_bytes("", "b\n1\n", 4, &request, 1, 1, "the model's column 'c' is missing");
    known.one_hot = false;
    refuses_bytes("", "p\n1\n", 4, &request, 1, 1, "the model's column 'b' is missing");
    static const char *const plain[] = {"b"};
    known = (fathom_table_known){.count = 1, .name = plain};
    table = sheet_of(
        "w,b,y\n1,2,3\n",
        &(fathom_table_request){.format = FATHOM_FORMAT_CSV, .known = &known, .weights = "w", .target = "y"});
    assert_true(table->d == 1 && table->x[0] == 2 && table->y[0] == 3 && table->weight[0] == 1);
    fathom_table_free(context, table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers),    cmocka_unit_test(known_names),         cmocka_unit_test(found_columns),
        cmocka_unit_test(refusals),   cmocka_unit_test(allocation_failures), cmocka_unit_test(units),
        cmocka_unit_test(quantities), cmocka_unit_test(known_columns)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
