// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-3-Clause
/*
 * Compresses and decompresses through the kernel's interface of zstd when the machine starts, at
 * every level, and tells the console the sizes. ci/boot puts this file into lib/zstd and compares
 * what machines of different word size and byte order say.
 */
#define pr_fmt(fmt) "roundtrip: " fmt

#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/zstd.h>

#define SOURCE_SIZE	(512u << 10)
#define DICT_SIZE	(16u << 10)
/* What zram compresses at a time; not PAGE_SIZE, which differs between machines. */
#define CHUNK_SIZE	4096u
#define CHUNKS		16u
/* Odd, so that chunks come from every kind of content. */
#define CHUNK_STRIDE	(7u * CHUNK_SIZE)
/* Pieces of streams: no divisors of anything, so that they end everywhere. */
#define PIECE_IN	3001u
#define PIECE_OUT	1009u
#define LOWEST_LEVEL	(-5)

#define GUARD_SIZE	256u
#define GUARD_BYTE	0xa5

/* Memory of the very size that was asked for: what lies behind it must stay as it is. */
struct space {
	u8 *at;
	size_t size;
};

static u8 *source, *packed, *result;
static size_t packed_size;
static unsigned int faults;

static void __init fault(const char *what, int level, size_t code)
{
	faults++;
	pr_err("FAULT level %d: %s (%zu, %s)\n", level, what, code,
	       zstd_get_error_name(code));
}

static bool __init space_get(struct space *space, size_t size)
{
	space->size = size;
	space->at = vmalloc(size + GUARD_SIZE);
	if (space->at)
		memset(space->at + size, GUARD_BYTE, GUARD_SIZE);
	return space->at;
}

static void __init space_put(struct space *space, const char *whose, int level)
{
	if (space->at && memchr_inv(space->at + space->size, GUARD_BYTE, GUARD_SIZE))
		fault(whose, level, space->size);
	vfree(space->at);
}

/* Bytes that come out the same on every machine: sentences, records, zeros and noise by turns. */
static void __init fill_source(void)
{
	static const char * const words[] __initconst = {
		"block ", "extent ", "inode ", "of ", "page ", "the ", "writes ", "zone ",
	};
	u32 noise = 0x9e3779b9;
	size_t at = 0, part, n;

	while (at < SOURCE_SIZE) {
		part = at >> 14 & 3;
		noise ^= noise << 13;
		noise ^= noise >> 17;
		noise ^= noise << 5;
		if (part == 0) {
			const char *word = words[noise >> 29];

			n = min_t(size_t, strlen(word), SOURCE_SIZE - at);
			memcpy(source + at, word, n);
		} else if (part == 1) {
			/* A record: a counter, a constant, a small number. */
			u8 record[8] = { at >> 16, at >> 8, at, 0, 0x55, 0xaa, noise >> 28, 0 };

			n = min_t(size_t, sizeof(record), SOURCE_SIZE - at);
			memcpy(source + at, record, n);
		} else {
			n = 1;
			source[at] = part == 2 ? 0 : noise >> 24;
		}
		at += n;
	}
}

static void __init compare(const char *what, int level, size_t size, size_t want)
{
	if (size != want || memcmp(result, source, want))
		fault(what, level, size);
}

