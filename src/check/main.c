/* SPDX-License-Identifier: Apache-2.0 */
/* fathom-check CERTIFICATE DATA [--labels FILE] [--json] */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "checker.h"

static const char usage[] =
    "usage: fathom-check CERTIFICATE DATA [--labels FILE] [--json]\n"
    "\n"
    "Checks the proof in CERTIFICATE (text, or gzip) against DATA, a plain CSV, NPY or LIBSVM file. NPY data "
    "has its\n"
    "labels in a second file: NAME.labels.npy beside NAME.npy unless --labels names another.\n"
    "\n"
    "Prints `accepted upper=... lower=... gap=...` for every claim and exits 0, or the first line that fails "
    "and\n"
    "exits 4; 5: a file cannot be read, 6: too large, 2: usage.\n";

#ifndef LARGEST
#define LARGEST 2000000000 /* bytes of a file */
#endif

/* All bytes of a file, decompressed where asked for; NULL where that fails, or where there are too many. */
static char *read_file(const char *path, bool decompress, int64_t *size)
{
    enum { PIECE = 1 << 20 };
    gzFile file = gzopen(path, "rb");
    char *bytes = NULL;
    int got = file && (decompress || gzdirect(file)) ? PIECE : -1;
    for (*size = 0; got == PIECE; *size += got > 0 ? got : 0) {
        char *larger = *size < LARGEST ? realloc(bytes, (size_t)*size + PIECE) : NULL;
        bytes = larger ? larger : bytes;
        got = larger ? gzread(file, bytes + *size, PIECE) : -1;
    }
    if (file && gzclose(file) != Z_OK)
        got = -1;
    if (got < 0)
        free(bytes);
    return got < 0 ? NULL : bytes;
}

/* Reads the files and checks. Labels of NAME.npy stand in NAME.labels.npy unless they are named. */
static int run(check *c, const char *certificate, const char *data, const char *labels, FILE *out)
{
    const size_t length = strlen(data);
    char beside[length + sizeof ".labels.npy"];
    snprintf(beside, sizeof beside, "%.*s.labels.npy", (int)length - 4, data);
    if (!labels && length > 4 && strcmp(data + length - 4, ".npy") == 0)
        labels = beside;
    inputs in = {0};
    char *bytes[] = {read_file(certificate, true, &in.certificate_size),
                     read_file(data, false, &in.data_size),
                     labels ? read_file(labels, false, &in.labels_size) : NULL};
    in.certificate = bytes[0], in.data = bytes[1], in.labels = bytes[2];
    snprintf(c->message, sizeof c->message, "%s cannot be read, or is too large",
             bytes[0] ? data : certificate);
    const int code = bytes[0] && bytes[1] ? check_run(c, &in, out, &check_limits) : 5;
    for (int k = 0; k < 3; k++)
        free(bytes[k]);
    return code;
}

static int report(check *c, int code, bool json)
{
    const verdict *v = &c->verdict;
    for (char *at = c->message; *at; at++) /* as JSON has it */
        *at = *at == '"' || *at == '\\' ? '\'' : (unsigned char)*at < 32 ? '?' : *at;
    if (!json && code)
        printf("%s%s\n", code == 4 ? "rejected: " : "not checked: ", c->message);
    if (json && !code)
        printf("{\"accepted\": true, \"upper\": %.17g, \"lower\": %.17g, \"gap\": %.17g, \"claims\": %lld}\n",
               v->upper, v->lower, v->upper - v->lower, (long long)v->claims);
    if (json && code)
        printf("{\"accepted\": false, \"upper\": null, \"lower\": null, \"gap\": null, \"claims\": %lld, "
               "\"reason\": \"%s\"}\n",
               (long long)v->claims, c->message);
    if (fflush(stdout) == 0)
        return code;
    fputs("fathom-check: standard output could not be written\n", stderr);
    return 1;
}

int main(int argc, char **argv)
{
    static check c;
    const char *path[2], *labels = NULL;
    int paths = 0;
    bool json = false;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--help") == 0)
            return fputs(usage, stdout) < 0;
        if (strcmp(argv[k], "--version") == 0)
            return puts("fathom-check " FATHOM_VERSION) < 0;
        if (strcmp(argv[k], "--json") == 0)
            json = true;
        else if (strcmp(argv[k], "--labels") == 0 && k + 1 < argc)
            labels = argv[++k];
        else if (argv[k][0] != '-' && paths < 2)
            path[paths++] = argv[k];
        else
            paths = 3;
    }
    if (paths != 2) {
        fputs(usage, stderr);
        return 2;
    }
    return report(&c, run(&c, path[0], path[1], labels, json ? NULL : stdout), json);
}
