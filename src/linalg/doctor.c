/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine as fathom finds it.
 *
 * A BLAS older than its processor takes it for one of long ago: OpenBLAS 0.3.21 runs servers of 2023 as Prescott, of 2004. Products of
 * fathom do not depend on it (product.c); what LAPACK does is slower then, and a host program that uses the BLAS itself is.
 */
#include "fathom/doctor.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "machine.h"
#include "product.h"

#if defined(__linux__) && defined(__GNUC__)
__attribute__((weak)) extern char *openblas_get_corename(void);
#define CORE_NAME (openblas_get_corename ? openblas_get_corename() : "")
#else
#define CORE_NAME ""
#endif

/* Cores of OpenBLAS by what they need, the least first; cores of one rank run on the same instructions. */
static const struct {
    const char *name;
    int rank;
} cores[] = {{"Prescott", 0},      {"Core2", 0},       {"Athlon", 0},    {"Opteron", 0},    {"Penryn", 1},
             {"Dunnington", 1},    {"Barcelona", 1},   {"Atom", 1},      {"Nano", 1},       {"Nehalem", 2},
             {"Bobcat", 2},        {"Sandybridge", 3}, {"Bulldozer", 3}, {"Piledriver", 3}, {"Haswell", 4},
             {"Steamroller", 3},   {"Excavator", 4},   {"Zen", 4},       {"SkylakeX", 5},   {"Cooperlake", 5},
             {"SapphireRapids", 5}};

static bool same_word(const char *a, const char *b)
{
    for (; *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++)
        b++;
    return *a == 0 && *b == 0;
}

static int rank_of(const char *core)
{
    for (size_t k = 0; k < sizeof cores / sizeof cores[0]; k++)
        if (same_word(cores[k].name, core))
            return cores[k].rank;
    return -1;
}

static const char *fitting_core(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f")  ? "SkylakeX"
           : __builtin_cpu_supports("avx2")   ? "Haswell"
           : __builtin_cpu_supports("avx")    ? "Sandybridge"
           : __builtin_cpu_supports("sse4.2") ? "Nehalem"
                                              : "Prescott";
#else
    return NULL;
#endif
}

static void look_at_kernels(fathom_doctor *d)
{
    d->kernels = fathom_product_kernel_chosen()->name;
    d->best_kernels = fathom_product_kernel_number(0)->name;
    snprintf(d->blas_core, sizeof d->blas_core, "%s", CORE_NAME);
    d->fitting_core = fitting_core();
    const int rank = rank_of(d->blas_core);
    d->blas_fits = !d->fitting_core || rank < 0 || rank >= rank_of(d->fitting_core);
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
    static const char *const known[] = {
        "fathom", "blas", "blis",  "lapack",   "gomp",    "libomp", "iomp", "Clp", "CoinUtil", "flint", "arb",
        "gmp",    "mpfr", "cvode", "sundials", "jansson", "libz.",  "lzma", "bz2", "libc.so",  "libc-"};
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

static void judge(fathom_doctor *d)
{
    const double bound = fmin(d->allowed, d->quota), memory = fmin(d->memory_group, d->address_space);
    if (!d->blas_fits)
        find(d,
             "the BLAS under LAPACK takes this processor for %s: eigenvalues and singular values are slower; "
             "OPENBLAS_CORETYPE=%s sets it right",
             d->blas_core, d->fitting_core);
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
    if (d->peak > 0 && d->product < d->peak / 2)
        find(d, "products run at %.0f %% of the peak: this machine is busy or throttled",
             100 * d->product / d->peak);
}

void fathom_doctor_look(fathom_doctor *doctor, bool measure)
{
    memset(doctor, 0, sizeof *doctor);
    look_at_kernels(doctor);
    look_at_machine(doctor);
    look_at_libraries(doctor);
    if (measure) {
        doctor->peak = fathom_product_kernel_peak(fathom_product_kernel_number(0));
        doctor->product = time_product();
    }
    judge(doctor);
}
