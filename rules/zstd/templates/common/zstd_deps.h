/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * What the library takes from its surroundings, given by the kernel.
 *
 * The first part is always there. Each part below has to be asked for by
 * defining its ZSTD_DEPS_NEED_ name before this header is included, which may
 * therefore happen more than once in a translation unit.
 */

#ifndef ZSTD_DEPS_COMMON
#define ZSTD_DEPS_COMMON

#include <linux/limits.h>
#include <linux/stddef.h>
#include <linux/types.h>

/* Builtins: a freestanding compiler makes calls even of 8-byte copies otherwise. */
#define ZSTD_memcpy(to, from, count) __builtin_memcpy((to), (from), (count))
#define ZSTD_memmove(to, from, count) __builtin_memmove((to), (from), (count))
#define ZSTD_memset(to, byte, count) __builtin_memset((to), (byte), (count))

#endif /* ZSTD_DEPS_COMMON */

/*
 * Heap. In the kernel all memory is handed in by the caller, so that there is
 * nothing to allocate from. Arguments are evaluated all the same, lest a
 * variable that only they use counts as unused.
 */
#ifdef ZSTD_DEPS_NEED_MALLOC
#ifndef ZSTD_DEPS_MALLOC
#define ZSTD_DEPS_MALLOC

#define ZSTD_malloc(size) ((void)(size), (void *)NULL)
#define ZSTD_calloc(count, size) ((void)(count), (void)(size), (void *)NULL)
#define ZSTD_free(address) ((void)(address))

#endif /* ZSTD_DEPS_MALLOC */
#endif /* ZSTD_DEPS_NEED_MALLOC */

/* 64-bit by 32-bit division: 32-bit kernels have no `/` for it. */
#ifdef ZSTD_DEPS_NEED_MATH64
#ifndef ZSTD_DEPS_MATH64
#define ZSTD_DEPS_MATH64

#include <linux/math64.h>

#define ZSTD_div64(dividend, divisor) div_u64((dividend), (divisor))

#endif /* ZSTD_DEPS_MATH64 */
#endif /* ZSTD_DEPS_NEED_MATH64 */

/* Assertions, and memcmp, which some of their conditions call. */
#ifdef ZSTD_DEPS_NEED_ASSERT
#ifndef ZSTD_DEPS_ASSERT
#define ZSTD_DEPS_ASSERT

#include <linux/bug.h>
#include <linux/string.h>

#define assert(condition) ((void)WARN_ON(!(condition)))

#endif /* ZSTD_DEPS_ASSERT */
#endif /* ZSTD_DEPS_NEED_ASSERT */

/* Debug output */
#ifdef ZSTD_DEPS_NEED_IO
#ifndef ZSTD_DEPS_IO
#define ZSTD_DEPS_IO

#include <linux/printk.h>

#define ZSTD_DEBUG_PRINT(format, ...) pr_debug(format, ##__VA_ARGS__)

#endif /* ZSTD_DEPS_IO */
#endif /* ZSTD_DEPS_NEED_IO */

/* intptr_t */
#ifdef ZSTD_DEPS_NEED_STDINT
#ifndef ZSTD_DEPS_STDINT
#define ZSTD_DEPS_STDINT

{% if target.need_intptr_t -%}
/* This kernel's linux/types.h does not have it. */
typedef long intptr_t;
{%- else -%}
#include <linux/types.h>
{%- endif %}

#endif /* ZSTD_DEPS_STDINT */
#endif /* ZSTD_DEPS_NEED_STDINT */
