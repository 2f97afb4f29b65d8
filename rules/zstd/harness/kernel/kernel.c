/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * What the library expects of the kernel, for programs that try it on a usual
 * system. What this file defines is taken for what every kernel has.
 */
#include <linux/bug.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/xxhash.h>

int printf(const char *format, ...);
void *memset(void *to, int byte, size_t size);

/* Says which assertion failed; not for ever. */
void stub_warn(const char *file, int line)
{
	static int said;

	if (said++ < 50)
		printf("ASSERT %s:%d\n", file, line);
}

int stub_printk(const char *format, ...)
{
	return format[0];
}

u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

/*
 * XXH64: words 0 to 3 are the lanes, 4 to 7 the bytes that wait for a stripe, 8
 * the length so far, 9 the seed.
 */
static const u64 primes[5] = {
	0x9E3779B185EBCA87ULL, 0xC2B2AE3D27D4EB4FULL, 0x165667B19E3779F9ULL,
	0x85EBCA77C2B2AE63ULL, 0x27D4EB2F165667C5ULL,
};

static u64 rotated(u64 x, int by)
{
	return x << by | x >> (64 - by);
}

static u64 little_endian(const unsigned char *at, int count)
{
	u64 value = 0;

	while (count--)
		value = value << 8 | at[count];
	return value;
}

static u64 mixed(u64 lane, u64 input)
{
	return rotated(lane + input * primes[1], 31) * primes[0];
}

void xxh64_reset(struct xxh64_state *hash, u64 start)
{
	memset(hash, 0, sizeof(*hash));
	hash->words[0] = start + primes[0] + primes[1];
	hash->words[1] = start + primes[1];
	hash->words[2] = start;
	hash->words[3] = start - primes[0];
	hash->words[9] = start;
}

int xxh64_update(struct xxh64_state *hash, const void *data, size_t count)
{
	const unsigned char *from = data;
	unsigned char *waiting = (unsigned char *)&hash->words[4];
	int lane;

	while (count--) {
		waiting[hash->words[8]++ % 32] = *from++;
		if (hash->words[8] % 32)
			continue;
		for (lane = 0; lane < 4; lane++)
			hash->words[lane] = mixed(hash->words[lane],
						  little_endian(waiting + 8 * lane, 8));
	}
	return 0;
}

u64 xxh64_digest(const struct xxh64_state *hash)
{
	const unsigned char *at = (const unsigned char *)&hash->words[4];
	size_t left = hash->words[8] % 32;
	u64 value = hash->words[9] + primes[4];
	int lane;

	if (hash->words[8] >= 32) {
		value = rotated(hash->words[0], 1) + rotated(hash->words[1], 7) +
		       rotated(hash->words[2], 12) + rotated(hash->words[3], 18);
		for (lane = 0; lane < 4; lane++)
			value = (value ^ mixed(0, hash->words[lane])) * primes[0] +
			       primes[3];
	}
	value += hash->words[8];
	for (; left >= 8; left -= 8, at += 8)
		value = rotated(value ^ mixed(0, little_endian(at, 8)), 27) * primes[0] +
		       primes[3];
	if (left >= 4) {
		value = rotated(value ^ little_endian(at, 4) * primes[0], 23) * primes[1] +
		       primes[2];
		left -= 4;
		at += 4;
	}
	for (; left; left--, at++)
		value = rotated(value ^ *at * primes[4], 11) * primes[0];
	value = (value ^ value >> 33) * primes[1];
	value = (value ^ value >> 29) * primes[2];
	return value ^ value >> 32;
}

u64 xxh64(const void *data, size_t count, u64 start)
{
	struct xxh64_state hash;

	xxh64_reset(&hash, start);
	xxh64_update(&hash, data, count);
	return xxh64_digest(&hash);
}
