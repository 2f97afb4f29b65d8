/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Stands for the kernel's header in compile tests: only what an import uses.
 * As fast as the kernel's own: it is measured, too.
 */
#ifndef STUB_LINUX_UNALIGNED_H
#define STUB_LINUX_UNALIGNED_H

#include <linux/types.h>

#define get_unaligned(from)                                               \
	({                                                                \
		const struct {                                            \
			__typeof__(*(from)) value;                        \
		} __attribute__((__packed__)) *stub_from = (const void *)(from); \
		stub_from->value;                                         \
	})

#define put_unaligned(new_value, to)                                      \
	do {                                                              \
		struct {                                                  \
			__typeof__(*(to)) value;                          \
		} __attribute__((__packed__)) *stub_to = (void *)(to);    \
		stub_to->value = (new_value);                             \
	} while (0)

/* Kernels name their own order; code that asks takes the other one else. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define __LITTLE_ENDIAN 1234
#define STUB_IS_BIG 0
#else
#define __BIG_ENDIAN 4321
#define STUB_IS_BIG 1
#endif

#define STUB_UNALIGNED(bits, order, big)                                          \
	static inline u##bits get_unaligned_##order##bits(const void *from)       \
	{                                                                         \
		u##bits const value = get_unaligned((const u##bits *)from);       \
		return STUB_IS_BIG == big ? value : __builtin_bswap##bits(value); \
	}                                                                         \
	static inline void put_unaligned_##order##bits(u##bits value, void *to)   \
	{                                                                         \
		u##bits const there =                                             \
			STUB_IS_BIG == big ? value : __builtin_bswap##bits(value); \
		put_unaligned(there, (u##bits *)to);                              \
	}

STUB_UNALIGNED(16, le, 0)
STUB_UNALIGNED(32, le, 0)
STUB_UNALIGNED(64, le, 0)
STUB_UNALIGNED(16, be, 1)
STUB_UNALIGNED(32, be, 1)
STUB_UNALIGNED(64, be, 1)

#endif
