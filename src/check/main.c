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
    "has its labels\n"
    "in a second file: NAME.labels.npy beside NAME.npy unless --labels names another.\n"
    "\n"
    "Prints `accepted upper=... lower=... gap=...` for every claim and exits 0, or the first line that fails "
    "and exits 4;\n"
    "5: a file cannot be read, 6: too large, 2: usage.\n";

static const long LARGEST = 2000000000;

/* All bytes of a file and a zero byte behind them, decompressed where asked for; NULL where that fails. */
static char *read_file(const char *path, bool decompress, int64_t *size)
{
    gzFile file = gzopen(path, "rb");
    char *bytes = NULL;
    int64_t room = 0;
    int got = file ? 1 : -1;
    *size = 0;
    if (file && !decompress && gzdirect(file) == 0)
        got = -1;
    while (got > 0 && *size < LARGEST) {
        if (room - *size < 2) {
            room = 2 * room + 65536;
            char *larger = realloc(bytes, (size_t)room);
            if (!larger)
                break;
            bytes = larger;
        }
        got = gzread(file, bytes + *size, (unsigned)(room - *size - 1));
        *size += got > 0 ? got : 0;
    }
    if (file && gzclose(file) != Z_OK)
        got = -1;
    if (got != 0) {
        free(bytes);
        return NULL;
    }
    bytes[*size] = 0;
    return bytes;
}

/* NAME.npy -> NAME.labels.npy. */
static const char *labels_beside(char *text, size_t size, const char *path)
{
    const size_t length = strlen(path);
    if (length < 4 || strcmp(path + length - 4, ".npy") != 0)
        return NULL;
    return (size_t)snprintf(text, size, "%.*s.labels.npy", (int)length - 4, path) < size ? text : NULL;
}

static void print_number(const char *key, double value, bool known)
{
    if (known)
        printf(", \"%s\": %.17g", key, value);
    else
        printf(", \"%s\": null", key);
}

static int report(const check *c, int code, bool json)
{
    if (json) {
        printf("{\"accepted\": %s", code ? "false" : "true");
        print_number("upper", c->verdict.upper, code == 0);
        print_number("lower", c->verdict.lower, code == 0);
        print_number("gap", c->verdict.upper - c->verdict.lower, code == 0);
        printf(", \"claims\": %lld", (long long)c->verdict.claims);
        if (code) {
            printf(", \"reason\": \"");
            for (const char *at = c->message; *at; at++)
                printf(*at == '"' || *at == '\\' ? "\\%c" : (unsigned char)*at < 32 ? "?" : "%c", *at);
            printf("\"");
        }
        printf("}\n");
    } else if (code) {
        printf("%s%s\n", code == 4 ? "rejected: " : "not checked: ", c->message);
    }
    return fflush(stdout) == 0 ? code : 1;
}

int main(int argc, char **argv)
{
    static check c;
    const char *path[2], *labels = NULL;
    char beside[4096];
    int paths = 0;
    bool json = false;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--json") == 0)
            json = true;
        else if (strcmp(argv[k], "--labels") == 0 && k + 1 < argc)
            labels = argv[++k];
        else if (strcmp(argv[k], "--help") == 0)
            return fputs(usage, stdout) < 0;
        else if (strcmp(argv[k], "--version") == 0)
            return puts("fathom-check " FATHOM_VERSION) < 0;
        else if (argv[k][0] != '-' && paths < 2)
            path[paths++] = argv[k];
        else
            paths = 3;
    }
    if (paths != 2)
        return fputs(usage, stderr) < 0 ? 1 : 2;
    if (!labels)
        labels = labels_beside(beside, sizeof beside, path[1]);
    inputs in = {0};
    char *certificate = read_file(path[0], true, &in.certificate_size);
    char *bytes = read_file(path[1], false, &in.data_size);
    char *label_bytes = labels ? read_file(labels, false, &in.labels_size) : NULL;
    in.certificate = certificate;
    in.data = bytes;
    in.labels = label_bytes;
    int code = 5;
    if (certificate && bytes)
        code = check_run(&c, &in, json ? NULL : stdout, CHECK_CEILING);
    else
        snprintf(c.message, sizeof c.message, "%s cannot be read (or is larger than 2 GB)",
                 path[certificate ? 1 : 0]);
    code = report(&c, code, json);
    free(certificate);
    free(bytes);
    free(label_bytes);
    return code;
}
