// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/* What programs that try the library share. */
#include "host.h"

#define GUARD 64
#define GUARD_BYTE 0xA5
#define MOST_FAULTS 10

u32 throw_dice(struct dice *dice)
{
	dice->state ^= dice->state << 13;
	dice->state ^= dice->state >> 17;
	dice->state ^= dice->state << 5;
	return dice->state;
}

static void fill_text(u8 *to, size_t size, struct dice *dice)
{
	static const char *const words[] = {
		"block ", "extent ", "inode ", "of ", "page ", "the ", "writes ", "zone\n",
		"a ", "compressed ", "in ", "journal ", "superblock ", "to ",
	};
	size_t at = 0;

	while (at < size) {
		const char *word = words[throw_dice(dice) % (sizeof(words) / sizeof(words[0]))];

		while (*word && at < size)
			to[at++] = (u8)*word++;
	}
}

static void fill_records(u8 *to, size_t size, struct dice *dice)
{
	size_t at;
	u32 number = 0;

	for (at = 0; at < size; at++) {
		if (at % 16 == 0)
			number += throw_dice(dice) % 3;
		to[at] = at % 16 < 4 ? (u8)(number >> 8 * (at % 4)) :
		         at % 16 == 9 ? (u8)(throw_dice(dice) % 5) : (u8)(at % 16);
	}
}

static void fill_noise(u8 *to, size_t size, struct dice *dice)
{
	size_t at;

	for (at = 0; at < size; at++)
		to[at] = (u8)(throw_dice(dice) >> 11);
}

/* Pieces of all kinds, and pieces that come back from far and near, some of them long. */
static void fill_mixed(u8 *to, size_t size, struct dice *dice)
{
	size_t at = 0;

	while (at < size) {
		size_t length = throw_dice(dice) % 5000 + 1;
		u32 what = throw_dice(dice) % 7;
		size_t back;

		if (length > size - at)
			length = size - at;
		if (what == 0) {
			fill_noise(to + at, length, dice);
		} else if (what == 1) {
			memset(to + at, 0, length);
		} else if (what == 2) {
			fill_records(to + at, length, dice);
		} else if (what == 3 || at < 10) {
			fill_text(to + at, length, dice);
		} else {
			back = what == 4 ? at : at < 3000 ? at : 3000;
			back = throw_dice(dice) % back + 1;
			for (; length; length--, at++)
				to[at] = to[at - back];
			continue;
		}
		at += length;
	}
}

void fill(u8 *to, size_t size, enum kind kind, u32 seed)
{
	struct dice dice = { (seed * 2654435761U) ^ (u32)size ^ ((u32)kind << 28) };

	if (!dice.state)
		dice.state = 1;
	if (kind == KIND_TEXT)
		fill_text(to, size, &dice);
	else if (kind == KIND_RECORDS)
		fill_records(to, size, &dice);
	else if (kind == KIND_ZEROS)
		memset(to, 0, size);
	else if (kind == KIND_NOISE)
		fill_noise(to, size, &dice);
	else
		fill_mixed(to, size, &dice);
}

/* A sanitiser watches the very end; without one, a guard does. */
#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif
#ifndef WATCHED
#define WATCHED 0
#endif

u8 *take(size_t size)
{
	size_t const whole = WATCHED ? size : size + GUARD;
	u8 *memory = malloc(whole ? whole : 1);

	if (!memory)
		printf("FAULT no memory: %lu bytes\n", (unsigned long)size);
	else if (!WATCHED)
		memset(memory + size, GUARD_BYTE, GUARD);
	return memory;
}

int give(u8 *memory, size_t size)
{
	int i, written = 0;

	for (i = 0; memory && !WATCHED && i < GUARD; i++)
		written |= memory[size + (size_t)i] != GUARD_BYTE;
	free(memory);
	return written;
}

static int faults;

int faults_told(void)
{
	return faults;
}

void fault(const char *what, int level, size_t size, enum kind kind, size_t code)
{
	static const char *const names[KINDS] = { "text", "records", "zeros", "noise", "mixed" };

	if (faults++ >= MOST_FAULTS)
		return;
	printf("FAULT %s: level %d, %lu bytes of %s", what, level, (unsigned long)size,
	       names[kind]);
	if (zstd_is_error(code))
		printf(" (%s)", zstd_get_error_name(code));
	printf("\n");
	/* What comes next may be the last. */
	fflush(NULL);
}

size_t pack(u8 *frame, size_t room, const u8 *source, size_t size, int level, int checksum,
	    enum kind kind)
{
	zstd_parameters params = zstd_get_params(level, size);
	size_t const bound = zstd_cctx_workspace_bound(&params.cParams);
	u8 *workspace = take(bound);
	zstd_cctx *cctx = workspace ? zstd_init_cctx(workspace, bound) : NULL;
	size_t length = 0;

