/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen:NAME,key=value,...: the table of generators, and how a specification becomes a data set.
 *
 * Every random value is a function of (seed, stream, index), so a specification and a seed give the same
 * bits for every number of threads; with test=1 the streams are those of test data, independent of the
 * first set.
 */
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "generate_internal.h"
#include "inner/data.h"
#include "nearest.h"
#include "number.h"

#define N_KEY(preset, low)                                  \
    {                                                       \
        "n", FATHOM_OPTION_INTEGER, preset, low, 1e12, NULL \
    }
#define D_KEY(preset, low)                                 \
    {                                                      \
        "d", FATHOM_OPTION_INTEGER, preset, low, 1e9, NULL \
    }
#define SD_KEY(preset)                                   \
    {                                                    \
        "sd", FATHOM_OPTION_REAL, preset, 0, 1e100, NULL \
    }
#define REAL_KEY(name, preset)                                \
    {                                                         \
        name, FATHOM_OPTION_REAL, preset, -1e100, 1e100, NULL \
    }
#define TEST_KEY                                       \
    {                                                  \
        "test", FATHOM_OPTION_INTEGER, "0", 0, 1, NULL \
    }

/* Keys stand in the order in which the generators read them. */
static const generator generators[] = {
    {{"gen:circle,n=8", "x_k = (cos 2 pi k/n, sin 2 pi k/n), y_k = (-1)^k, k = 1..n"},
     fathom_generate_circle,
     {N_KEY("8", 1)}},
    {{"gen:cube,d=3", "all x in {-1,1}^d, y = product of the coordinates"},
     fathom_generate_cube,
     {D_KEY("3", 1)}},
    {{"gen:parity,d=20,n=64,bits=2,all=0,test=0", "x in {-c,c}^d, c = 1/sqrt(d), y = product of the signs of "
                                                  "the first `bits` coordinates; n random points, or "
                                                  "all 2^d with all=1 [003]"},
     fathom_generate_parity,
     {D_KEY("20", 1),
      N_KEY("64", 1),
      {"bits", FATHOM_OPTION_INTEGER, "2", 1, 1e9, NULL},
      {"all", FATHOM_OPTION_INTEGER, "0", 0, 1, NULL},
      TEST_KEY}},
    {{"gen:xor,n=128,sd=0.1,test=0",
      "label and component by fair coins; means with c = 1/sqrt(2): + (c,-c), (-c,c); - (c,c), (-c,-c); "
      "x = mean + sd N(0,I) [002, Sec. 5]"},
     fathom_generate_xor,
     {N_KEY("128", 1), SD_KEY("0.1"), TEST_KEY}},
    {{"gen:shoulders,n=128,sd=0.1,test=0",
      "as xor with means + (1,0), (0,1); - (c,c), (-c,-c) [002, Sec. 5]"},
     fathom_generate_shoulders,
     {N_KEY("128", 1), SD_KEY("0.1"), TEST_KEY}},
    {{"gen:gauss,n=100,d=5,target=normal,noise=0.1,k=10,test=0",
      "x ~ N(0,I); target=normal: y ~ N(0,1); target=teacher: k ReLU neurons (u ~ N(0,I/d), a ~ N(0,1)), "
      "standardised, plus noise N(0,1); target=sign: a fair coin"},
     fathom_generate_gauss,
     {N_KEY("100", 1),
      D_KEY("5", 1),
      {"target", FATHOM_OPTION_CHOICE, "normal", 0, 2, "normal|teacher|sign"},
      {"noise", FATHOM_OPTION_REAL, "0.1", 0, 1e100, NULL},
      {"k", FATHOM_OPTION_INTEGER, "10", 1, 1e6, NULL},
      TEST_KEY}},
    {{"gen:twogauss,n=400,d=50,mean=3,gap=0.3,sd=1,test=0",
      "mu = mean (1,..,1)/sqrt(d); y a fair coin, x = y mu + sd N(0,I), redrawn while y<x,mu>/|mu| < gap "
      "[004]"},
     fathom_generate_twogauss,
     {N_KEY("400", 1), D_KEY("50", 1), REAL_KEY("mean", "3"), REAL_KEY("gap", "0.3"), SD_KEY("1"), TEST_KEY}},
    {{"gen:outlier,n=60,x=-8,y=4,test=0", "n points around (2,0) labelled + and (-2,0) labelled -, sd 0.4, "
                                          "gap 0.5, and one more point (x,y) labelled + "
                                          "[004, Sec. 17]"},
     fathom_generate_outlier,
     {N_KEY("60", 1), REAL_KEY("x", "-8"), REAL_KEY("y", "4"), TEST_KEY}},
    {{"gen:mixture1d,n=100,test=0",
      "means -2..2 in turn, variance 0.25, y = +1 for means -1, 0, 2 [001, Sec. 8]"},
     fathom_generate_mixture1d,
     {N_KEY("100", 1), TEST_KEY}},
    {{"gen:grid,d=2,n=41,reach=1",
      "n^d points evenly spaced on [-reach,reach]^d, the last coordinate changing fastest, y = 0"},
     fathom_generate_grid,
     {D_KEY("2", 1), N_KEY("41", 2), {"reach", FATHOM_OPTION_REAL, "1", 0, 1e100, NULL}}},
    {{"gen:line1d", "x = -2..2, y = 1,-1,1,1,-1 [001, Prop. 3.1]"}, fathom_generate_line1d, {{0}}},
    {{"gen:whitened,n=30,d=40,test=0",
      "orthonormal rows (QR of a Gaussian matrix), y ~ N(0,1); n <= d [001, Fig. 6]"},
     fathom_generate_whitened,
     {N_KEY("30", 1), D_KEY("40", 1), TEST_KEY}},
    {{"gen:rankone,n=15,d=10,test=0", "X = c a' with Gaussian c and a; y ~ N(0,1) [001, Fig. 6]"},
     fathom_generate_rankone,
     {N_KEY("15", 1), D_KEY("10", 1), TEST_KEY}},
    {{"gen:badkkt,n=6,d=2,apart=140,width=1,alpha=0.1",
      "unit vectors at 159, 160, 161, 19, 20, 21 and -13.2608295 degrees, all labelled +; with keys n points "
      "in two cones that are "
      "`apart` degrees apart and `width` degrees half wide, and x' [003, Prop. 2.6]"},
     fathom_generate_badkkt,
     {N_KEY("6", 2),
      D_KEY("2", 2),
      {"apart", FATHOM_OPTION_REAL, "140", 0, 180, NULL},
      {"width", FATHOM_OPTION_REAL, "1", 0, 20, NULL},
      {"alpha", FATHOM_OPTION_REAL, "0.1", 1e-9, 0.7, NULL}}},
    {{"gen:collapse,r=4,d=8,n=40,test=0", "r simplex directions b_k in turn with alternating labels, x = c "
                                          "b_k + z, c uniform on [0.8,0.98], z orthogonal "
                                          "to b_k with norm uniform on [0,0.05]; r <= d + 1 [003, Ass. 3.1]"},
     fathom_generate_collapse,
     {{"r", FATHOM_OPTION_INTEGER, "4", 2, 1e6, NULL}, D_KEY("8", 1), N_KEY("40", 1), TEST_KEY}},
};
enum { GENERATORS = sizeof generators / sizeof generators[0] };

