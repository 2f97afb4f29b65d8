// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * check full|brief PART PARTS SEED: tries everything that kernels do with the
 * library; brief for builds that are slow. Does its part of the cases.
 */
#include "../common/host.h"

static int brief;
static unsigned int part, parts, cases;
static u32 seed;
static unsigned long round_trips, streams, dictionaries, in_place, corrupted;

/* Whether the next case is one of this process. */
static int mine(void)
{
	/* Mixed, so that no process gets all cases of a kind. */
	return (cases++ * 2654435761U >> 16) % parts == part;
}

static void once(int level, size_t size, enum kind kind)
{
	size_t const room = zstd_compress_bound(size);
	u8 *source = take(size), *frame = take(room);
	size_t length, got;
	u8 *short_frame;

	if (!source || !frame)
		return;
	fill(source, size, kind, seed);
	length = pack(frame, room, source, size, level, (int)(size & 1), kind);
	if (length)
		unpack(frame, length, source, size, level, kind);
	if (give(frame, room))
		fault("compression writes behind the frame", level, size, kind, 0);
	/* One byte less than the frame needs is too little. */
	if (length > 1 && size < 200000) {
		zstd_parameters params = zstd_get_params(level, size);
		size_t const bound = zstd_cctx_workspace_bound(&params.cParams);
		u8 *workspace = take(bound);

		short_frame = take(length - 1);
		params.fParams.checksumFlag = (int)(size & 1);
		got = zstd_compress_cctx(zstd_init_cctx(workspace, bound), short_frame, length - 1,
					 source, size, &params);
		/* Blocks may turn out otherwise where there is less room, but never longer. */
		if (!zstd_is_error(got) && got > length - 1)
			fault("a frame is longer than its room", level, size, kind, got);
		if (give(short_frame, length - 1) | give(workspace, bound))
			fault("compression writes behind too small a frame", level, size, kind, 0);
	}
	give(source, size);
	round_trips++;
}

static void stream(int level, size_t size, enum kind kind, int known)
{
	size_t const room = zstd_compress_bound(size) + 1024;
	u8 *source = take(size), *frame = take(room);
	size_t length;

	if (!source || !frame)
		return;
	fill(source, size, kind, seed + 1);
	length = pack_stream(frame, room, source, size, level, known, kind);
	if (length) {
		unpack_stream(frame, length, source, size, level, kind);
		unpack(frame, length, source, size, level, kind);
	}
	give(frame, room);
	give(source, size);
	streams++;
}

static void *dict_alloc(void *opaque, size_t size)
{
	*(long *)opaque += 1;
	return malloc(size);
}

static void dict_free(void *opaque, void *address)
{
	*(long *)opaque -= address != NULL;
	free(address);
}

/* Pages with a dictionary, as zram has them. */
static void dictionary(int level, size_t page)
{
	size_t const dict_size = 30000, room = zstd_compress_bound(page);
	long open = 0;
	zstd_custom_mem mem = { dict_alloc, dict_free, &open };
	zstd_compression_parameters cparams = zstd_get_cparams(level, page, dict_size);
	u8 *dict = take(dict_size), *source = take(page), *frame = take(room), *result = take(page);
	zstd_cctx *cctx = zstd_create_cctx_advanced(mem);
	zstd_dctx *dctx = zstd_create_dctx_advanced(mem);
	zstd_cdict *cdict;
	zstd_ddict *ddict;
	size_t length, got;
	u32 n;

	fill(dict, dict_size, KIND_TEXT, seed + 2);
	cdict = zstd_create_cdict_byreference(dict, dict_size, cparams, mem);
	ddict = zstd_create_ddict_byreference(dict, dict_size, mem);
	if (!cctx || !dctx || !cdict || !ddict)
		fault("no context or dictionary", level, page, KIND_TEXT, 0);
	for (n = 0; n < 4 && cctx && dctx && cdict && ddict; n++) {
		fill(source, page, n % 2 ? KIND_MIXED : KIND_TEXT, seed + n);
		if (n == 0)
			memcpy(source, dict + 777, page < 9000 ? page : 9000);
		length = zstd_compress_using_cdict(cctx, frame, room, source, page, cdict);
		if (zstd_is_error(length)) {
			fault("compression with a dictionary fails", level, page, KIND_TEXT, length);
			continue;
		}
		got = zstd_decompress_using_ddict(dctx, result, page, frame, length, ddict);
		if (got != page || memcmp(result, source, page))
			fault("with a dictionary something else comes back", level, page,
			      KIND_TEXT, got);
	}
	zstd_free_cdict(cdict);
	zstd_free_ddict(ddict);
	zstd_free_cctx(cctx);
	zstd_free_dctx(dctx);
	if (open)
		fault("memory is not given back", level, page, KIND_TEXT, 0);
	give(dict, dict_size);
	give(source, page);
	give(frame, room);
	give(result, page);
	dictionaries++;
}

