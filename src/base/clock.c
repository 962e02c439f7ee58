/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include "platform.h"

double fathom_clock_seconds(void) { return fathom_platform_seconds(); }
