/* SPDX-License-Identifier: Apache-2.0 */
/* Trains with a proof, writes it as a certificate, and lets fathom-check, a program of its own, verify it. */
#include <fathom/fathom.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    fathom_context *context;
    fathom_data_options reading;
    fathom_train_options options;
    fathom_train_result result = {0};
    fathom_job *job = NULL;
    int failed = 1;

    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    fathom_options_init(&reading, &fathom_data_option_table);
    fathom_options_init(&options, &fathom_train_option_table);
    options.certificate = "points.certificate";
    options.gap = 1e-3;
    /* A certificate is about a plain file: the job writes the data that are drawn to points.certificate.csv. */
    const fathom_job_source source = {
        .spec = "gen:gauss,n=30,d=2,target=teacher", .options = &reading, .certificate = options.certificate};
    if (fathom_job_open(&job, context, &source) == FATHOM_OK &&
        fathom_train(&result, context, fathom_job_look(job).data, NULL, &options) == FATHOM_OK &&
        fathom_job_prove_train(job, &result, 1, &options) == FATHOM_OK) {
        printf("claimed  lower=%.12g upper=%.12g\n", result.lower_bound, result.objective);
        fflush(stdout);
        failed = system("fathom-check points.certificate points.certificate.csv") != 0;
    } else {
        fprintf(stderr, "verify: %s\n", fathom_context_error(context)->text);
    }
    fathom_train_result_clear(&result);
    fathom_job_end(job);
    fathom_context_free(context);
    return failed;
}