const fathom_data_source *fathom_generate_source(int64_t index)
{
    return index >= 0 && index < GENERATORS ? &generators[index].source : NULL;
}

/* Keys that a generator has. */
static int64_t key_count(const generator *g)
{
    int64_t count = 0;
    while (count < GENERATOR_KEYS && g->key[count].name)
        count++;
    return count;
}

/* text[0..length) as the value of a key; false where it is not of its form or out of range. */
static bool parse_value(double *value, const generator_key *key, const char *text, size_t length)
{
    size_t end;
    if (key->type == FATHOM_OPTION_CHOICE) {
        const char *at = key->values;
        for (*value = 0; at; *value += 1) {
            if (strcspn(at, "|") == length && memcmp(at, text, length) == 0)
                return true;
            at = strchr(at, '|');
            at = at ? at + 1 : NULL;
        }
        return false;
    }
    if (fathom_number_parse(value, &end, text, length) != FATHOM_NUMBER_OK || end != length)
        return false;
    if (!(*value >= key->low && *value <= key->high))
        return false;
    return key->type == FATHOM_OPTION_REAL || *value == (double)(int64_t)*value;
}

/* ERROR_USAGE that names the generator, the key and what it takes. */
static fathom_status refuse_value(fathom_context *context, const generator *g, const generator_key *key,
                                  const char *text, size_t length)
{
    const int name = (int)strcspn(g->source.spec, ",");
    const int size = length < 60 ? (int)length : 60;
    if (key->type == FATHOM_OPTION_CHOICE)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "%.*s: %s takes one of %s, not '%.*s'", name,
                                g->source.spec, key->name, key->values, size, text);
    return fathom_error_set(context, FATHOM_ERROR_USAGE,
                            "%.*s: %s takes a %s from %.10g to %.10g, not '%.*s'", name, g->source.spec,
                            key->name, key->type == FATHOM_OPTION_INTEGER ? "whole number" : "number",
                            key->low, key->high, size, text);
}

