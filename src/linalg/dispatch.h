/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run-time choice of the instruction set: put FATHOM_DISPATCH before the definition of a hot loop, and it is compiled
 * for plain x86-64, for AVX2 and for AVX-512 of any maker, the best of which is taken when the program is loaded. On other
 * processors, and under sanitizers (which start before the loader's choice is safe), the plain version is all there
 * is. Bits may differ between kinds of processor, never on one. For static functions only, of names that no
 * other file uses for one: clang 14 gives an external one a name that other files do not find, and the chooser of a static
 * one to all of them.
 */
#ifndef FATHOM_DISPATCH_H
#define FATHOM_DISPATCH_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define FATHOM_DISPATCH_PLAIN
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FATHOM_DISPATCH_PLAIN
#endif

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(FATHOM_DISPATCH_PLAIN)
#define FATHOM_DISPATCH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FATHOM_DISPATCH
#endif

#endif
