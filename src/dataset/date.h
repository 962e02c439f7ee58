/* SPDX-License-Identifier: Apache-2.0 */
/* Dates: text to seconds since 1970-01-01 00:00 by the calendar (no time zones but those written), and
 * their parts. */
#ifndef FATHOM_DATE_H
#define FATHOM_DATE_H

#include "fathom/schema.h"

/* 2020-12-31, 2020/12/31, 31.12.2020, 12/31/2020 or 31/12/2020 (also with -) by `order`, 31 Dec 2020, 31-Dec-2020,
 * December 31, 2020, and these with years of two digits (12/31/20; 69 to 99 are of the century before); after T or spaces
 * a time 23:59[:59[.5]] [AM|PM], then Z or +01:00, which are taken off. False where the text is none of
 * these or there is no such day. */
bool fathom_date_parse(double *seconds, const char *text, fathom_date_order order);

/* One part. */
double fathom_date_part_of(double seconds, fathom_date_part part);

#endif
