/* SPDX-License-Identifier: Apache-2.0 */
/* Wall-clock seconds from an arbitrary origin; never runs backwards. */
#ifndef FATHOM_CLOCK_H
#define FATHOM_CLOCK_H

double fathom_clock_seconds(void);

#endif
