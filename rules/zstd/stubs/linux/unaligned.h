/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Stands for the kernel's header in compile tests: only what an import uses.
 * Where the byte order is named, bytes are put together one by one, which is
 * right whatever the machine's own order.
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

static inline u64 stub_get(const u8 *from, unsigned int size, int big)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (u64)from[big ? size - 1 - i : i] << 8 * i;
	return value;
}

static inline void stub_put(u64 value, u8 *to, unsigned int size, int big)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		to[big ? size - 1 - i : i] = (u8)(value >> 8 * i);
}

#define STUB_UNALIGNED(bits, order, big)                                          \
	static inline u##bits get_unaligned_##order##bits(const void *from)       \
	{                                                                         \
		return (u##bits)stub_get(from, bits / 8, big);                    \
	}                                                                         \
	static inline void put_unaligned_##order##bits(u##bits value, void *to)   \
	{                                                                         \
		stub_put(value, to, bits / 8, big);                               \
	}

STUB_UNALIGNED(16, le, 0)
STUB_UNALIGNED(32, le, 0)
STUB_UNALIGNED(64, le, 0)
STUB_UNALIGNED(16, be, 1)
STUB_UNALIGNED(32, be, 1)
STUB_UNALIGNED(64, be, 1)

#endif
