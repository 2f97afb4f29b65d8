/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Fixed-width integers and unaligned memory access for the kernel.
 *
 * Takes the place of the library's own header of this name: same names, but
 * everything rests on the kernel's types and accessors, which know what each
 * architecture does best.
 */

#ifndef MEM_H_MODULE
#define MEM_H_MODULE

#include <linux/swab.h>
#include <linux/types.h>
#include <{{ target.unaligned_header }}>

#include "compiler.h"
#include "debug.h"
#include "zstd_deps.h"

/*
 * Some releases define this in compiler.h, with __inline. The kernel's inline
 * has attributes that __inline lacks, and compilers refuse a function that is
 * declared with one of them and defined with the other.
 */
#undef MEM_STATIC
#define MEM_STATIC static inline __attribute__((__unused__))

typedef u8 BYTE;
typedef u8 U8;
typedef s8 S8;
typedef u16 U16;
typedef s16 S16;
typedef u32 U32;
typedef s32 S32;
typedef u64 U64;
typedef s64 S64;

/* The platform: each of these is a constant to the compiler. */

MEM_STATIC unsigned int MEM_32bits(void)
{
	return sizeof(size_t) == sizeof(U32);
}

MEM_STATIC unsigned int MEM_64bits(void)
{
	return sizeof(size_t) == sizeof(U64);
}

MEM_STATIC unsigned int MEM_isLittleEndian(void)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

MEM_STATIC void MEM_check(void)
{
	DEBUG_STATIC_ASSERT(sizeof(size_t) == sizeof(U32) || sizeof(size_t) == sizeof(U64));
}

{% if release == "1.5.1" %}
/* On the way to 1.5.1 alignment had this name, for a while in compiler.h. */
#ifndef MEM_ALIGN_COND
#define MEM_ALIGN_COND(type) __alignof__(type)
#endif

{% endif %}
/* Byte swapping */

MEM_STATIC U32 MEM_swap32(U32 value)
{
	return swab32(value);
}

MEM_STATIC U64 MEM_swap64(U64 value)
{
	return swab64(value);
}

MEM_STATIC size_t MEM_swapST(size_t value)
{
	return MEM_64bits() ? (size_t)swab64(value) : (size_t)swab32((U32)value);
}

/* Unaligned, in the machine's own byte order */

MEM_STATIC U16 MEM_read16(const void *src)
{
	return get_unaligned((const U16 *)src);
}

MEM_STATIC U32 MEM_read32(const void *src)
{
	return get_unaligned((const U32 *)src);
}

MEM_STATIC U64 MEM_read64(const void *src)
{
	return get_unaligned((const U64 *)src);
}

MEM_STATIC size_t MEM_readST(const void *src)
{
	return get_unaligned((const size_t *)src);
}

MEM_STATIC void MEM_write16(void *dst, U16 value)
{
	put_unaligned(value, (U16 *)dst);
}

MEM_STATIC void MEM_write32(void *dst, U32 value)
{
	put_unaligned(value, (U32 *)dst);
}

MEM_STATIC void MEM_write64(void *dst, U64 value)
{
	put_unaligned(value, (U64 *)dst);
}

/* Unaligned, little-endian */

MEM_STATIC U16 MEM_readLE16(const void *src)
{
	return get_unaligned_le16(src);
}

MEM_STATIC U32 MEM_readLE24(const void *src)
{
	const BYTE *bytes = src;

	return get_unaligned_le16(bytes) | (U32)bytes[2] << 16;
}

MEM_STATIC U32 MEM_readLE32(const void *src)
{
	return get_unaligned_le32(src);
}

MEM_STATIC U64 MEM_readLE64(const void *src)
{
	return get_unaligned_le64(src);
}

MEM_STATIC size_t MEM_readLEST(const void *src)
{
	return MEM_64bits() ? (size_t)get_unaligned_le64(src) : get_unaligned_le32(src);
}

MEM_STATIC void MEM_writeLE16(void *dst, U16 value)
{
	put_unaligned_le16(value, dst);
}

MEM_STATIC void MEM_writeLE24(void *dst, U32 value)
{
	BYTE *bytes = dst;

	put_unaligned_le16((U16)value, bytes);
	bytes[2] = (BYTE)(value >> 16);
}

MEM_STATIC void MEM_writeLE32(void *dst, U32 value)
{
	put_unaligned_le32(value, dst);
}

MEM_STATIC void MEM_writeLE64(void *dst, U64 value)
{
	put_unaligned_le64(value, dst);
}

MEM_STATIC void MEM_writeLEST(void *dst, size_t value)
{
	if (MEM_64bits())
		put_unaligned_le64(value, dst);
	else
		put_unaligned_le32((U32)value, dst);
}

/* Unaligned, big-endian */

MEM_STATIC U32 MEM_readBE32(const void *src)
{
	return get_unaligned_be32(src);
}

MEM_STATIC U64 MEM_readBE64(const void *src)
{
	return get_unaligned_be64(src);
}

MEM_STATIC size_t MEM_readBEST(const void *src)
{
	return MEM_64bits() ? (size_t)get_unaligned_be64(src) : get_unaligned_be32(src);
}

MEM_STATIC void MEM_writeBE32(void *dst, U32 value)
{
	put_unaligned_be32(value, dst);
}

MEM_STATIC void MEM_writeBE64(void *dst, U64 value)
{
	put_unaligned_be64(value, dst);
}

MEM_STATIC void MEM_writeBEST(void *dst, size_t value)
{
	if (MEM_64bits())
		put_unaligned_be64(value, dst);
	else
		put_unaligned_be32((U32)value, dst);
}

#endif /* MEM_H_MODULE */
