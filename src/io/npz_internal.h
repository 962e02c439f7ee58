/* SPDX-License-Identifier: Apache-2.0 */
/* Members of NPZ archives as they are stored. */
#ifndef FATHOM_NPZ_INTERNAL_H
#define FATHOM_NPZ_INTERNAL_H

#include "npz.h"

typedef struct fathom_npz_member {
    char name[64];             /* without ".npy" */
    const unsigned char *data; /* borrowed from the archive */
    int64_t size;
    uint32_t crc;
} fathom_npz_member;

/* Stored member number `index`; false after the last, or where the archive does not hold what its directory says. */
bool fathom_npz_look(fathom_npz_member *found, const fathom_npz *npz, int64_t index);

#endif
