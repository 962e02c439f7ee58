/* SPDX-License-Identifier: Apache-2.0 */
/* Trains with a proof, writes it as a certificate, and lets fathom-check, a program of its own, verify it. */
#include <fathom/fathom.h>
#include <stdio.h>
#include <stdlib.h>

/* The claim of a training result about a data file, as a certificate. */
static fathom_status write_certificate(fathom_context *context, const fathom_data *data, const char *file,
                                       const fathom_train_result *result, const fathom_train_options *options)
{
    fathom_data_options reading;
    fathom_certificate *certificate;
    fathom_options_init(&reading, &fathom_data_option_table);
    const fathom_certificate_source source = {file, NULL, &reading};
    fathom_status status =
        fathom_certificate_open(&certificate, context, options->certificate, data, &source);
    if (status != FATHOM_OK)
        return status;
    status = fathom_certificate_add_train(certificate, result, options);
    if (status == FATHOM_OK)
        return fathom_certificate_close(certificate);
    fathom_certificate_abort(certificate);
    return status;
}

int main(void)
{
    static const char file[] = "points.csv";
    fathom_context *context;
    fathom_data *drawn = NULL, *data = NULL;
    fathom_train_options options;
    fathom_train_result result = {0};
    int failed = 1;

    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    fathom_options_init(&options, &fathom_train_option_table);
    options.certificate = "points.certificate";
    options.gap = 1e-3;
    /* A certificate is about a plain file: the data are drawn, written, and read from there. */
    if (fathom_data_open(&drawn, context, "gen:gauss,n=30,d=2,target=teacher", NULL) == FATHOM_OK &&
        fathom_data_write(drawn, file) == FATHOM_OK &&
        fathom_data_open(&data, context, file, NULL) == FATHOM_OK &&
        fathom_train(&result, context, data, NULL, &options) == FATHOM_OK &&
        write_certificate(context, data, file, &result, &options) == FATHOM_OK) {
        printf("claimed  lower=%.12g upper=%.12g\n", result.lower_bound, result.objective);
        fflush(stdout);
        failed = system("fathom-check points.certificate points.csv") != 0;
    } else {
        fprintf(stderr, "verify: %s\n", fathom_context_error(context)->text);
    }
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    fathom_data_free(drawn);
    fathom_context_free(context);
    return failed;
}
