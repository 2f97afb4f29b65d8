/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Stands for the kernel's header in compile tests: the functions that it
 * declares, with states of its size.
 */
#ifndef STUB_LINUX_XXHASH_H
#define STUB_LINUX_XXHASH_H

#include <linux/types.h>

struct xxh32_state {
	u32 words[12];
};

struct xxh64_state {
	u64 words[11];
};

u32 xxh32(const void *data, size_t count, u32 start);
u64 xxh64(const void *data, size_t count, u64 start);
unsigned long xxhash(const void *data, size_t count, u64 start);

void xxh32_reset(struct xxh32_state *hash, u32 start);
int xxh32_update(struct xxh32_state *hash, const void *data, size_t count);
u32 xxh32_digest(const struct xxh32_state *hash);

void xxh64_reset(struct xxh64_state *hash, u64 start);
int xxh64_update(struct xxh64_state *hash, const void *data, size_t count);
u64 xxh64_digest(const struct xxh64_state *hash);

void xxh32_copy_state(struct xxh32_state *to, const struct xxh32_state *from);
void xxh64_copy_state(struct xxh64_state *to, const struct xxh64_state *from);

#endif
