/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine as fathom finds it.
 *
 * Where the BLAS has chosen a core below what the processor offers (blas_library.c), products of fathom do
 * not depend on it (product.c); what LAPACK does is slower then, and a host program that uses the BLAS itself
 * is.
 */
#include "fathom/doctor.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas_library.h"
#include "clock.h"
#include "machine.h"
#include "module.h"
#include "product.h"

static bool same_word(const char *a, const char *b)
{
    for (; *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++)
        b++;
    return *a == 0 && *b == 0;
}

const char *fathom_doctor_core_wanted(void)
{
    const char *fitting = fathom_blas_core_fitting();
    return fitting && !fathom_blas_core_reaches(fathom_blas_core(), fitting) ? fitting : NULL;
}

static void look_at_kernels(fathom_doctor *d)
{
    d->kernels = fathom_product_kernel_chosen()->name;
    d->best_kernels = fathom_product_kernel_number(0)->name;
    snprintf(d->blas_core, sizeof d->blas_core, "%s", fathom_blas_core());
    d->fitting_core = fathom_blas_core_fitting();
    d->blas_fits = fathom_doctor_core_wanted() == NULL;
}

static void look_at_machine(fathom_doctor *d)
{
    const fathom_machine machine = fathom_machine_look();
    const char *policy = getenv("OMP_WAIT_POLICY"), *spin = getenv("GOMP_SPINCOUNT");
    d->processors = machine.processors;
    d->allowed = machine.allowed;
    d->asked = machine.asked;
    d->threads = machine.threads;
    d->quota = machine.quota;
    d->passive = (policy && same_word("passive", policy)) || (spin && strcmp(spin, "0") == 0);
    d->memory = machine.memory;
    d->memory_group = machine.memory_group;
    d->address_space = machine.address_space;
    d->stack = machine.stack;
    d->open_files = machine.open_files;
}

/* Adds the file name of a library that is not there yet. */
static void add_library(fathom_doctor *d, const char *name)
{
    for (int k = 0; k < d->libraries; k++)
        if (strcmp(d->library[k], name) == 0)
            return;
    if (d->libraries < FATHOM_DOCTOR_LIBRARIES)
        snprintf(d->library[d->libraries++], FATHOM_DOCTOR_NAME, "%s", name);
}

/* What is loaded, by the map of this process's memory; file names carry versions. */
static void look_at_libraries(fathom_doctor *d)
{
    static const char *const known[] = {"fathom", "blas",  "blis",     "lapack",  "gomp",  "libomp",
                                        "iomp",   "Clp",   "CoinUtil", "flint",   "arb",   "gmp",
                                        "mpfr",   "cvode", "sundials", "jansson", "libz.", "lzma",
                                        "bz2",    "zstd",  "libc.so",  "libc-"};
    char line[1024];
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *path = strchr(line, '/'), *name = path ? strrchr(path, '/') + 1 : NULL;
        if (!name || !strstr(name, ".so"))
            continue;
        name[strcspn(name, "\n")] = 0;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            if (strstr(name, known[k])) {
                add_library(d, name);
                break;
            }
    }
    if (file)
        fclose(file);
}

/* The best of a few products, in operations per second. */
static double time_product(void)
{
    enum { SIDE = 256, TRIES = 12 };
    const int64_t size = SIDE * SIDE;
    double *a = malloc((size_t)(3 * size) * sizeof *a), best = 0;
    for (int64_t k = 0; a && k < 3 * size; k++)
        a[k] = 1.0 / (double)(1 + k % 7);
    for (int t = 0; a && t < TRIES; t++) {
        const double start = fathom_clock_seconds();
        fathom_blas_gemm(a + 2 * size, SIDE, SIDE, SIDE, SIDE, 1, fathom_plain(a, SIDE),
                         fathom_transposed(a + size, SIDE), 0);
        best = fmax(best, 2.0 * SIDE * SIDE * SIDE / (fathom_clock_seconds() - start));
    }
    free(a);
    return best;
}

__attribute__((format(printf, 2, 3))) static void find(fathom_doctor *d, const char *format, ...)
{
    va_list arguments;
    if (d->findings == FATHOM_DOCTOR_FINDINGS)
        return;
    va_start(arguments, format);
    vsnprintf(d->finding[d->findings++], FATHOM_DOCTOR_TEXT, format, arguments);
    va_end(arguments);
}

/* The library looks at OPENBLAS_CORETYPE when it is loaded, and takes it where it has such a core. */
static void judge_core(fathom_doctor *d)
{
    const char *asked = getenv("OPENBLAS_CORETYPE"), *slower = "eigenvalues and singular values are slower";
    if (!asked || !*asked)
        find(d,
             "the BLAS under LAPACK takes this processor for %s: %s; OPENBLAS_CORETYPE=%s in the environment "
             "sets it right",
             d->blas_core, slower, d->fitting_core);
    else if (same_word(asked, d->blas_core))
        find(d, "OPENBLAS_CORETYPE has the BLAS under LAPACK run as %s, this processor can run %s: %s", asked,
             d->fitting_core, slower);
    else
        find(d, "the BLAS under LAPACK runs as %s although OPENBLAS_CORETYPE asks for %s: %s", d->blas_core,
             asked, slower);
}

static void judge(fathom_doctor *d)
{
    const double bound = fmin(d->allowed, d->quota), memory = fmin(d->memory_group, d->address_space);
    if (!d->blas_fits)
        judge_core(d);
    if (d->kernels != d->best_kernels)
        find(d, "FATHOM_KERNELS asks for %s, this processor can run %s", d->kernels, d->best_kernels);
    if (d->threads > ceil(bound))
        find(d, "%d threads are asked for, %g processors are granted: more only wait for each other",
             d->threads, bound);
    if (!d->passive && d->threads > 1)
        find(d, "threads without work spin: OMP_WAIT_POLICY=passive lets others run");
    if (memory < 1e9)
        find(d,
             "%.2g GB of memory are allowed (ulimit -v or a control group); larger problems end with exit "
             "code 6",
             memory / 1e9);
}

/* Modules are not loaded: what they bring along (MPI) is not for a look. */
static void look_at_modules(fathom_doctor *d)
{
#ifndef FATHOM_CVODE_INSIDE
    if (!fathom_module_is_there(&fathom_module_cvode))
        find(d, "%s does not lie beside the library: flows of --accuracy reference end where they need it",
             fathom_module_cvode.file);
#else
    (void)d;
#endif
}

void fathom_doctor_look(fathom_doctor *doctor, bool measure)
{
    memset(doctor, 0, sizeof *doctor);
    if (measure)
        look_at_modules(doctor);
    look_at_kernels(doctor);
    look_at_machine(doctor);
    look_at_libraries(doctor);
    if (measure) {
        doctor->peak = fathom_product_kernel_peak(fathom_product_kernel_number(0));
        doctor->product = time_product();
    }
    judge(doctor);
}