	params.fParams.checksumFlag = checksum;
	if (!cctx) {
		fault("no context in a workspace of the promised size", level, size, kind, 0);
		free(workspace);
		return 0;
	}
	length = zstd_compress_cctx(cctx, frame, room, source, size, &params);
	if (zstd_is_error(length)) {
		fault("compression fails", level, size, kind, length);
		length = 0;
	}
	if (give(workspace, bound))
		fault("compression writes behind its workspace", level, size, kind, 0);
	return length;
}

int unpack(const u8 *frame, size_t length, const u8 *source, size_t size, int level,
	   enum kind kind)
{
	size_t const bound = zstd_dctx_workspace_bound();
	u8 *workspace = take(bound);
	u8 *result = take(size);
	zstd_dctx *dctx = workspace ? zstd_init_dctx(workspace, bound) : NULL;
	size_t got = 0;
	int wrong = 0;

	if (!dctx || !result) {
		fault("no context in a workspace of the promised size", level, size, kind, 0);
		free(workspace);
		free(result);
		return 1;
	}
	got = zstd_decompress_dctx(dctx, result, size, frame, length);
	if (got != size || (size && memcmp(result, source, size))) {
		fault("a frame comes back as something else", level, size, kind, got);
		wrong = 1;
	}
	if (give(workspace, bound))
		fault("decompression writes behind its workspace", level, size, kind, 0);
	if (give(result, size))
		fault("decompression writes behind the result", level, size, kind, 0);
	return wrong;
}

/* Pieces that are no divisors of anything, so that they end everywhere. */
#define PIECE_IN 30011u
#define PIECE_OUT 7001u

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t feed(zstd_cstream *stream, zstd_out_buffer *out, zstd_in_buffer *in, size_t size,
		   size_t room)
{
	size_t left = 1;

	while (in->pos < size) {
		in->size = least(in->pos + PIECE_IN, size);
		out->size = least(out->pos + PIECE_OUT, room);
		left = zstd_compress_stream(stream, out, in);
		if (zstd_is_error(left))
			return left;
	}
	do {
		out->size = least(out->pos + PIECE_OUT, room);
		left = zstd_end_stream(stream, out);
		if (zstd_is_error(left))
			return left;
	} while (left && out->pos < room);
	return left;
}

size_t pack_stream(u8 *frame, size_t room, const u8 *source, size_t size, int level, int known,
		   enum kind kind)
{
	zstd_parameters params = zstd_get_params(level, size);
	size_t const bound = zstd_cstream_workspace_bound(&params.cParams);
	u8 *workspace = take(bound);
	zstd_out_buffer out = { .dst = frame };
	zstd_in_buffer in = { .src = source };
	zstd_cstream *stream;
	size_t left;

	stream = workspace ? zstd_init_cstream(&params, known ? size : 0, workspace, bound) : NULL;
	if (!stream) {
		fault("no stream in a workspace of the promised size", level, size, kind, 0);
		free(workspace);
		return 0;
	}
	left = feed(stream, &out, &in, size, room);
	if (left)
		fault("a stream doesn't end", level, size, kind, left);
	if (give(workspace, bound))
		fault("a compression stream writes behind its workspace", level, size, kind, 0);
	return left ? 0 : out.pos;
}

int unpack_stream(const u8 *frame, size_t length, const u8 *source, size_t size, int level,
		  enum kind kind)
{
	zstd_parameters params = zstd_get_params(level, size);
	size_t const window = (size_t)1 << params.cParams.windowLog;
	size_t const bound = zstd_dstream_workspace_bound(window);
	u8 *workspace = take(bound);
	u8 *result = take(size);
	zstd_dstream *stream = workspace ? zstd_init_dstream(window, workspace, bound) : NULL;
	zstd_out_buffer out = { .dst = result };
	zstd_in_buffer in = { .src = frame };
	size_t left = 1, before;
	int wrong = 0;

	if (!stream || !result) {
		fault("no stream in a workspace of the promised size", level, size, kind, 0);
		free(workspace);
		free(result);
		return 1;
	}
	do {
		before = in.pos + out.pos;
		in.size = least(in.pos + PIECE_OUT, length);
		out.size = least(out.pos + PIECE_IN, size);
		left = zstd_decompress_stream(stream, &out, &in);
	} while (left && !zstd_is_error(left) && in.pos + out.pos != before);
	if (left || out.pos != size || (size && memcmp(result, source, size))) {
		fault("a stream comes back as something else", level, size, kind, left);
		wrong = 1;
	}
	if (give(workspace, bound))
		fault("a decompression stream writes behind its workspace", level, size, kind, 0);
	if (give(result, size))
		fault("a decompression stream writes behind the result", level, size, kind, 0);
	return wrong;
}
