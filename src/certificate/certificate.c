/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a certificate: what it is about, gates, claims, end. The format is that of
 * docs/reference/certificate.md: lines of words in a fixed order, numbers as m 2^e with a hexadecimal m, so that
 * nothing is rounded on the way to the checker.
 *
 * Data and rows are written when it is opened. How targets are coded, and by which gates, is known with
 * the first claim.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "certificate_internal.h"
#include "context_internal.h"
#include "data_internal.h"
#include "inner/certificate.h"
#include "memory.h"
#include "number.h"
#include "sha256.h"

void fathom_certificate_put_number(fathom_certificate *certificate, double value, int shift)
{
    int e;
    int64_t m = (int64_t)ldexp(frexp(value, &e), 53);
    e += shift - 53;
    for (; m != 0 && m % 2 == 0; m /= 2)
        e++;
    const char *sign = m < 0 ? "-" : "";
    const unsigned long long size = (unsigned long long)(m < 0 ? -m : m);
    if (m == 0 || e == 0)
        fathom_file_print(certificate->file, " %s%llx", sign, size);
    else
        fathom_file_print(certificate->file, " %s%llxp%d", sign, size, e);
}

void fathom_certificate_put_numbers(fathom_certificate *certificate, const double *values, int64_t count,
                                    int shift)
{
    for (int64_t k = 0; k < count; k++)
        fathom_certificate_put_number(certificate, values[k], shift);
}

fathom_status fathom_certificate_put_line(fathom_certificate *certificate, const char *keyword,
                                          const double *values, int64_t count, int shift)
{
    fathom_file_print(certificate->file, "%s", keyword);
    fathom_certificate_put_numbers(certificate, values, count, shift);
    return fathom_file_print(certificate->file, "\n");
}

/* Whether the header of an NPY file is one that the checker reads: version 1 or 2, a vector or matrix,
 * numbers without an order of bytes or with the lower first. */
static bool plain_npy(const unsigned char *bytes, size_t got)
{
    char text[512];
    const size_t length = got < sizeof text ? got : sizeof text - 1;
    memcpy(text, bytes, length);
    for (size_t k = 0; k < length; k++) /* up to the array itself there are no zeros but in the length */
        text[k] = text[k] ? text[k] : ' ';
    text[length] = 0;
    const char *type = strstr(text, "'descr': '"), *shape = strstr(text, "'shape': (");
    if (got <= 16 || bytes[6] > 2 || !type || !shape || strstr(text, "f2'") || !strchr(shape, ')'))
        return false;
    type += strlen("'descr': '");
    int64_t sizes = 0;
    for (const char *at = shape; *at != ')'; at++) /* runs of digits */
        sizes += *at >= '0' && *at <= '9' && !(at[1] >= '0' && at[1] <= '9');
    return (*type == '<' || *type == '|') && (sizes == 1 || sizes == 2);
}

/* Reads a file once: its hash and length, and whether a byte or text occurs that the checker does not
 * read. */
