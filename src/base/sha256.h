/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of a stream of bytes [FIPS 180-4]. */
#ifndef FATHOM_SHA256_H
#define FATHOM_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "inner/program.h"

typedef struct fathom_sha256 {
    uint32_t state[8];
    uint64_t length;
    unsigned char block[64];
} fathom_sha256;

FATHOM_PROGRAM void fathom_sha256_init(fathom_sha256 *hash);
FATHOM_PROGRAM void fathom_sha256_update(fathom_sha256 *hash, const void *data, size_t size);

/* The hash of everything so far in hexadecimal, ended by a zero byte. */
FATHOM_PROGRAM void fathom_sha256_finish(char hex[65], fathom_sha256 *hash);

#endif
