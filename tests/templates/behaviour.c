/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Runs what the replaced headers offer. The exit status is the number of the
 * first check that fails, 0 if all hold. Right on any byte order and width.
 */
#define ZSTD_DEPS_NEED_MALLOC
#define ZSTD_DEPS_NEED_MATH64
#define ZSTD_DEPS_NEED_STDINT
#include "common/mem.h"
#include "common/zstd_deps.h"
/* Asked for later, and again, as the library does. */
#define ZSTD_DEPS_NEED_IO
#include "common/zstd_deps.h"
#include "common/zstd_deps.h"

/* Declared and defined in two ways, as the library does. */
MEM_STATIC int first_failure(void);

static int warnings;

void stub_warn(const char *file, int line)
{
	(void)file;
	(void)line;
	warnings++;
}

int stub_printk(const char *format, ...)
{
	return format[0];
}

u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#define CHECK(condition)       \
	do {                   \
		checks++;      \
		if (!(condition)) \
			return checks; \
	} while (0)

static int checks;

/* The bytes 1, 2, 3, … at an odd address. */
static BYTE *counted(void)
{
	static BYTE bytes[32];
	int i;

	for (i = 0; i < 31; i++)
		bytes[i + 1] = (BYTE)(i + 1);
	return bytes + 1;
}

static int check_types(void)
{
	CHECK(sizeof(BYTE) == 1 && sizeof(U8) == 1 && sizeof(S8) == 1);
	CHECK(sizeof(U16) == 2 && sizeof(S16) == 2);
	CHECK(sizeof(U32) == 4 && sizeof(S32) == 4);
	CHECK(sizeof(U64) == 8 && sizeof(S64) == 8);
	CHECK((S8)-1 < 0 && (S16)-1 < 0 && (S32)-1 < 0 && (S64)-1 < 0);
	CHECK((BYTE)-1 > 0 && (U8)-1 > 0 && (U16)-1 > 0 && (U32)-1 > 0 && (U64)-1 > 0);
	CHECK(sizeof(intptr_t) == sizeof(void *) && (intptr_t)-1 < 0);
	CHECK(MEM_32bits() + MEM_64bits() == 1);
	CHECK(MEM_64bits() == (sizeof(void *) == 8));
	return 0;
}

static int check_reads(void)
{
	const BYTE *p = counted();
	const U32 first = 1;
	const int little = *(const BYTE *)&first == 1;

	CHECK(MEM_isLittleEndian() == (unsigned int)little);
	CHECK(MEM_read16(p) == (little ? 0x0201 : 0x0102));
	CHECK(MEM_read32(p) == (little ? 0x04030201 : 0x01020304));
	CHECK(MEM_read64(p) == (little ? 0x0807060504030201ULL : 0x0102030405060708ULL));
	CHECK(MEM_readST(p) == (MEM_64bits() ? (size_t)MEM_read64(p) : MEM_read32(p)));
	CHECK(MEM_readLE16(p) == 0x0201);
	CHECK(MEM_readLE24(p) == 0x030201);
	CHECK(MEM_readLE32(p) == 0x04030201);
	CHECK(MEM_readLE64(p) == 0x0807060504030201ULL);
	CHECK(MEM_readLEST(p) == (size_t)(MEM_64bits() ? MEM_readLE64(p) : MEM_readLE32(p)));
	CHECK(MEM_readBE32(p) == 0x01020304);
	CHECK(MEM_readBE64(p) == 0x0102030405060708ULL);
	CHECK(MEM_readBEST(p) == (size_t)(MEM_64bits() ? MEM_readBE64(p) : MEM_readBE32(p)));
	CHECK(MEM_swap32(0x01020304) == 0x04030201);
	CHECK(MEM_swap64(0x0102030405060708ULL) == 0x0807060504030201ULL);
	CHECK(MEM_swapST(MEM_readLEST(p)) == MEM_readBEST(p));
	MEM_check();
	return 0;
}

