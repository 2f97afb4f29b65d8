/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Calls the kernel's interface as its users do, linked with an import and with
 * memory from malloc. Prints the line of the check that fails; the exit status
 * is 0 if all hold.
 */
#include <linux/bug.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/xxhash.h>
#include <linux/zstd.h>

void *malloc(size_t size);
void free(void *address);
int printf(const char *format, ...);
int memcmp(const void *a, const void *b, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
size_t strlen(const char *text);

#define CHECK(condition)                                            \
	do {                                                        \
		if (!(condition)) {                                 \
			printf("line %d: %s\n", __LINE__, #condition); \
			return 1;                                   \
		}                                                   \
	} while (0)

#define SIZE 200000
#define ROOM (SIZE + SIZE / 8)

static unsigned char data[SIZE], frame[ROOM], result[SIZE];

/* What the library expects of the kernel. */

void stub_warn(const char *file, int line)
{
	printf("warning at %s:%d\n", file, line);
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

void xxh64_reset(struct xxh64_state *state, u64 seed)
{
	memset(state, 0, sizeof(*state));
	state->words[0] = seed + primes[0] + primes[1];
	state->words[1] = seed + primes[1];
	state->words[2] = seed;
	state->words[3] = seed - primes[0];
	state->words[9] = seed;
}

int xxh64_update(struct xxh64_state *state, const void *input, size_t length)
{
	const unsigned char *from = input;
	unsigned char *waiting = (unsigned char *)&state->words[4];
	int lane;

	while (length--) {
		waiting[state->words[8]++ % 32] = *from++;
		if (state->words[8] % 32)
			continue;
		for (lane = 0; lane < 4; lane++)
			state->words[lane] = mixed(state->words[lane],
						   little_endian(waiting + 8 * lane, 8));
	}
	return 0;
}

u64 xxh64_digest(const struct xxh64_state *state)
{
	const unsigned char *at = (const unsigned char *)&state->words[4];
	size_t left = state->words[8] % 32;
	u64 hash = state->words[9] + primes[4];
	int lane;

	if (state->words[8] >= 32) {
		hash = rotated(state->words[0], 1) + rotated(state->words[1], 7) +
		       rotated(state->words[2], 12) + rotated(state->words[3], 18);
		for (lane = 0; lane < 4; lane++)
			hash = (hash ^ mixed(0, state->words[lane])) * primes[0] +
			       primes[3];
	}
	hash += state->words[8];
	for (; left >= 8; left -= 8, at += 8)
		hash = rotated(hash ^ mixed(0, little_endian(at, 8)), 27) * primes[0] +
		       primes[3];
	if (left >= 4) {
		hash = rotated(hash ^ little_endian(at, 4) * primes[0], 23) * primes[1] +
		       primes[2];
		left -= 4;
		at += 4;
	}
	for (; left; left--, at++)
		hash = rotated(hash ^ *at * primes[4], 11) * primes[0];
	hash = (hash ^ hash >> 33) * primes[1];
	hash = (hash ^ hash >> 29) * primes[2];
	return hash ^ hash >> 32;
}

u64 xxh64(const void *input, size_t length, u64 seed)
{
	struct xxh64_state state;

	xxh64_reset(&state, seed);
	xxh64_update(&state, input, length);
	return xxh64_digest(&state);
}

/* Memory that knows whether somebody wrote beyond its end. */

#define GUARD 64

static void *guarded(size_t size)
{
	unsigned char *memory = malloc(size + GUARD);

	memset(memory, 0xA5, size + GUARD);
	return memory;
}

static int intact(const void *memory, size_t size)
{
	const unsigned char *end = (const unsigned char *)memory + size;
	int i;

	for (i = 0; i < GUARD; i++)
		if (end[i] != 0xA5)
			return 0;
	return 1;
}

/* Text that compresses, but not to nothing. */
static void fill_data(void)
{
	u32 state = 1;
	size_t i = 0, end, back;

	while (i < SIZE) {
		state = state * 1664525 + 1013904223;
		end = i + (state >> 24) % 40 + 1;
		back = (state >> 12) % 1000 + 1;
		for (; i < end && i < SIZE; i++) {
			state = state * 1664525 + 1013904223;
			if (back < i && end % 2)
				data[i] = data[i - back];
			else
				data[i] = (unsigned char)('a' + (state >> 24) % 16);
		}
	}
}

static int decompressed(const void *src, size_t src_size, size_t size)
{
	size_t const bound = zstd_dctx_workspace_bound();
	void *workspace = guarded(bound);
	zstd_dctx *dctx = zstd_init_dctx(workspace, bound);

	CHECK(dctx);
	memset(result, 0, SIZE);
	CHECK(zstd_decompress_dctx(dctx, result, size, src, src_size) == size);
	CHECK(!memcmp(result, data, size));
	if (size)
		CHECK(zstd_is_error(zstd_decompress_dctx(dctx, result, size - 1, src, src_size)));
	CHECK(intact(workspace, bound));
	free(workspace);
	return 0;
}

static unsigned long long content_size(const void *src, size_t src_size)
{
	zstd_frame_header header;

	if (zstd_get_frame_header(&header, src, src_size))
		return 12345;
	return header.frameContentSize;
}

static int check_levels(void)
{
	CHECK(zstd_min_clevel() < 0);
	CHECK(zstd_max_clevel() == 22);
	CHECK(zstd_default_clevel() == 3);
	CHECK(zstd_get_params(3, 0).fParams.contentSizeFlag == 1);
	CHECK(zstd_get_params(3, 0).fParams.checksumFlag == 0);
	CHECK(zstd_get_params(9, 0).cParams.windowLog == zstd_get_cparams(9, 0, 0).windowLog);
	CHECK(zstd_get_params(9, 4096).cParams.windowLog < zstd_get_params(9, 0).cParams.windowLog);
	return 0;
}

/* All at once, in memory of exactly the size that was asked for. */
static int check_once(int level, size_t size)
{
	zstd_parameters params = zstd_get_params(level, size);
	size_t const bound = zstd_cctx_workspace_bound(&params.cParams);
	void *workspace = guarded(bound);
	zstd_cctx *cctx = zstd_init_cctx(workspace, bound);
	zstd_frame_header header;
	size_t length;

	CHECK(cctx);
	CHECK(zstd_compress_bound(size) <= ROOM);
	length = zstd_compress_cctx(cctx, frame, zstd_compress_bound(size), data, size, &params);
	CHECK(!zstd_is_error(length));
	CHECK(content_size(frame, length) == size);
	CHECK(!decompressed(frame, length, size));

	/* Nothing of an earlier use is left: neither parameters nor a session. */
	CHECK(!zstd_is_error(zstd_cctx_set_param(cctx, ZSTD_c_checksumFlag, 1)));
	CHECK(zstd_compress_cctx(cctx, frame, ROOM, data, size, &params) == length);
	CHECK(!zstd_get_frame_header(&header, frame, length) && !header.checksumFlag);
	params.fParams.checksumFlag = 1;
	CHECK(zstd_compress_cctx(cctx, frame, ROOM, data, size, &params) == length + 4);
	CHECK(!zstd_get_frame_header(&header, frame, length + 4) && header.checksumFlag);
	CHECK(!decompressed(frame, length + 4, size));
	params.fParams.contentSizeFlag = 0;
	length = zstd_compress_cctx(cctx, frame, ROOM, data, size, &params);
	CHECK(!zstd_is_error(length));
	CHECK(content_size(frame, length) == ZSTD_CONTENTSIZE_UNKNOWN);
	CHECK(!decompressed(frame, length, size));
	CHECK(intact(workspace, bound));
	free(workspace);
	return 0;
}

/* Takes a frame in and gives it out in pieces. */
static int streamed_back(zstd_dstream *dstream, size_t length, size_t size)
{
	zstd_in_buffer input = { frame, 0, 0 };
	zstd_out_buffer output = { result, 0, 0 };
	size_t hint = 1;

	memset(result, 0, SIZE);
	while (hint) {
		if (input.pos == input.size && input.size < length)
			input.size += length - input.size < 777 ? length - input.size : 777;
		if (output.pos == output.size && output.size < size)
			output.size += size - output.size < 999 ? size - output.size : 999;
		hint = zstd_decompress_stream(dstream, &output, &input);
		CHECK(!zstd_is_error(hint));
	}
	CHECK(input.pos == length && output.pos == size);
	CHECK(!memcmp(result, data, size));
	return 0;
}

/* Compresses in pieces, with a flush after the first third. */
static int streamed(zstd_cstream *cstream, size_t size, size_t *length)
{
	zstd_in_buffer input = { data, 0, 0 };
	zstd_out_buffer output = { frame, ROOM, 0 };
	int flushed = 0;

	while (input.pos < size) {
		input.size += size - input.size < 5000 ? size - input.size : 5000;
		while (input.pos < input.size)
			CHECK(!zstd_is_error(zstd_compress_stream(cstream, &output, &input)));
		if (!flushed && input.pos > size / 3) {
			size_t const before = output.pos;

			CHECK(zstd_flush_stream(cstream, &output) == 0);
			CHECK(output.pos > before);
			flushed = 1;
		}
	}
	output.size = output.pos;
	CHECK(zstd_end_stream(cstream, &output) > 0);
	output.size = ROOM;
	CHECK(zstd_end_stream(cstream, &output) == 0);
	*length = output.pos;
	return 0;
}

static int check_stream(int level, size_t size)
{
	zstd_parameters params = zstd_get_params(level, 0);
	size_t bound, dbound, length, i;
	zstd_cstream *cstream;
	zstd_dstream *dstream;
	void *workspace, *dworkspace;

	params.cParams.windowLog = 17;
	bound = zstd_cstream_workspace_bound(&params.cParams);
	workspace = guarded(bound);
	dbound = zstd_dstream_workspace_bound(1 << 17);
	dworkspace = guarded(dbound);
	dstream = zstd_init_dstream(1 << 17, dworkspace, dbound);
	CHECK(dstream);

	/* 0: nobody knows the size, so that the frame does not tell it. */
	cstream = zstd_init_cstream(&params, 0, workspace, bound);
	CHECK(cstream);
	CHECK(!streamed(cstream, size, &length));
	CHECK(content_size(frame, length) == ZSTD_CONTENTSIZE_UNKNOWN);
	CHECK(!streamed_back(dstream, length, size));

	/* Again with the same parameters, the size known and not. */
	for (i = 0; i < 3; i++) {
		CHECK(zstd_reset_cstream(cstream, i % 2 ? size : 0) == 0);
		CHECK(!streamed(cstream, size, &length));
		CHECK(content_size(frame, length) ==
		      (i % 2 ? size : ZSTD_CONTENTSIZE_UNKNOWN));
		CHECK(zstd_reset_dstream(dstream) == 0);
		CHECK(!streamed_back(dstream, length, size));
	}

	/* In the same memory anew: the size is in the frame, and is held to. */
	cstream = zstd_init_cstream(&params, size, workspace, bound);
	CHECK(cstream);
	CHECK(!streamed(cstream, size, &length));
	CHECK(content_size(frame, length) == size);
	CHECK(!streamed_back(dstream, length, size));
	CHECK(zstd_reset_cstream(cstream, size + 1) == 0);
	{
		zstd_in_buffer input = { data, size, 0 };
		zstd_out_buffer output = { frame, ROOM, 0 };

		while (input.pos < input.size)
			CHECK(!zstd_is_error(zstd_compress_stream(cstream, &output, &input)));
		CHECK(zstd_get_error_code(zstd_end_stream(cstream, &output)) ==
		      ZSTD_error_srcSize_wrong);
	}

	/* A reset drops what was half read. */
	CHECK(zstd_reset_cstream(cstream, 0) == 0);
	CHECK(!streamed(cstream, size, &length));
	{
		zstd_in_buffer input = { frame, length / 2, 0 };
		zstd_out_buffer output = { result, SIZE, 0 };

		CHECK(zstd_decompress_stream(dstream, &output, &input) > 0);
	}
	CHECK(zstd_reset_dstream(dstream) == 0);
	CHECK(!streamed_back(dstream, length, size));

	CHECK(intact(workspace, bound) && intact(dworkspace, dbound));
	free(workspace);
	free(dworkspace);
	return 0;
}

/* Without memory, or with too little, there is no context. */
static int check_no_memory(void)
{
	zstd_parameters params = zstd_get_params(3, SIZE);
	size_t const bound = zstd_cctx_workspace_bound(&params.cParams);
	void *workspace = guarded(bound);
	zstd_cctx *cctx;

	CHECK(!zstd_init_cctx(NULL, bound));
	CHECK(!zstd_init_dctx(NULL, zstd_dctx_workspace_bound()));
	CHECK(!zstd_init_cstream(&params, 0, NULL, zstd_cstream_workspace_bound(&params.cParams)));
	CHECK(!zstd_init_dstream(1 << 17, NULL, zstd_dstream_workspace_bound(1 << 17)));

	CHECK(!zstd_init_cctx(workspace, 64));
	CHECK(!zstd_init_dctx(workspace, zstd_dctx_workspace_bound() - 1));
	CHECK(!zstd_init_cstream(&params, 0, workspace, 64));
	CHECK(!zstd_init_dstream(1 << 17, workspace, 64));
	CHECK(intact(workspace, 64));

	/* Parameters that make no sense are told at once. */
	params.cParams.windowLog = 99;
	CHECK(!zstd_init_cstream(&params, 0, workspace, bound));

	/* Room for the context, but not for its tables: nothing is allocated. */
	params = zstd_get_params(3, SIZE);
	cctx = zstd_init_cctx(workspace, bound / 2);
	CHECK(cctx);
	CHECK(zstd_get_error_code(zstd_compress_cctx(cctx, frame, ROOM, data, SIZE, &params)) ==
	      ZSTD_error_memory_allocation);
	CHECK(!zstd_is_error(zstd_compress_bound(SIZE)));
	CHECK(zstd_is_error(zstd_free_cctx(cctx)));
	free(workspace);
	return 0;
}

/* Memory as zram gives it. */

struct account {
	int given, returned;
	int refuses;
};

static void *account_alloc(void *opaque, size_t size)
{
	struct account *account = opaque;

	if (account->refuses)
		return NULL;
	account->given++;
	return malloc(size);
}

static void account_free(void *opaque, void *address)
{
	struct account *account = opaque;

	account->returned += address != NULL;
	free(address);
}

static int check_dictionary(void)
{
	struct account account = { 0, 0, 0 };
	zstd_custom_mem mem = { account_alloc, account_free, &account };
	zstd_custom_mem none = { NULL, NULL, NULL };
	zstd_compression_parameters cparams = zstd_get_cparams(3, 4096, 20000);
	zstd_cctx *cctx = zstd_create_cctx_advanced(mem);
	zstd_dctx *dctx = zstd_create_dctx_advanced(mem);
	zstd_cdict *cdict = zstd_create_cdict_byreference(data, 20000, cparams, mem);
	zstd_ddict *ddict = zstd_create_ddict_byreference(data, 20000, mem);
	const unsigned char *page = data + 10000;
	size_t length;

	CHECK(cctx && dctx && cdict && ddict);
	length = zstd_compress_using_cdict(cctx, frame, ROOM, page, 4096, cdict);
	CHECK(!zstd_is_error(length));
	/* The page is part of the dictionary. */
	CHECK(length < 64);
	CHECK(zstd_decompress_using_ddict(dctx, result, 4096, frame, length, ddict) == 4096);
	CHECK(!memcmp(result, page, 4096));
	CHECK(zstd_is_error(zstd_decompress_dctx(dctx, result, 4096, frame, length)));

	CHECK(zstd_free_cdict(cdict) == 0 && zstd_free_ddict(ddict) == 0);
	CHECK(zstd_free_cctx(cctx) == 0 && zstd_free_dctx(dctx) == 0);
	CHECK(account.given >= 4 && account.given == account.returned);
	CHECK(zstd_free_cdict(NULL) == 0 && zstd_free_ddict(NULL) == 0);
	CHECK(zstd_free_cctx(NULL) == 0 && zstd_free_dctx(NULL) == 0);

	/* There is no allocator but the caller's. */
	CHECK(!zstd_create_cctx_advanced(none) && !zstd_create_dctx_advanced(none));
	account.refuses = 1;
	CHECK(!zstd_create_cctx_advanced(mem) && !zstd_create_dctx_advanced(mem));
#ifdef HAVE_PRODUCER
	/* Before 1.5.6 the library writes to address 0 there. */
	CHECK(!zstd_create_cdict_byreference(data, 20000, cparams, mem));
#endif
	CHECK(!zstd_create_ddict_byreference(data, 20000, mem));
	CHECK(account.given == account.returned);
	return 0;
}

static int check_frames(void)
{
	zstd_parameters params = zstd_get_params(1, 50000);
	size_t const bound = zstd_cctx_workspace_bound(&params.cParams);
	void *workspace = malloc(bound);
	zstd_frame_header header;
	size_t length, wrong;

	length = zstd_compress_cctx(zstd_init_cctx(workspace, bound), frame, ROOM, data, 50000,
				    &params);
	CHECK(!zstd_is_error(length));
	memset(frame + length, 'x', 100);
	CHECK(zstd_find_frame_compressed_size(frame, length + 100) == length);
	CHECK(zstd_is_error(zstd_find_frame_compressed_size(frame, length - 1)));

	CHECK(zstd_get_frame_header(&header, frame, 2) > 2);
	CHECK(!zstd_is_error(zstd_get_frame_header(&header, frame, 2)));
	CHECK(zstd_get_frame_header(&header, frame, length) == 0);
	CHECK(header.frameContentSize == 50000 && header.windowSize >= 50000);
	CHECK(header.dictID == 0 && header.headerSize < 18);

	wrong = zstd_get_frame_header(&header, frame + length, 100);
	CHECK(zstd_is_error(wrong));
	CHECK(zstd_get_error_code(wrong) == ZSTD_error_prefix_unknown);
	CHECK(strlen(zstd_get_error_name(wrong)) > 3);
	CHECK(!zstd_is_error(0) && zstd_get_error_code(50000) == ZSTD_error_no_error);
	free(workspace);
	return 0;
}

#ifdef HAVE_PRODUCER
static int producer_calls;

static size_t producer(void *state, ZSTD_Sequence *sequences, size_t capacity, const void *src,
		       size_t src_size, const void *dict, size_t dict_size, int level,
		       size_t window_size)
{
	producer_calls += state == &producer_calls;
	if (!capacity)
		return ZSTD_SEQUENCE_PRODUCER_ERROR;
	/* Literals, and no match at all. */
	memset(sequences, 0, sizeof(*sequences));
	sequences->litLength = (unsigned int)src_size;
	return 1;
}

static int check_producer(void)
{
	zstd_parameters params = zstd_get_params(3, 0);
	zstd_compression_parameters *cparams = &params.cParams;
	size_t bound, length, with;
	zstd_cstream *cstream;
	void *workspace;

	params.cParams.windowLog = 17;
	with = zstd_cctx_workspace_bound_with_ext_seq_prod(cparams);
	CHECK(!zstd_is_error(with) && with > zstd_cctx_workspace_bound(cparams));
	bound = zstd_cstream_workspace_bound_with_ext_seq_prod(cparams);
	CHECK(!zstd_is_error(bound) && bound > zstd_cstream_workspace_bound(cparams));
	workspace = guarded(bound);
	cstream = zstd_init_cstream(&params, 0, workspace, bound);
	CHECK(cstream);
	zstd_register_sequence_producer(cstream, &producer_calls, producer);
	CHECK(!streamed(cstream, SIZE, &length));
	CHECK(producer_calls > 0);
	CHECK(!decompressed(frame, length, SIZE));

	/* Without it matches are found again. */
	producer_calls = 0;
	CHECK(zstd_reset_cstream(cstream, 0) == 0);
	zstd_register_sequence_producer(cstream, NULL, NULL);
	with = length;
	CHECK(!streamed(cstream, SIZE, &length));
	CHECK(producer_calls == 0 && length < with);
	CHECK(intact(workspace, bound));

	params.cParams.windowLog = 99;
	CHECK(zstd_is_error(zstd_cctx_workspace_bound_with_ext_seq_prod(cparams)));
	free(workspace);
	return 0;
}
#endif

#ifdef HAVE_SEQUENCES
static int check_sequences(void)
{
	/* Eight literals, repeated from there on; then four more literals. */
	zstd_sequence sequences[2] = { { 8, 8, 1000, 0 }, { 0, 4, 0, 0 } };
	zstd_parameters params = zstd_get_params(3, 0);
	size_t const bound = zstd_cctx_workspace_bound(&params.cParams);
	void *workspace = guarded(bound);
	zstd_cctx *cctx = zstd_init_cctx(workspace, bound);
	unsigned char literals[64] = "abcdefghijkl";
	size_t length, i;

	CHECK(cctx);
	CHECK(!zstd_is_error(zstd_cctx_set_param(cctx, ZSTD_c_blockDelimiters, 1)));
	CHECK(!zstd_is_error(zstd_cctx_set_param(cctx, ZSTD_c_contentSizeFlag, 1)));
	length = zstd_compress_sequences_and_literals(cctx, frame, ROOM, sequences, 2, literals, 12,
						      sizeof(literals), 1012);
	CHECK(!zstd_is_error(length) && length < 64);
	CHECK(content_size(frame, length) == 1012);
	for (i = 0; i < 1012; i++)
		data[i] = (unsigned char)(i < 1008 ? 'a' + i % 8 : 'i' + i - 1008);
	CHECK(!decompressed(frame, length, 1012));
	/* Sizes that contradict each other. */
	CHECK(zstd_is_error(zstd_compress_sequences_and_literals(
		cctx, frame, ROOM, sequences, 2, literals, 11, sizeof(literals), 1012)));
	CHECK(intact(workspace, bound));
	free(workspace);
	return 0;
}
#endif

int main(void)
{
	static const int levels[] = { -5, 1, 3, 6, 9, 15, 19 };
	static const size_t sizes[] = { 0, 1, 1000, SIZE };
	size_t level, size;

	fill_data();
	/* The hash of nothing, as the format's specification has it. */
	CHECK(xxh64(NULL, 0, 0) == 0xEF46DB3751D8E999ULL);
	CHECK(!check_levels());
	for (level = 0; level < sizeof(levels) / sizeof(levels[0]); level++) {
		for (size = 0; size < sizeof(sizes) / sizeof(sizes[0]); size++)
			CHECK(!check_once(levels[level], sizes[size]));
		CHECK(!check_stream(levels[level], SIZE));
	}
	CHECK(!check_no_memory());
	CHECK(!check_dictionary());
	CHECK(!check_frames());
#ifdef HAVE_PRODUCER
	CHECK(!check_producer());
#endif
#ifdef HAVE_SEQUENCES
	CHECK(!check_sequences());
#endif
	return 0;
}
