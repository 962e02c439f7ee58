/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of cones in files: the writer. All numbers are little-endian.
 *
 *     header   "FATHCONE", u32 version = 1, u32 flags (1: witnesses), u64 n, u64 d
 *     cone     u8 k, then
 *                k <= 250: k point numbers (u16 where n <= 65536, else u32): the points whose bits differ from the
 *                          cone before (from the empty pattern for the first)
 *                k = 254:  the whole pattern, ceil(n / 8) bytes, point i in bit i % 8 of byte i / 8
 *              then, with flag 1, d doubles: a point strictly inside
 *     end      u8 255, u64 number of cones, u64 checksum
 *
 * The checksum of no cones is 0; a cone with pattern words w_0, w_1, ... turns c into fold(c, w_0), fold(., w_1), ...
 * with fold(c, w) = (c xor w) * 0x9e3779b97f4a7c15 mod 2^64, rotated left by 29.
 */
#ifndef FATHOM_CONE_LIST_H
#define FATHOM_CONE_LIST_H

#include "cone_sink.h"
#include "file_write.h"

enum {
    FATHOM_CONE_LIST_VERSION = 1,
    FATHOM_CONE_LIST_WITNESSES = 1, /* flag */
    FATHOM_CONE_LIST_HEADER = 32,   /* bytes */
    FATHOM_CONE_LIST_MOST = 250,    /* flips of one record */
    FATHOM_CONE_LIST_WHOLE = 254,
    FATHOM_CONE_LIST_END = 255
};

static inline uint64_t fathom_cone_list_fold(uint64_t checksum, const uint64_t *bits, int64_t words)
{
    for (int64_t k = 0; k < words; k++) {
        checksum = (checksum ^ bits[k]) * 0x9e3779b97f4a7c15u;
        checksum = checksum << 29 | checksum >> 35;
    }
    return checksum;
}

typedef struct fathom_cone_list {
    fathom_context *context;
    const char *path;
    int64_t n, d, words;
    bool witnesses;
    fathom_file *file;
    unsigned char *buffer;     /* bytes not written yet */
    size_t used, room, record; /* record: the most that one cone takes */
    uint64_t *last;            /* words: the pattern before */
    uint64_t count, checksum;
} fathom_cone_list;

/* Starts a list; fathom_cone_list_free ends it in any case. */
fathom_status fathom_cone_list_open(fathom_cone_list *list, const fathom_hyperplanes *planes,
                                    const char *path, bool witnesses);
fathom_status fathom_cone_list_put(fathom_cone_list *list, const fathom_cone_block *block);

/* Starts over. */
fathom_status fathom_cone_list_reset(fathom_cone_list *list);

/* Completes the file, which appears under its name only now. */
fathom_status fathom_cone_list_close(fathom_cone_list *list);
void fathom_cone_list_free(fathom_cone_list *list);

#endif