/* Writes, reads back with the reader, and looks at the byte behind. */
#define CHECK_WRITE(write, read, value, size)         \
	do {                                          \
		BYTE *target = counted();             \
		write(target, value);                 \
		CHECK(read(target) == (value));       \
		CHECK(target[size] == (size) + 1);    \
	} while (0)

static int check_writes(void)
{
	CHECK_WRITE(MEM_write16, MEM_read16, 0xfedc, 2);
	CHECK_WRITE(MEM_write32, MEM_read32, 0xfedcba98, 4);
	CHECK_WRITE(MEM_write64, MEM_read64, 0xfedcba9876543210ULL, 8);
	CHECK_WRITE(MEM_writeLE16, MEM_readLE16, 0xfedc, 2);
	CHECK_WRITE(MEM_writeLE24, MEM_readLE24, 0xfedcba, 3);
	CHECK_WRITE(MEM_writeLE32, MEM_readLE32, 0xfedcba98, 4);
	CHECK_WRITE(MEM_writeLE64, MEM_readLE64, 0xfedcba9876543210ULL, 8);
	CHECK_WRITE(MEM_writeLEST, MEM_readLEST, (size_t)0xfedcba9876543210ULL, (int)sizeof(size_t));
	CHECK_WRITE(MEM_writeBE32, MEM_readBE32, 0xfedcba98, 4);
	CHECK_WRITE(MEM_writeBE64, MEM_readBE64, 0xfedcba9876543210ULL, 8);
	CHECK_WRITE(MEM_writeBEST, MEM_readBEST, (size_t)0xfedcba9876543210ULL, (int)sizeof(size_t));
	return 0;
}

/* A size that the compiler can't know. */
static size_t volatile_size(size_t size)
{
	volatile size_t unknown = size;

	return unknown;
}

static int check_dependencies(void)
{
	BYTE *bytes = counted();
	int evaluated = 0;

	/* Overlapping, in both directions, and longer than a word. */
	ZSTD_memmove(bytes + 1, bytes, 4);
	CHECK(MEM_readLE32(bytes + 1) == 0x04030201);
	bytes = counted();
	ZSTD_memmove(bytes + 3, bytes, volatile_size(20));
	CHECK(bytes[0] == 1 && bytes[3] == 1 && bytes[22] == 20 && bytes[23] == 24);
	bytes = counted();
	ZSTD_memmove(bytes, bytes + 3, volatile_size(20));
	CHECK(bytes[0] == 4 && bytes[19] == 23 && bytes[20] == 21);
	bytes = counted();
	ZSTD_memmove(bytes + 1, bytes, 4);
	ZSTD_memcpy(bytes + 8, bytes + 1, 4);
	CHECK(MEM_readLE32(bytes + 8) == 0x04030201);
	ZSTD_memset(bytes, 7, 4);
	CHECK(MEM_readLE32(bytes) == 0x07070707);
	CHECK(ZSTD_malloc(evaluated++) == NULL && evaluated == 1);
	CHECK(ZSTD_calloc(evaluated++, evaluated++) == NULL && evaluated == 3);
	ZSTD_free((evaluated++, bytes));
	CHECK(evaluated == 4);
	CHECK(ZSTD_div64(0x123456789aULL, 16) == 0x123456789ULL);
	CHECK(ZSTD_div64(~0ULL, 0xffffffffU) == 0x100000001ULL && ZSTD_div64(7, 8) == 0);
	CHECK(UINT_MAX > INT_MAX && offsetof(struct { char a; U32 b; }, b) == 4);
	ZSTD_DEBUG_PRINT("%d\n", evaluated);
	return 0;
}

static int check_asserts(void)
{
	int evaluated = 0;

	assert(evaluated++ == 0);
	CHECK(evaluated == (DEBUGLEVEL >= 1) && warnings == 0);
	assert(evaluated < 0);
	CHECK(warnings == (DEBUGLEVEL >= 1));
	return 0;
}

static inline int first_failure(void)
{
	int failed = check_types();

	failed = failed ? failed : check_reads();
	failed = failed ? failed : check_writes();
	failed = failed ? failed : check_dependencies();
	return failed ? failed : check_asserts();
}

int main(void)
{
	return first_failure();
}
