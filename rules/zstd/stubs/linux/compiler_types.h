/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Stands for the kernel's header in compile tests: only what an import uses.
 * The kernel's makefiles include it before everything else, and so do the
 * tests.
 */
#ifndef STUB_LINUX_COMPILER_TYPES_H
#define STUB_LINUX_COMPILER_TYPES_H

/* Not the same as __inline: the compiler refuses a function declared with both. */
#define inline inline __attribute__((__gnu_inline__)) __attribute__((__unused__))

#define fallthrough __attribute__((__fallthrough__))

#endif