static fathom_status scan(char hex[65], int64_t *length, bool *plain, fathom_context *context,
                          const char *path, fathom_format format)
{
    unsigned char buffer[1 << 14];
    size_t got;
    fathom_bytes *bytes;
    fathom_sha256 hash;
    fathom_sha256_init(&hash);
    *plain = true;
    *length = 0;
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    for (bool first = true; status == FATHOM_OK; first = false) {
        status = fathom_bytes_read(bytes, buffer, sizeof buffer, &got);
        if (status != FATHOM_OK || got == 0)
            break;
        fathom_sha256_update(&hash, buffer, got);
        *length += (int64_t)got;
        if (format == FATHOM_FORMAT_CSV)
            *plain = *plain && !memchr(buffer, '"', got) && !(first && got > 2 && buffer[0] == 0xef);
        if (format == FATHOM_FORMAT_LIBSVM)
            *plain = *plain && !memchr(buffer, 'q', got) && !(first && got > 2 && buffer[0] == 0xef);
        if (format == FATHOM_FORMAT_NPY && first)
            *plain = plain_npy(buffer, got);
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
    fathom_error_set(data->context, FATHOM_OK, "%s", "");
    if (strncmp(path, "gen:", 4) == 0 || strncmp(path, "builtin:", 8) == 0 || strcmp(path, "-") == 0 ||
        origin->compressed || origin->other_dialect || options->categorical || options->features > 0)
        return false;
    if (origin->format != FATHOM_FORMAT_CSV && origin->format != FATHOM_FORMAT_LIBSVM &&
        origin->format != FATHOM_FORMAT_NPY)
        return false;
    const size_t length = options->labels ? strlen(options->labels) : 0;
    if (origin->format == FATHOM_FORMAT_NPY &&
        (length < 4 || strcmp(options->labels + length - 4, ".npy") != 0))
        return false;
    bool labels = true;
    int64_t bytes;
    return scan(hex, &bytes, &plain, data->context, path, origin->format) == FATHOM_OK && plain &&
           (!length ||
            scan(hex, &bytes, &labels, data->context, options->labels, FATHOM_FORMAT_NPY) == FATHOM_OK) &&
           labels;
}

/* Of the numbers row[0..n) every run k, k + 1, .. as a range; counts them where there is no file. */
static int64_t put_ranges(fathom_file *file, const double *row, int64_t n)
{
    int64_t count = 0;
    for (int64_t first = 0, end; first < n; first = end, count++) {
        for (end = first + 1; end < n && row[end] == row[end - 1] + 1;)
            end++;
        if (file)
            fathom_file_print(file, " %lld %lld", (long long)row[first], (long long)row[end - 1] + 1);
    }
    return count;
}

/* "rows K a b..": what the option and weights of 0 leave of the data 0, 1, 2, .. */
static fathom_status put_rows(fathom_certificate *c, const char *rows)
{
    const int64_t all = c->data->raw_rows;
    fathom_data_options options;
    fathom_data *kept = NULL;
    double *number = fathom_memory_alloc(c->context, all, sizeof *number);
    if (!number)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < all; i++)
        number[i] = (double)i;
    fathom_options_init(&options, &fathom_data_option_table);
    options.rows = rows;
    fathom_status status =
        fathom_data_create(&kept, c->context, all, 1, number, 1, 0, NULL, c->data->counts, &options);
    if (status == FATHOM_OK) {
        const fathom_data_view view = fathom_data_look(kept);
        fathom_file_print(c->file, "rows %lld", (long long)put_ranges(NULL, view.x, view.n));
        put_ranges(c->file, view.x, view.n);
        status = fathom_file_print(c->file, "\n");
    }
    fathom_data_free(kept);
    fathom_memory_free(c->context, number);
    return status;
}

/* A class as it stands in the file: a text in hexadecimal bytes, or a number, which its name spells to the
 * last digit. */
static void put_class(fathom_certificate *c, const char *name)
{
    double value;
    size_t end;
    if (!c->data->text_labels) {
        fathom_number_parse(&value, &end, name, strlen(name));
        fathom_certificate_put_number(c, value, 0);
        return;
    }
    fathom_file_print(c->file, " ");
    for (const char *at = name; *at; at++)
        fathom_file_print(c->file, "%02x", (unsigned char)*at);
}

/* One class alone is +1, or -1 where it is a number <= 0: the other one is no target. */
static void put_single(fathom_certificate *c, const char *name, double value)
{
    const bool texts = c->data->text_labels, plus = texts || value > 0;
    const char *other = !texts ? plus ? "0" : "1" : strcmp(name, "none") == 0 ? "nothing" : "none";
    put_class(c, plus ? other : name);
    put_class(c, plus ? name : other);
}

/* "classes ..": as they are (numbers, several columns); else the classes in the order of their list. */
static fathom_status put_classes(fathom_certificate *c)
{
    const fathom_classes classes = fathom_data_classes(c->data);
    const char *coding = c->coded && classes.count > 2 ? "columns"
                         : c->coded || c->picked       ? "signs"
                         : c->data->text               ? "index"
                                                       : "none";
    if (c->data->outputs != 1 || strcmp(coding, "none") == 0)
        return fathom_file_print(c->file, "classes none\n");
    const bool single = classes.count == 1 && strcmp(coding, "signs") == 0;
    fathom_file_print(c->file, "classes %s %s %lld", coding, c->data->text_labels ? "texts" : "numbers",
                      (long long)classes.count + single);
    if (single)
        put_single(c, classes.name[0], classes.value[0]);
    for (int64_t k = 0; k < classes.count && !single; k++)
        put_class(c, classes.name[k]);
    return fathom_file_print(c->file, "\n");
}

