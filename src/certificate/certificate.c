/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a certificate: what it is about, gates, claims, end. The format is that of docs/certificate.md: lines of words
 * in a fixed order, numbers as m 2^e with a hexadecimal m, so that nothing is rounded on the way to the checker.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "certificate_internal.h"
#include "context_internal.h"
#include "data_internal.h"
#include "memory.h"
#include "sha256.h"

void fathom_certificate_put_number(fathom_certificate *certificate, double value)
{
    int e;
    int64_t m = (int64_t)ldexp(frexp(value, &e), 53);
    e -= 53;
    for (; m != 0 && m % 2 == 0; m /= 2)
        e++;
    const char *sign = m < 0 ? "-" : "";
    const unsigned long long size = (unsigned long long)(m < 0 ? -m : m);
    if (m == 0 || e == 0)
        fathom_file_print(certificate->file, " %s%llx", sign, size);
    else
        fathom_file_print(certificate->file, " %s%llxp%d", sign, size, e);
}

void fathom_certificate_put_numbers(fathom_certificate *certificate, const double *values, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        fathom_certificate_put_number(certificate, values[k]);
}

void fathom_certificate_put_line(fathom_certificate *certificate, const char *keyword, double value)
{
    fathom_file_print(certificate->file, "%s", keyword);
    fathom_certificate_put_number(certificate, value);
    fathom_file_print(certificate->file, "\n");
}

/* Reads a file once: its hash, and whether a byte or text occurs that the checker does not read. */
static fathom_status scan(char hex[65], bool *plain, fathom_context *context, const char *path,
                          fathom_format format)
{
    unsigned char buffer[1 << 14];
    size_t got;
    fathom_bytes *bytes;
    fathom_sha256 hash;
    fathom_sha256_init(&hash);
    *plain = true;
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    for (bool first = true; status == FATHOM_OK; first = false) {
        status = fathom_bytes_read(bytes, buffer, sizeof buffer, &got);
        if (status != FATHOM_OK || got == 0)
            break;
        fathom_sha256_update(&hash, buffer, got);
        if (format == FATHOM_FORMAT_CSV)
            *plain = *plain && !memchr(buffer, '"', got) && !(first && got > 2 && buffer[0] == 0xef);
        if (format == FATHOM_FORMAT_LIBSVM)
            *plain = *plain && !memmem(buffer, got, "qid", 3);
        if (format == FATHOM_FORMAT_NPY && first)
            *plain = got > 16 && buffer[6] <= 2 && !memmem(buffer, got < 256 ? got : 256, "'>", 2) &&
                     !memmem(buffer, got < 256 ? got : 256, "f2'", 3);
    }
    fathom_bytes_close(bytes);
    fathom_sha256_finish(hex, &hash);
    return status;
}

bool fathom_certificate_plain(const fathom_data *data, const char *path, const fathom_data_options *options)
{
    const fathom_table_origin *origin = &data->origin;
    char hex[65];
    bool plain;
    if (strncmp(path, "gen:", 4) == 0 || strncmp(path, "builtin:", 8) == 0 || strcmp(path, "-") == 0 ||
        origin->compressed || options->categorical)
        return false;
    if (origin->format != FATHOM_FORMAT_CSV && origin->format != FATHOM_FORMAT_LIBSVM &&
        origin->format != FATHOM_FORMAT_NPY)
        return false;
    if (options->labels && strlen(options->labels) > 4 &&
        strcmp(options->labels + strlen(options->labels) - 4, ".npy") != 0)
        return false;
    return scan(hex, &plain, data->context, path, origin->format) == FATHOM_OK && plain;
}

/* "rows ..." as the option names them. */
static fathom_status put_rows(fathom_certificate *c, const char *rows, int64_t all)
{
    const char *colon = rows ? strchr(rows, ':') : NULL;
    if (!rows)
        return fathom_file_print(c->file, "rows all\n");
    if (colon && strspn(rows, "0123456789:") == strlen(rows)) {
        long long first = 0, end = all;
        if (colon > rows)
            sscanf(rows, "%lld", &first);
        if (colon[1])
            sscanf(colon + 1, "%lld", &end);
        return fathom_file_print(c->file, "rows range %lld %lld\n", first, end);
    }
    fathom_bytes *bytes;
    unsigned char *text = NULL;
    int64_t size = 0, count = 0;
    fathom_status status = fathom_bytes_open(&bytes, c->context, rows);
    if (status == FATHOM_OK)
        status = fathom_bytes_read_all(bytes, &text, &size, INT64_C(1) << 31);
    for (int64_t k = 0; k < size; k++) /* separators become spaces */
        text[k] = text[k] >= '0' && text[k] <= '9' ? text[k] : ' ';
    for (int64_t k = 0; k < size; k++)
        count += text[k] != ' ' && (k + 1 == size || text[k + 1] == ' ');
    if (status == FATHOM_OK)
        status = fathom_file_print(c->file, "rows list %lld", (long long)count);
    for (int64_t k = 0; k < size && status == FATHOM_OK; k++)
        if (text[k] != ' ')
            status = fathom_file_print(c->file, "%s%c", k == 0 || text[k - 1] == ' ' ? " " : "", text[k]);
    fathom_memory_free(c->context, text);
    fathom_bytes_close(bytes);
    return status == FATHOM_OK ? fathom_file_print(c->file, "\n") : status;
}

