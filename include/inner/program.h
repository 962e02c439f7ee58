/* SPDX-License-Identifier: Apache-2.0 */
/* FATHOM_PROGRAM before a declaration: the library exports the function for the program and the package for Python
 * that are built and shipped with it. It is no part of the interface, and may change with every version. */
#ifndef FATHOM_PROGRAM_H
#define FATHOM_PROGRAM_H

#if defined(__GNUC__)
#define FATHOM_PROGRAM __attribute__((visibility("default")))
#else
#define FATHOM_PROGRAM
#endif

#endif