/* How a kernel unpacks itself: the frame lies at the end of the room for the result. */
static void unpack_in_place(int level, size_t size, enum kind kind)
{
	/* 22 bytes a frame, 3 a block of 128 KB, and the block that is being read. */
	size_t const margin = 22 + (size >> 15) + 131072;
	size_t const room = zstd_compress_bound(size);
	size_t const bound = zstd_dctx_workspace_bound();
	u8 *source = take(size), *frame = take(room), *memory = take(size + margin);
	u8 *workspace = take(bound);
	size_t length, got;

	if (!source || !frame || !memory || !workspace)
		return;
	/* What compresses well and then not at all is the worst case. */
	fill(source, size, KIND_ZEROS, seed);
	fill(source + size / 2, size - size / 2, kind, seed + 3);
	length = pack(frame, room, source, size, level, 1, kind);
	if (length) {
		memcpy(memory + size + margin - length, frame, length);
		got = zstd_decompress_dctx(zstd_init_dctx(workspace, bound), memory, size,
					   memory + size + margin - length, length);
		if (got != size || memcmp(memory, source, size))
			fault("in place something else comes back", level, size, kind, got);
	}
	if (give(memory, size + margin) | give(workspace, bound))
		fault("decompression in place writes behind its memory", level, size, kind, 0);
	give(source, size);
	give(frame, room);
	in_place++;
}

/* What comes of a frame that was damaged: an error, or by chance what was packed. */
static void try_damaged(const u8 *frame, size_t length, const u8 *source, size_t size, int level,
			int is_whole)
{
	size_t const bound = zstd_dctx_workspace_bound();
	u8 *workspace = take(bound), *result = take(size), *copy = take(length);
	size_t got;

	memcpy(copy, frame, length);
	got = zstd_decompress_dctx(zstd_init_dctx(workspace, bound), result, size, copy, length);
	if (!zstd_is_error(got) && (!is_whole || got != size || memcmp(result, source, size)))
		fault("a damaged frame is taken", level, size, KIND_MIXED, got);
	if (give(workspace, bound) | give(result, size) | give(copy, length))
		fault("a damaged frame makes it write outside", level, size, KIND_MIXED, 0);
	corrupted++;
}

static void damage(int level, size_t size)
{
	size_t const room = zstd_compress_bound(size);
	struct dice dice = { seed * 31 + 7 + (u32)level };
	u8 *source = take(size), *frame = take(room);
	int const rounds = brief ? 60 : 300;
	size_t length;
	int n;

	fill(source, size, KIND_MIXED, seed + 4);
	length = pack(frame, room, source, size, level, 1, KIND_MIXED);
	for (n = 0; length && n < rounds; n++) {
		size_t const at = throw_dice(&dice) % length;
		u8 const was = frame[at];

		frame[at] ^= (u8)(1 + throw_dice(&dice) % 255);
		try_damaged(frame, length, source, size, level, 1);
		frame[at] = was;
	}
	for (n = 0; length > 1 && n < rounds; n++)
		try_damaged(frame, 1 + throw_dice(&dice) % (length - 1), source, size, level, 0);
	for (n = 1; length > 8 && n <= 8; n++)
		try_damaged(frame, length - (size_t)n, source, size, level, 0);
	/* A right beginning, and what no compressor wrote. */
	for (n = 0; length > 20 && n < rounds; n++) {
		fill(frame + 12, length - 12, KIND_NOISE, throw_dice(&dice));
		try_damaged(frame, length, source, size, level, 1);
	}
	give(source, size);
	give(frame, room);
}

static void level_cases(int level)
{
	static const size_t small[] = { 0, 1, 17, 4096, 131072 };
	size_t n;
	int kind;

	for (n = 0; n < sizeof(small) / sizeof(small[0]); n++) {
		for (kind = 0; kind < KINDS; kind++) {
			if (brief && kind != KIND_MIXED && (small[n] > 4096 || level % 3))
				continue;
			if (mine())
				once(level, small[n], kind);
		}
		if (mine())
			stream(level, small[n], KIND_MIXED, level % 2);
	}
	if (mine())
		dictionary(level, 4096);
	if (brief && level != 1 && level != 5 && level != 9)
		return;
	if (mine())
		once(level, 131073, KIND_MIXED);
	if (mine())
		once(level, (3u << 20) + 5, KIND_MIXED);
	if (mine())
		stream(level, (1u << 20) + 3, KIND_MIXED, 0);
	if (level < 0)
		return;
	if (mine())
		unpack_in_place(level, (2u << 20) + 7, KIND_NOISE);
	if (mine())
		unpack_in_place(level, 700000, KIND_MIXED);
}

int main(int argc, char **argv)
{
	static const int damaged[] = { -1, 1, 3, 7, 13, 19 };
	int level;
	size_t n;

	if (argc != 5)
		return 2;
	brief = !strcmp(argv[1], "brief");
	part = (unsigned int)atoi(argv[2]);
	parts = (unsigned int)atoi(argv[3]);
	seed = (u32)atoi(argv[4]);
	if (!parts)
		return 2;
	if (mine())
		once(zstd_min_clevel(), 100000, KIND_MIXED);
	if (mine())
		once(-1000, 100000, KIND_MIXED);
	for (level = -22; level <= zstd_max_clevel(); level++) {
		if (brief && level < -3)
			continue;
		level_cases(level);
	}
	for (n = 0; n < sizeof(damaged) / sizeof(damaged[0]); n++) {
		if (mine())
			damage(damaged[n], 3000);
		if (mine())
			damage(damaged[n], 40000);
	}
	printf("COUNT %lu round trips\n", round_trips);
	printf("COUNT %lu streams\n", streams);
	printf("COUNT %lu dictionaries\n", dictionaries);
	printf("COUNT %lu in place\n", in_place);
	printf("COUNT %lu damaged frames\n", corrupted);
	printf("DONE\n");
	return faults_told() != 0;
}
