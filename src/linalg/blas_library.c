/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BLAS under LAPACK, as a library that others in the process may share.
 *
 * Its core. A BLAS older than its processor takes it for one of long ago: OpenBLAS 0.3.21 runs servers of
 * 2023 as Prescott, of 2004. It chooses when it is loaded, by OPENBLAS_CORETYPE where that is set; afterwards
 * it can only be asked.
 *
 * Its threads. The same bits for every number of threads need products on one thread, and loops of this
 * library are parallel already. The number is one for the process: it is set while somebody here is inside,
 * and given back.
 */
#include "blas_library.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <omp.h>

#include "platform.h"

#if defined(__linux__) && defined(__GNUC__)
__attribute__((weak)) extern char *openblas_get_corename(void);
__attribute__((weak)) extern void dgemm_(void);

/* Whether products of LAPACK go to the library that would tell its core: another one may stand before it. */
static bool is_openblas(void)
{
    if (!openblas_get_corename)
        return false;
    const char *asked = fathom_platform_library((const void *)openblas_get_corename),
               *used = dgemm_ ? fathom_platform_library((const void *)dgemm_) : NULL;
    return !asked || !used || strcmp(asked, used) == 0 || strstr(used, "openblas");
}

const char *fathom_blas_core(void) { return is_openblas() ? openblas_get_corename() : ""; }
#else
const char *fathom_blas_core(void) { return ""; }
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
    return 1000;
}

int fathom_blas_core_reaches(const char *core, const char *other) { return rank_of(core) >= rank_of(other); }

const char *fathom_blas_core_fitting(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
    return __builtin_cpu_supports("avx")      ? "Sandybridge"
           : __builtin_cpu_supports("sse4.2") ? "Nehalem"
                                              : "Prescott";
#else
    return NULL;
#endif
}

/* The build says whether the BLAS at hand has threads, and how it is told and asked. */
#ifdef FATHOM_BLAS_SET_THREADS
void FATHOM_BLAS_SET_THREADS(FATHOM_BLAS_THREADS_TYPE count);
FATHOM_BLAS_THREADS_TYPE FATHOM_BLAS_GET_THREADS(void);

static FATHOM_BLAS_THREADS_TYPE before; /* threads of the library when the first one went in */
static int inside;

/* A BLAS that is built on OpenMP sets the number of the calling thread's regions along with its own. */
static void set_threads(FATHOM_BLAS_THREADS_TYPE count)
{
    const int regions = omp_get_max_threads();
    FATHOM_BLAS_SET_THREADS(count);
    if (omp_get_max_threads() != regions)
        omp_set_num_threads(regions);
}

void fathom_blas_begin(void)
{
#pragma omp critical(fathom_blas_threads)
    if (inside++ == 0) {
        before = FATHOM_BLAS_GET_THREADS();
        if (before != 1)
            set_threads(1);
    }
}

void fathom_blas_end(void)
{
#pragma omp critical(fathom_blas_threads)
    if (--inside == 0 && before != 1 && FATHOM_BLAS_GET_THREADS() == 1)
        set_threads(before);
}
#else
void fathom_blas_begin(void) {}
void fathom_blas_end(void) {}
#endif
