/* SPDX-License-Identifier: Apache-2.0 */
/* fathom-check CERTIFICATE DATA [--labels FILE] [--model FILE] [--expect ..] [--explain] [--json] */
#include <stdlib.h>
#include <string.h>

#include "checker.h"

static const char usage[] =
    "usage: fathom-check CERTIFICATE DATA [--labels FILE] [--model FILE] [--expect 'KEY=VALUE ...'|FILE]\n"
    "                    [--explain] [--json]\n"
    "\n"
    "Checks the proof in CERTIFICATE (text, or gzip) against DATA, a plain CSV, NPY or LIBSVM file. NPY data "
    "has its\n"
    "labels in a second file: NAME.labels.npy beside NAME.npy unless --labels names another.\n"
    "\n"
    "Prints `accepted upper=... lower=... gap=...` of the last claim and then, for every claim, what was "
    "proved, and\n"
    "exits 0; or the first line that fails, and exits 4; 5: a file cannot be read, 6: too large, 2: usage.\n"
    "\n"
    "  --expect   rejects where a statement differs. Keys: class, loss, beta, scale, normalize, bias, rows, "
    "bound,\n"
    "             kind, confidence, seed, pattern, classes, n, d, gates, neurons, draws, data_sha256, "
    "labels_sha256,\n"
    "             gap<=, relative_gap<=, upper<=, lower>=, residual<=, unclear<=, weak<=\n"
    "  --model    rejects unless the listed network is that of this model file (JSON), number by number\n"
    "  --explain  the inequalities of the proof with their numbers\n";

#ifndef LARGEST
#define LARGEST 2000000000 /* bytes of a file */
#endif

/* All bytes of a file; NULL where that fails, or where there are more than `most`. */
static char *read_bytes(const char *path, int64_t most, int64_t *size)
{
    enum { PIECE = 1 << 20 };
    FILE *file = fopen(path, "rb");
    bool good = file != NULL;
    char *bytes = NULL;
    *size = 0;
    for (size_t got = PIECE; good && got == PIECE; *size += (int64_t)got) {
        char *larger = *size <= most ? realloc(bytes, (size_t)*size + PIECE) : NULL;
        bytes = larger ? larger : bytes;
        got = larger ? fread(bytes + *size, 1, PIECE, file) : 0;
        good = larger && !ferror(file);
    }
    if (file)
        fclose(file);
    if (good)
        return bytes;
    free(bytes);
    return NULL;
}

/* The same, unpacked where it is gzip and that is allowed. */
static char *read_file(const char *path, bool unpack, int64_t most, int64_t *size)
{
    char *bytes = read_bytes(path, most, size);
    if (!bytes || !check_packed(bytes, *size))
        return bytes;
    char *plain = unpack ? check_unpack(bytes, *size, most, size) : NULL;
    free(bytes);
    return plain;
}

/* How many bytes the certificate says that its data has, at most LARGEST. */
static int64_t stated_size(const char *certificate, int64_t size)
{
    const char *line = memchr(certificate, '\n', (size_t)size);
    char text[400] = "";
    if (line)
        snprintf(text, sizeof text, "%.*s",
                 (int)(certificate + size - line - 1 < 399 ? certificate + size - line - 1 : 399), line + 1);
    text[strcspn(text, "\n")] = 0;
    const char *mark = strstr(text, " bytes ");
    const long long stated = mark ? strtoll(mark + strlen(" bytes "), NULL, 10) : LARGEST;
    return stated < LARGEST ? stated : LARGEST;
}

/* What the command line names. */
typedef struct words {
    const char *path[2], *labels, *model, *expect;
    int paths;
    bool json, explain;
} words;

enum { CERTIFICATE, DATA, LABELS, MODEL, EXPECT, FILES };

/* Reads the files and checks. Labels of NAME.npy stand in NAME.labels.npy unless they are named; an
 * expectation without "=" is a file. */
