/* SPDX-License-Identifier: Apache-2.0 */
/* load FILE [REPEATS]: reads a data file and prints the best seconds, rows, columns and peak memory as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "clock.h"
#include "table.h"

int main(int argc, char **argv)
{
    const int repeats = argc > 2 ? atoi(argv[2]) : 3;
    const fathom_table_request request = {FATHOM_FORMAT_AUTO};
    fathom_context *context;
    double best = 1e300;
    int64_t n = 0, d = 0;
    if (argc < 2 || fathom_context_create(&context, NULL) != FATHOM_OK)
        return 2;
    for (int k = 0; k < repeats; k++) {
        fathom_table *table;
        const double start = fathom_clock_seconds();
        if (fathom_table_read(&table, context, argv[1], &request) != FATHOM_OK) {
            const fathom_error *error = fathom_context_error(context);
            fprintf(stderr, "%s:%lld:%lld: %s\n", argv[1], (long long)error->line, (long long)error->column,
                    error->text);
            return 1;
        }
        const double seconds = fathom_clock_seconds() - start;
        best = seconds < best ? seconds : best;
        n = table->n;
        d = table->d;
        fathom_table_free(context, table);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"seconds\": %.6f, \"rows\": %lld, \"columns\": %lld, \"peak_mb\": %.1f}\n", best, (long long)n,
           (long long)d, (double)usage.ru_maxrss / 1024);
    fathom_context_free(context);
    return 0;
}
