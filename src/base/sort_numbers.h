/* SPDX-License-Identifier: Apache-2.0 */
/* Many numbers in ascending order; see sort_numbers.c. */
#ifndef FATHOM_SORT_NUMBERS_H
#define FATHOM_SORT_NUMBERS_H

#include <stdint.h>

/* Sorts `count` numbers, none of them NaN; equal ones (0 and -0 among them) stay in their order. room: as many. */
void fathom_sort_numbers(double *value, double *room, int64_t count);

#endif
