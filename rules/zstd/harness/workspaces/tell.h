/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Programs that say how much memory a kind of caller asks for. Each computes it
 * as those callers do, by nothing but the kernel's interface, and is built by
 * itself: where a form of the library lacks a function, only the programs that
 * call it fall out.
 *
 * CALLER name | how, in words       what the lines after it are about
 * WORKSPACE level compress decompress   in bytes; level 0 is any, - is none
 * DONE                              comes last
 */
#ifndef HARNESS_TELL_H
#define HARNESS_TELL_H

#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/zstd.h>

int printf(const char *format, ...);

static inline void tell_caller(const char *name, const char *how)
{
	printf("CALLER %s | %s\n", name, how);
}

static inline void tell_level(int level, size_t compress, size_t decompress)
{
	printf("WORKSPACE %d %lu %lu\n", level, (unsigned long)compress,
	       (unsigned long)decompress);
}

static inline int tell_end(void)
{
	printf("DONE\n");
	return 0;
}

static inline size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

#endif
