// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * A form of the library for program.c. Compiled with the form's own headers
 * and linked with all of it; BENCH_FORM is the one name that stays visible.
 * Calls nothing but what every kernel with the library has.
 */
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/zstd.h>

#include "bench.h"

/* What the last context is made for. */
static zstd_parameters params;

static unsigned long room(unsigned long size)
{
	return zstd_compress_bound(size);
}

static unsigned long compress_memory(int level, unsigned long size)
{
	zstd_parameters const wanted = zstd_get_params(level, size);

	return zstd_cctx_workspace_bound(&wanted.cParams);
}

static unsigned long decompress_memory(void)
{
	return zstd_dctx_workspace_bound();
}

static void *compress_start(int level, unsigned long size, void *memory, unsigned long bytes)
{
	params = zstd_get_params(level, size);
	return zstd_init_cctx(memory, bytes);
}

static void *decompress_start(void *memory, unsigned long bytes)
{
	return zstd_init_dctx(memory, bytes);
}

static unsigned long compress(void *context, void *to, unsigned long most, const void *from,
			      unsigned long size)
{
	size_t const done = zstd_compress_cctx(context, to, most, from, size, &params);

	return zstd_is_error(done) ? 0 : done;
}

static unsigned long decompress(void *context, void *to, unsigned long most, const void *from,
				unsigned long size)
{
	size_t const done = zstd_decompress_dctx(context, to, most, from, size);

	return zstd_is_error(done) ? 0 : done;
}

extern const struct bench_form BENCH_FORM;
const struct bench_form BENCH_FORM = {
	.room = room,
	.compress_memory = compress_memory,
	.decompress_memory = decompress_memory,
	.compress_start = compress_start,
	.decompress_start = decompress_start,
	.compress = compress,
	.decompress = decompress,
};
