/* SPDX-License-Identifier: Apache-2.0 */
/* bench_load FILE [REPEATS]: reads a data file and prints the best processor seconds, rows, columns and peak memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table.h"

/* Seconds of processor time: what one core spent, whatever else the machine does. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Largest resident size so far, in MB of 2^20 bytes (getrusage would count the parent's too). */
static double peak_memory(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = atof(line + 6);
    if (file)
        fclose(file);
    return kilobytes / 1024;
}

int main(int argc, char **argv)
{
    const int repeats = argc > 2 ? atoi(argv[2]) : 3;
    const fathom_table_request request = {.format = FATHOM_FORMAT_AUTO};
    fathom_context *context;
    double best = 1e300;
    int64_t n = 0, d = 0;
    if (argc < 2 || fathom_context_create(&context, NULL) != FATHOM_OK)
        return 2;
    const double base = peak_memory();
    for (int k = 0; k < repeats; k++) {
        fathom_table *table;
        const double start = processor_seconds();
        if (fathom_table_read(&table, context, argv[1], &request) != FATHOM_OK) {
            const fathom_error *error = fathom_context_error(context);
            fprintf(stderr, "%s:%lld:%lld: %s\n", argv[1], (long long)error->line, (long long)error->column,
                    error->text);
            return 1;
        }
        const double seconds = processor_seconds() - start;
        best = seconds < best ? seconds : best;
        n = table->n;
        d = table->d;
        fathom_table_free(context, table);
    }
    printf("{\"seconds\": %.6f, \"rows\": %lld, \"columns\": %lld, \"peak_mb\": %.1f}\n", best, (long long)n,
           (long long)d, peak_memory() - base);
    fathom_context_free(context);
    return 0;
}