/* One call each way, in workspaces of the exact bound. Returns the compressed size. */
static size_t __init one_shot(int level)
{
	zstd_parameters params = zstd_get_params(level, SOURCE_SIZE);
	struct space cspace = {}, dspace = {};
	zstd_frame_header header;
	size_t size = 0, back;
	zstd_cctx *cctx;
	zstd_dctx *dctx;

	if (!space_get(&cspace, zstd_cctx_workspace_bound(&params.cParams)) ||
	    !space_get(&dspace, zstd_dctx_workspace_bound())) {
		fault("no memory", level, 0);
		goto out;
	}
	cctx = zstd_init_cctx(cspace.at, cspace.size);
	dctx = zstd_init_dctx(dspace.at, dspace.size);
	if (!cctx || !dctx) {
		fault("a workspace of the bound is too small", level, cspace.size);
		goto out;
	}
	size = zstd_compress_cctx(cctx, packed, packed_size, source, SOURCE_SIZE, &params);
	if (zstd_is_error(size)) {
		fault("zstd_compress_cctx", level, size);
		goto out;
	}
	if (zstd_find_frame_compressed_size(packed, size) != size)
		fault("zstd_find_frame_compressed_size", level, size);
	back = zstd_get_frame_header(&header, packed, size);
	if (back || header.frameContentSize != SOURCE_SIZE)
		fault("zstd_get_frame_header", level, back);

	memset(result, 0, SOURCE_SIZE);
	back = zstd_decompress_dctx(dctx, result, SOURCE_SIZE, packed, size);
	compare("zstd_decompress_dctx", level, back, SOURCE_SIZE);

	back = zstd_decompress_dctx(dctx, result, SOURCE_SIZE, packed, size - 1);
	if (!zstd_is_error(back))
		fault("a frame that lacks a byte is taken", level, back);
	back = zstd_decompress_dctx(dctx, result, SOURCE_SIZE - 1, packed, size);
	if (!zstd_is_error(back))
		fault("a result that lacks a byte is filled", level, back);
out:
	space_put(&cspace, "zstd_compress_cctx writes behind its workspace", level);
	space_put(&dspace, "zstd_decompress_dctx writes behind its workspace", level);
	return size;
}

/* Feeds the source in pieces, takes the frame in pieces. Returns its size, or an error. */
static size_t __init stream_in(zstd_cstream *cstream)
{
	zstd_out_buffer out = { .dst = packed };
	zstd_in_buffer in = { .src = source };
	size_t left = 1;

	while (in.pos < SOURCE_SIZE) {
		in.size = min_t(size_t, in.pos + PIECE_IN, SOURCE_SIZE);
		out.size = min_t(size_t, out.pos + PIECE_OUT, packed_size);
		left = zstd_compress_stream(cstream, &out, &in);
		if (zstd_is_error(left))
			return left;
	}
	do {
		out.size = min_t(size_t, out.pos + PIECE_OUT, packed_size);
		left = zstd_end_stream(cstream, &out);
		if (zstd_is_error(left))
			return left;
	} while (left);
	return out.pos;
}

static size_t __init stream_out(zstd_dstream *dstream, size_t size)
{
	zstd_out_buffer out = { .dst = result };
	zstd_in_buffer in = { .src = packed };
	size_t left = 1, before;

	memset(result, 0, SOURCE_SIZE);
	do {
		before = in.pos + out.pos;
		in.size = min_t(size_t, in.pos + PIECE_OUT, size);
		out.size = min_t(size_t, out.pos + PIECE_IN, SOURCE_SIZE);
		left = zstd_decompress_stream(dstream, &out, &in);
		if (zstd_is_error(left))
			return left;
	} while (left && in.pos + out.pos != before);
	return left ? 0 : out.pos;
}

/* Streams: a frame of known size with a checksum, then one of unknown size in the same workspace. */
static size_t __init streams(int level)
{
	zstd_parameters params = zstd_get_params(level, SOURCE_SIZE);
	size_t window = (size_t)1 << params.cParams.windowLog;
	struct space cspace = {}, dspace = {};
	size_t size, code, sum = 0;
	zstd_cstream *cstream;
	zstd_dstream *dstream;

	params.fParams.checksumFlag = 1;
	if (!space_get(&cspace, zstd_cstream_workspace_bound(&params.cParams)) ||
	    !space_get(&dspace, zstd_dstream_workspace_bound(window))) {
		fault("no memory", level, 0);
		goto out;
	}
	cstream = zstd_init_cstream(&params, SOURCE_SIZE, cspace.at, cspace.size);
	dstream = zstd_init_dstream(window, dspace.at, dspace.size);
	if (!cstream || !dstream) {
		fault("a workspace of the bound is too small", level, cspace.size);
		goto out;
	}
	size = stream_in(cstream);
	if (zstd_is_error(size)) {
		fault("a stream of known size", level, size);
		goto out;
	}
	compare("a stream of known size", level, stream_out(dstream, size), SOURCE_SIZE);
	sum = size;

	/* No size means that nobody knows it. */
	code = zstd_reset_cstream(cstream, 0);
	if (zstd_is_error(code))
		fault("zstd_reset_cstream", level, code);
	code = zstd_reset_dstream(dstream);
	if (zstd_is_error(code))
		fault("zstd_reset_dstream", level, code);
	size = stream_in(cstream);
	if (zstd_is_error(size)) {
		fault("a stream of unknown size", level, size);
		goto out;
	}
	compare("a stream of unknown size", level, stream_out(dstream, size), SOURCE_SIZE);
	sum += size;

	/* The checksum is the frame's end. */
	packed[size - 1] ^= 1;
	zstd_reset_dstream(dstream);
	code = stream_out(dstream, size);
	if (!zstd_is_error(code) || zstd_get_error_code(code) != ZSTD_error_checksum_wrong)
		fault("a wrong checksum is taken", level, code);
out:
	space_put(&cspace, "zstd_compress_stream writes behind its workspace", level);
	space_put(&dspace, "zstd_decompress_stream writes behind its workspace", level);
	return sum;
}

