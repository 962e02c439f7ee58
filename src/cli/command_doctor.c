/* SPDX-License-Identifier: Apache-2.0 */
/* fathom doctor: what this machine gives, and what is wrong with it. */
#include "commands.h"
#include "inner/json.h"

#include <math.h>
#include <string.h>

static void say_limit(const cli_invocation *invocation, const char *name, double value, double unit,
                      const char *word)
{
    if (isfinite(value))
        cli_say(invocation, "%-16s %.6g%s", name, value / unit, word);
    else
        cli_say(invocation, "%-16s none", name);
}

static void say(const cli_invocation *invocation, const fathom_doctor *d)
{
    cli_say(invocation, "fathom           %s", fathom_version());
    for (int k = 0; k < d->libraries; k++)
        cli_say(invocation, "%-16s %s", k == 0 ? "libraries" : "", d->library[k]);
    cli_say(invocation, "kernels          %s (best here: %s)", d->kernels, d->best_kernels);
    cli_say(invocation, "peak             %.1f Gflop/s on one thread, in registers", d->peak / 1e9);
    cli_say(invocation, "product          %.1f Gflop/s (256 x 256 x 256), %.0f %% of the peak%s",
            d->product / 1e9, 100 * d->product / d->peak,
            d->product < d->peak / 2 ? ": this machine is busy or throttled" : "");
    cli_say(invocation, "core of the BLAS %s%s%s", *d->blas_core ? d->blas_core : "not known",
            d->fitting_core ? ", fitting: " : "", d->fitting_core ? d->fitting_core : "");
    cli_say(invocation, "threads          %d (%d processors, %d by affinity), waiting %s", d->threads,
            d->processors, d->allowed, d->passive ? "passively" : "by spinning");
    say_limit(invocation, "quota", d->quota, 1, " processors");
    say_limit(invocation, "memory", d->memory, 1e9, " GB");
    say_limit(invocation, "memory of group", d->memory_group, 1e9, " GB");
    say_limit(invocation, "address space", d->address_space, 1e9, " GB");
    say_limit(invocation, "stack", d->stack, 1e6, " MB");
    say_limit(invocation, "open files", d->open_files, 1, "");
    for (int k = 0; k < d->findings; k++)
        cli_say(invocation, "wrong:           %s", d->finding[k]);
    if (d->findings == 0)
        cli_say(invocation, "Nothing is wrong.");
}

static fathom_status set_texts(fathom_json *result, const char *key, const char *first, size_t size,
                               int count)
{
    const char *text[FATHOM_DOCTOR_LIBRARIES];
    for (int k = 0; k < count; k++)
        text[k] = first + (size_t)k * size;
    return fathom_json_set_texts(result, key, text, count);
}

static fathom_status describe(fathom_json *result, const fathom_doctor *d)
{
    FATHOM_TRY(CLI_SET(
        result, cli_text("kernels", d->kernels), cli_text("best_kernels", d->best_kernels),
        cli_real("peak", d->peak), cli_real("product", d->product), cli_text("blas_core", d->blas_core),
        cli_when(d->fitting_core != NULL, cli_text("fitting_core", d->fitting_core)),
        cli_integer("processors", d->processors), cli_integer("allowed", d->allowed),
        cli_integer("threads", d->threads), cli_real("quota", d->quota), cli_real("memory", d->memory),
        cli_real("memory_group", d->memory_group), cli_real("address_space", d->address_space),
        cli_real("stack", d->stack), cli_real("open_files", d->open_files)));
    FATHOM_TRY(fathom_json_set_bool(result, "passive", d->passive));
    FATHOM_TRY(fathom_json_set_bool(result, "blas_fits", d->blas_fits));
    FATHOM_TRY(set_texts(result, "libraries", d->library[0], sizeof d->library[0], d->libraries));
    return set_texts(result, "findings", d->finding[0], sizeof d->finding[0], d->findings);
}

fathom_status cli_run_doctor(cli_invocation *invocation, int *exit_code)
{
    fathom_doctor doctor;
    fathom_doctor_look(&doctor, true);
    if (doctor.findings > 0)
        *exit_code = 3;
    say(invocation, &doctor);
    return describe(invocation->result, &doctor);
}
