/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a model file, in the order of their enumerations. */
#ifndef FATHOM_MODEL_NAMES_H
#define FATHOM_MODEL_NAMES_H

/* The newest version, which models with a schema have; the others are as they were. */
#define FATHOM_MODEL_FORMAT "fathom-model-"
enum { FATHOM_MODEL_PLAIN_VERSION = 1, FATHOM_MODEL_VERSION = 2 };

enum { FATHOM_NAMES = 12 };
typedef const char *const fathom_names[FATHOM_NAMES]; /* ends in NULL */

static fathom_names fathom_kind_names = {"relu", "leaky", "huber", "gated", "scalar", "ntk", "convex-rf"};
static fathom_names fathom_activation_names = {"relu", "leaky:", "huber:", "gate",
                                               "relu", "arc:",   "relu"}; /* colon: a parameter */
static fathom_names fathom_normalize_names = {"none", "unit", "standardize"};
static fathom_names fathom_pooling_names = {"max", "mean"};
static fathom_names fathom_bias_names = {"none", "augment", "free"};
static fathom_names fathom_text_column_names = {"none", "one-hot"};

#endif