/* "classes ...": the two that --classes names, as labels or as numbers. After picking, the list has -1 (B) and +1 (A). */
static fathom_status put_classes(fathom_certificate *c, bool picked, bool texts)
{
    const fathom_classes classes = fathom_data_classes(c->data);
    if (!picked)
        return fathom_file_print(c->file, "classes all\n");
    fathom_file_print(c->file, "classes %s", texts ? "texts" : "numbers");
    for (int k = 1; k >= 0; k--) {
        double value = 0;
        if (!texts) {
            sscanf(classes.name[k], "%lf", &value);
            fathom_certificate_put_number(c, value);
            continue;
        }
        fathom_file_print(c->file, " ");
        for (const char *at = classes.name[k]; *at; at++)
            fathom_file_print(c->file, "%02x", (unsigned char)*at);
    }
    return fathom_file_print(c->file, "\n");
}

static fathom_status put_source(fathom_certificate *c, const fathom_certificate_source *source)
{
    static const char *const names[] = {"", "csv", "", "libsvm", "npy"};
    const fathom_table_origin *origin = &c->data->origin;
    char hex[65];
    bool plain;
    fathom_status status = scan(hex, &plain, c->context, source->path, origin->format);
    if (status == FATHOM_OK && !plain)
        status = fathom_error_set(c->context, FATHOM_ERROR_INPUT, "%s: a certificate is about a plain file",
                                  source->path);
    if (status != FATHOM_OK)
        return status;
    fathom_file_print(c->file, "data %s %s\n", names[origin->format], hex);
    if (origin->format == FATHOM_FORMAT_NPY && source->labels) {
        status = scan(hex, &plain, c->context, source->labels, FATHOM_FORMAT_NPY);
        fathom_file_print(c->file, "labels %s\n", hex);
    } else if (origin->format == FATHOM_FORMAT_CSV) {
        fathom_file_print(c->file, "table %d %lld %lld\n", origin->header, (long long)origin->target,
                          (long long)origin->weight);
    } else {
        fathom_file_print(c->file, "table %lld\n", (long long)c->data->raw_columns);
    }
    return status;
}

static fathom_status put_head(fathom_certificate *c, const fathom_certificate_source *source)
{
    static const char *const normalize[] = {"none", "unit", "standardize"}, *const bias[] = {
                                                                                "none", "augment", "free"};
    fathom_file_print(c->file, "fathom-certificate 1\n");
    fathom_status status = put_source(c, source);
    if (status == FATHOM_OK)
        status = put_rows(c, source->options->rows, c->data->raw_rows);
    if (status == FATHOM_OK)
        status = put_classes(c, source->options->classes != NULL, c->data->text_labels);
    if (status != FATHOM_OK)
        return status;
    return fathom_file_print(c->file, "normalize %s\nbias %s\nshape %lld %lld\n",
                             normalize[c->data->normalize], bias[c->data->bias], (long long)c->data->n,
                             (long long)c->data->d);
}

fathom_status fathom_certificate_open(fathom_certificate **certificate, fathom_context *context,
                                      const char *path, const fathom_data *data,
                                      const fathom_certificate_source *source)
{
    fathom_certificate *c = fathom_memory_zero(context, 1, sizeof *c);
    *certificate = c;
    if (!c)
        return FATHOM_ERROR_MEMORY;
    c->context = context;
    c->data = (fathom_data *)data;
    fathom_status status = fathom_file_create(&c->file, context, path);
    if (status == FATHOM_OK)
        status = put_head(c, source);
    if (status != FATHOM_OK) {
        fathom_certificate_abort(c);
        *certificate = NULL;
    }
    return status;
}

/* One hexadecimal digit for four points, the first in its lowest bit. */
static void put_pattern(fathom_certificate *c, const uint64_t *bits, int64_t n)
{
    fathom_file_print(c->file, "gate ");
    for (int64_t i = 0; i < n; i += 4)
        fathom_file_print(c->file, "%x", (unsigned)(bits[i / 64] >> (i % 64) & 15));
    fathom_file_print(c->file, "\n");
}

fathom_status fathom_certificate_put_gates(fathom_certificate *c, int64_t m, int64_t words,
                                           const uint64_t *bits, const double *orientation)
{
    if (c->gates)
        return FATHOM_OK;
    c->gates = true;
    if (m == 0)
        return fathom_file_print(c->file, "gates none\n");
    fathom_status status = fathom_file_print(c->file, "gates %s %lld\n",
                                             orientation ? "orientations" : "patterns", (long long)m);
    for (int64_t j = 0; j < m && status == FATHOM_OK; j++) {
        if (!orientation) {
            put_pattern(c, bits + j * words, c->data->n);
            continue;
        }
        fathom_file_print(c->file, "gate");
        fathom_certificate_put_numbers(c, orientation + j * c->data->d, c->data->d);
        status = fathom_file_print(c->file, "\n");
    }
    return status;
}

fathom_status fathom_certificate_close(fathom_certificate *certificate)
{
    fathom_context *context = certificate->context;
    fathom_file_print(certificate->file, "end\n");
    const fathom_status status = fathom_file_commit(certificate->file);
    fathom_memory_free(context, certificate);
    return status;
}

void fathom_certificate_abort(fathom_certificate *certificate)
{
    if (!certificate)
        return;
    fathom_file_abort(certificate->file);
    fathom_memory_free(certificate->context, certificate);
}
