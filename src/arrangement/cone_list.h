/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of cones in files: the writer. All numbers are little-endian.
 *
 *     header   "FATHCONE", u32 version (2 with witnesses, else 1), u32 flags (1: witnesses), u64 n, u64 d
 *     cone     u8 k, then
 *                k <= 250: k point numbers (u16 where n <= 65536, else u32): the points whose bits differ from the
 *                          cone before (from the empty pattern for the first)
 *                k = 254:  the whole pattern, ceil(n / 8) bytes, point i in bit i % 8 of byte i / 8
 *              then, with flag 1, d doubles: a point strictly inside, or NaNs where the cone is too thin; after NaNs, from
 *              version 2 on, u32 length and d integers in hexadecimal, separated by spaces: such a point (length 0: none)
 *     end      u8 255, u64 number of cones, u64 checksum
 *
 * Each point i has the number mix(i), the output of splitmix64 for the state (i + 1) * 0x9e3779b97f4a7c15, and each
 * cone the exclusive or of those of its active points, e. The checksum starts at 0 and each cone turns it into
 * (c xor e) * 0x9e3779b97f4a7c15 mod 2^64, rotated left by 29.
 */
#ifndef FATHOM_CONE_LIST_H
#define FATHOM_CONE_LIST_H

#include "cone_sink.h"
#include "file_write.h"

enum {
    FATHOM_CONE_LIST_VERSION = 2,
    FATHOM_CONE_LIST_EXACT = 2,     /* the version from which on NaNs are followed by integers */
    FATHOM_CONE_LIST_WITNESSES = 1, /* flag */
    FATHOM_CONE_LIST_HEADER = 32,   /* bytes */
    FATHOM_CONE_LIST_MOST = 250,    /* flips of one record */
    FATHOM_CONE_LIST_WHOLE = 254,
    FATHOM_CONE_LIST_END = 255
};

static inline uint64_t fathom_cone_list_mix(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The exclusive or of all active points' numbers. */
static inline uint64_t fathom_cone_list_mark(const uint64_t *bits, int64_t words)
{
    uint64_t mark = 0;
    for (int64_t w = 0; w < words; w++)
        for (uint64_t rest = bits[w]; rest; rest &= rest - 1)
            mark ^= fathom_cone_list_mix((uint64_t)(64 * w + __builtin_ctzll(rest)));
    return mark;
}

static inline uint64_t fathom_cone_list_fold(uint64_t checksum, uint64_t mark)
{
    checksum = (checksum ^ mark) * 0x9e3779b97f4a7c15u;
    return checksum << 29 | checksum >> 35;
}

typedef struct fathom_cone_list {
    fathom_context *context;
    const char *path;
    int64_t n, d, words;
    int size; /* bytes of a point number */
    bool witnesses;
    fathom_file *file;
    unsigned char *buffer;     /* bytes not written yet */
    size_t used, room, record; /* record: the most that one cone takes */
    uint64_t *last;            /* words: the pattern before */
    uint64_t mark;             /* of that pattern */
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
