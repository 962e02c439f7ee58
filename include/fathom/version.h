/* SPDX-License-Identifier: Apache-2.0 */
/* The version of these headers, for the preprocessor; fathom_version() is that of the library. */
#ifndef FATHOM_VERSION_H
#define FATHOM_VERSION_H

#define FATHOM_VERSION_MAJOR 0
#define FATHOM_VERSION_MINOR 2
#define FATHOM_VERSION_PATCH 0
#define FATHOM_VERSION_TEXT "0.2.0"

#endif