/* One "key=value" of length `length`. */
static fathom_status parse_pair(generator_input *input, fathom_context *context, const generator *g,
                                const char *text, size_t length)
{
    const char *equal = memchr(text, '=', length);
    const size_t size = equal ? (size_t)(equal - text) : length;
    for (int64_t k = 0; k < key_count(g); k++) {
        const generator_key *key = g->key + k;
        if (strlen(key->name) != size || memcmp(key->name, text, size) != 0)
            continue;
        if (!equal || input->given[k])
            return fathom_error_set(context, FATHOM_ERROR_USAGE, "%s: %s needs one value: %s=...",
                                    g->source.spec, key->name, key->name);
        input->given[k] = true;
        if (parse_value(&input->value[k], key, equal + 1, length - size - 1))
            return FATHOM_OK;
        return refuse_value(context, g, key, equal + 1, length - size - 1);
    }
    return fathom_error_set(context, FATHOM_ERROR_USAGE,
                            "unknown key '%.*s': the generator and its keys are %s",
                            (int)(size < 60 ? size : 60), text, g->source.spec);
}

/* The generator called name[0..length), or NULL. */
static const generator *find_generator(const char *name, size_t length)
{
    for (int64_t k = 0; k < GENERATORS; k++) {
        const char *own = generators[k].source.spec + 4;
        if (strcspn(own, ",") == length && memcmp(own, name, length) == 0)
            return generators + k;
    }
    return NULL;
}

static fathom_status no_generator(fathom_context *context, const char *name, size_t length)
{
    char hint[FATHOM_HINT_SIZE];
    fathom_nearest nearest = fathom_nearest_begin(name, length);
    for (int64_t k = 0; k < GENERATORS; k++)
        fathom_nearest_try(&nearest, generators[k].source.spec + 4,
                           strcspn(generators[k].source.spec + 4, ","));
    return fathom_error_set(context, FATHOM_ERROR_USAGE, "no generator is called '%.*s'%s",
                            (int)(length < 60 ? length : 60), name,
                            fathom_nearest_hint(hint, &nearest, "; `fathom gen --list` names them"));
}

/* Defaults, then the pairs of the specification; `text` is empty or starts with a comma. */
static fathom_status parse_keys(generator_input *input, fathom_context *context, const generator *g,
                                const char *text)
{
    for (int64_t k = 0; k < key_count(g); k++)
        parse_value(&input->value[k], g->key + k, g->key[k].preset, strlen(g->key[k].preset));
    while (*text) {
        text++;
        const size_t length = strcspn(text, ",");
        FATHOM_TRY(parse_pair(input, context, g, text, length));
        text += length;
    }
    return FATHOM_OK;
}

bool fathom_generate_late(const fathom_data *data, int64_t i)
{
    enum { LARGE = 1 << 20, LOOK = 1024 }; /* numbers that are drawn in no time; rows between two looks */
    return i % LOOK == 0 && (double)data->n * (double)(data->d + 1) > LARGE &&
           fathom_context_overdue(data->context);
}

/* "gen:NAME,key=value,...": finds the generator, reads its keys over their defaults, picks the streams
 * (the key `test`, where there is one, stands last) and fills the data. */
fathom_status fathom_data_generate(fathom_data *data)
{
    const char *name = data->source + 4;
    const size_t length = strcspn(name, ",");
    const generator *g = find_generator(name, length);
    if (!g)
        return no_generator(data->context, name, length);
    generator_input input = {.seed = fathom_context_seed(data->context)};
    FATHOM_TRY(parse_keys(&input, data->context, g, name + length));
    const int64_t last = key_count(g) - 1;
    const bool test = last >= 0 && strcmp(g->key[last].name, "test") == 0 && input.value[last] == 1;
    input.noise = test ? FATHOM_STREAM_TEST_DATA : FATHOM_STREAM_DATA;
    input.label = test ? FATHOM_STREAM_TEST_LABEL : FATHOM_STREAM_LABEL;
    FATHOM_TRY(g->make(data, &input));
    return fathom_generate_late(data, 0) ? fathom_context_late(data->context, "the drawing of data")
                                         : FATHOM_OK;
}