static void *__init memory_get(void *opaque, size_t size)
{
	return vmalloc(size);
}

static void __init memory_put(void *opaque, void *address)
{
	vfree(address);
}

/* Chunks with a dictionary, as zram compresses them. Returns the sum of their sizes. */
static size_t __init chunks(int level)
{
	zstd_custom_mem memory = { .customAlloc = memory_get, .customFree = memory_put };
	zstd_compression_parameters params = zstd_get_cparams(level, CHUNK_SIZE, DICT_SIZE);
	zstd_cdict *cdict = zstd_create_cdict_byreference(source, DICT_SIZE, params, memory);
	zstd_ddict *ddict = zstd_create_ddict_byreference(source, DICT_SIZE, memory);
	zstd_cctx *cctx = zstd_create_cctx_advanced(memory);
	zstd_dctx *dctx = zstd_create_dctx_advanced(memory);
	size_t size, back, sum = 0;
	unsigned int i;

	if (!cdict || !ddict || !cctx || !dctx) {
		fault("no dictionary", level, 0);
		goto out;
	}
	for (i = 0; i < CHUNKS; i++) {
		const u8 *chunk = source + i * CHUNK_STRIDE;

		size = zstd_compress_using_cdict(cctx, packed, packed_size, chunk, CHUNK_SIZE,
						 cdict);
		if (zstd_is_error(size)) {
			fault("zstd_compress_using_cdict", level, size);
			break;
		}
		back = zstd_decompress_using_ddict(dctx, result, CHUNK_SIZE, packed, size, ddict);
		if (back != CHUNK_SIZE || memcmp(result, chunk, CHUNK_SIZE))
			fault("zstd_decompress_using_ddict", level, back);
		sum += size;
	}
out:
	zstd_free_cdict(cdict);
	zstd_free_ddict(ddict);
	zstd_free_cctx(cctx);
	zstd_free_dctx(dctx);
	return sum;
}

static int __init roundtrip(void)
{
	size_t once, streamed, split;
	int level;

	packed_size = zstd_compress_bound(SOURCE_SIZE);
	source = vmalloc(SOURCE_SIZE);
	packed = vmalloc(packed_size);
	result = vmalloc(SOURCE_SIZE);
	if (!source || !packed || !result) {
		fault("no memory", 0, 0);
		goto out;
	}
	fill_source();
	for (level = max(zstd_min_clevel(), LOWEST_LEVEL); level <= zstd_max_clevel(); level++) {
		once = one_shot(level);
		streamed = streams(level);
		split = chunks(level);
		pr_info("level %d one-shot %zu streams %zu chunks %zu\n", level, once,
			streamed, split);
		cond_resched();
	}
out:
	pr_info("RESULT faults=%u version=%u\n", faults,
		(unsigned int)ZSTD_VERSION_NUMBER);
	vfree(source);
	vfree(packed);
	vfree(result);
	return 0;
}
late_initcall(roundtrip);
