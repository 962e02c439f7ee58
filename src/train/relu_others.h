/* SPDX-License-Identifier: Apache-2.0 */
/* Other optimal networks; see relu_others.c. */
#ifndef FATHOM_RELU_OTHERS_H
#define FATHOM_RELU_OTHERS_H

#include "relu_columns.h"

/* Says in the log where a network with other neurons has the objective of a->net; a->trial is that network then. */
fathom_status fathom_columns_find_other(fathom_columns *a);

#endif
