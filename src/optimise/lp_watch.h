/* SPDX-License-Identifier: Apache-2.0 */
/* What the C interface of Clp leaves out: a way to end a run from inside. */
#ifndef FATHOM_LP_WATCH_H
#define FATHOM_LP_WATCH_H

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

/* From now on the model, a Clp_Simplex, ends its runs once ended(user) is true. May throw. */
void fathom_lp_watch(void *model, bool (*ended)(const void *user), const void *user);

#ifdef __cplusplus
}
#endif

#endif