/* "data ..": hashes, and how the file is read. */
static fathom_status put_source(fathom_certificate *c, const fathom_certificate_source *source)
{
    const fathom_table_origin *origin = &c->data->origin;
    const bool npy = origin->format == FATHOM_FORMAT_NPY;
    char hex[65], labels[65] = "";
    bool plain;
    int64_t bytes, more = 0;
    fathom_status status = scan(hex, &bytes, &plain, c->context, source->path, origin->format);
    if (status == FATHOM_OK && (!plain || (npy && !source->labels)))
        status = fathom_error_set(c->context, FATHOM_ERROR_INPUT, "%s: a certificate is about a plain file%s",
                                  source->path, npy ? " with its labels" : "");
    if (status == FATHOM_OK && npy)
        status = scan(labels, &more, &plain, c->context, source->labels, FATHOM_FORMAT_NPY);
    if (status != FATHOM_OK)
        return status;
    c->data_bytes = bytes + more;
    if (npy)
        return fathom_file_print(c->file, "data npy %s %s bytes %lld %lld\n", hex, labels, (long long)bytes,
                                 (long long)more);
    if (origin->format == FATHOM_FORMAT_LIBSVM)
        return fathom_file_print(c->file, "data libsvm %s %lld bytes %lld\n", hex,
                                 (long long)c->data->raw_columns, (long long)bytes);
    return fathom_file_print(c->file, "data csv %s %d %lld %lld bytes %lld\n", hex, origin->header,
                             (long long)origin->target, (long long)origin->weight, (long long)bytes);
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
    c->picked = source->options->classes != NULL;
    fathom_status status = fathom_file_create(&c->file, context, path);
    fathom_sha256_init(&c->hash);
    if (status == FATHOM_OK)
        fathom_file_watch(c->file, &c->hash);
    FATHOM_THEN(status, fathom_file_print(c->file, "fathom-certificate 2\n"));
    FATHOM_THEN(status, put_source(c, source));
    FATHOM_THEN(status, put_rows(c, source->options->rows));
    if (status != FATHOM_OK) {
        fathom_certificate_abort(c);
        *certificate = NULL;
    }
    return status;
}

/* One hexadecimal digit for four points, the first in its lowest bit. */
static fathom_status put_pattern(fathom_certificate *c, const uint64_t *bits, int64_t n)
{
    fathom_file_print(c->file, "gate ");
    for (int64_t i = 0; i < n; i += 4)
        fathom_file_print(c->file, "%x", (unsigned)(bits[i / 64] >> (i % 64) & 15));
    return fathom_file_print(c->file, "\n");
}

static fathom_status put_gates(fathom_certificate *c, const fathom_certificate_gates *gates)
{
    const int64_t d = c->data->d;
    fathom_status status = fathom_file_print(
        c->file, "gates %s %lld\n", gates->orientation || gates->m == 0 ? "orientations" : "patterns",
        (long long)gates->m);
    for (int64_t j = 0; j < gates->m && status == FATHOM_OK; j++) {
        if (gates->exact_at && gates->exact_at[j] >= 0) {
            const char *text = gates->exact_text + gates->exact_at[j];
            fathom_file_print(c->file, "gate ");
            fathom_file_write(c->file, text, strlen(text));
            status = fathom_file_print(c->file, "\n");
        } else if (gates->orientation)
            status = fathom_certificate_put_line(c, "gate", gates->orientation + j * d, d, 0);
        else
            status = put_pattern(c, gates->bits + j * gates->words, c->data->n);
    }
    return status;
}

void fathom_certificate_read_decimals(fathom_certificate *certificate) { certificate->decimals = true; }

fathom_status fathom_certificate_begin(fathom_certificate *c, const char *claim, bool coded,
                                       const fathom_certificate_gates *gates)
{
    static const char *const normalize[] = {"none", "unit", "standardize"};
    static const char *const bias[] = {"none", "augment", "free"};
    fathom_status status = FATHOM_OK;
    if (c->begun && coded != c->coded)
        return fathom_error_set(c->context, FATHOM_ERROR_USAGE,
                                "the claims of one certificate are about the same targets");
    if (!c->begun) {
        c->begun = true;
        c->coded = coded;
        put_classes(c);
        fathom_file_print(c->file, "steps %s %s %lld %lld%s\n", normalize[c->data->normalize],
                          bias[c->data->bias], (long long)c->data->n, (long long)c->data->d,
                          c->decimals ? " decimals" : "");
        status = put_gates(c, gates);
    }
    return status == FATHOM_OK ? fathom_file_print(c->file, "claim %s\n", claim) : status;
}

fathom_status fathom_certificate_close(fathom_certificate *certificate)
{
    fathom_context *context = certificate->context;
    if (!certificate->begun) {
        fathom_certificate_abort(certificate);
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "a certificate has at least one claim");
    }
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