static int run(check *c, const words *w)
{
    const size_t length = strlen(w->path[1]);
    char beside[length + sizeof ".labels.npy"];
    snprintf(beside, sizeof beside, "%.*s.labels.npy", (int)length - 4, w->path[1]);
    const bool npy = length > 4 && strcmp(w->path[1] + length - 4, ".npy") == 0,
               written = w->expect && strchr(w->expect, '=');
    const char *const name[FILES] = {w->path[0], w->path[1],
                                     w->labels ? w->labels
                                     : npy     ? beside
                                               : NULL,
                                     w->model, written ? NULL : w->expect};
    char *bytes[FILES] = {0};
    int64_t size[FILES] = {0};
    int64_t most = LARGEST;
    int code = 0;
    for (int k = 0; k < FILES && !code; k++) {
        bytes[k] =
            name[k] ? read_file(name[k], k == CERTIFICATE, k == DATA ? most : LARGEST, size + k) : NULL;
        if (k == CERTIFICATE && bytes[k])
            most = stated_size(bytes[k], size[k]);
        if (name[k] && !bytes[k] &&
            k != LABELS) { /* without labels the certificate's line says what is missing */
            code = k == DATA && size[k] > most ? 4 : 5;
            snprintf(c->message, sizeof c->message, "%s %s", name[k],
                     code == 4 ? "is longer than the data of this certificate"
                               : "cannot be read, or is too large");
        }
    }
    const inputs in = {bytes[CERTIFICATE], bytes[DATA], bytes[LABELS],
                       size[CERTIFICATE],  size[DATA],  size[LABELS]};
    const question asked = {stdout,      w->json,
                            w->explain,  bytes[MODEL],
                            w->model,    written ? w->expect : bytes[EXPECT],
                            size[MODEL], written ? (int64_t)strlen(w->expect) : size[EXPECT]};
    code = code ? code : check_run(c, &in, &asked, &check_limits);
    for (int k = 0; k < FILES; k++)
        free(bytes[k]);
    return code;
}

static int report(check *c, int code, bool json)
{
    for (char *at = c->message; *at; at++) /* as JSON has it */
        *at = *at == '"' || *at == '\\' ? '\'' : (unsigned char)*at < 32 ? '?' : *at;
    if (!json && code)
        printf("%s%s\n", code == 4 ? "rejected: " : "not checked: ", c->message);
    if (json && code)
        printf("{\"accepted\": false, \"upper\": null, \"lower\": null, \"gap\": null, \"claims\": [], "
               "\"reason\": \"%s\"}\n",
               c->message);
    if (fflush(stdout) == 0)
        return code;
    fputs("fathom-check: standard output could not be written\n", stderr);
    return 1;
}

/* An option with a value: where that is kept, or NULL. */
static const char **option(words *w, const char *name)
{
    return strcmp(name, "--labels") == 0   ? &w->labels
           : strcmp(name, "--model") == 0  ? &w->model
           : strcmp(name, "--expect") == 0 ? &w->expect
                                           : NULL;
}

int main(int argc, char **argv)
{
    static check c;
    words w = {0};
    for (int k = 1; k < argc; k++) {
        const char **value = k + 1 < argc ? option(&w, argv[k]) : NULL;
        if (strcmp(argv[k], "--help") == 0)
            return fputs(usage, stdout) < 0;
        if (strcmp(argv[k], "--version") == 0)
            return puts("fathom-check " FATHOM_VERSION) < 0;
        if (strcmp(argv[k], "--json") == 0)
            w.json = true;
        else if (strcmp(argv[k], "--explain") == 0)
            w.explain = true;
        else if (value)
            *value = argv[++k];
        else if (argv[k][0] != '-' && w.paths < 2)
            w.path[w.paths++] = argv[k];
        else
            w.paths = 3;
    }
    if (w.paths != 2) {
        fputs(usage, stderr);
        return 2;
    }
    return report(&c, run(&c, &w), w.json);
}
