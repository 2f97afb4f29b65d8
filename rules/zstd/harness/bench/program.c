// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * program SECONDS MICROSECONDS LEAST MOST LEVELS BLOCKS PART...
 *
 * Measures two forms of the library in turn: each PART, a file, at each of
 * LEVELS and BLOCKS (lists with commas; block 0 is the whole part). A row is
 * what one part, block and level have. A measurement takes MICROSECONDS of
 * processor time or more; LEAST to MOST pairs of them are made of each row,
 * in rounds, so that what disturbs the machine for a while disturbs all rows.
 * Each row is tried once before, which takes what it takes. No pair begins after
 * SECONDS of processor time from then on, or after PATIENT times as many on a
 * machine that is busy, but for the first of a row.
 *
 * Says on standard output, a line each:
 *   ROW part block level OLD-BYTES NEW-BYTES SAME OLD-MEMORY NEW-MEMORY
 *   PAIR row c|d PLAIN-BYTES OLD-NANOSECONDS NEW-NANOSECONDS
 *   FAULT old|new row WORDS
 *   BROKE old|new row WORDS    (the last line)
 *   DONE                       (the last line, else)
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

/* A block that takes as long, in seconds, never ends. */
#define PATIENCE 120
#define PATIENT 4
#define MOST_BATCH 100000

extern const struct bench_form bench_old, bench_new;
static const struct bench_form *const forms[2] = { &bench_old, &bench_new };
static const char *const names[2] = { "old", "new" };

struct part {
	unsigned char *bytes;
	size_t size;
};

struct row {
	const struct part *part;
	size_t block, count;
	int level, number;
	/* The frames that the old form writes, one after the other, and where each ends. */
	unsigned char *frames;
	size_t *ends;
	/* Blocks of one measurement, and the first one of the next; by direction. */
	size_t batch[2], at[2];
	int pairs, broken;
	long long spent;
};

static struct part parts[64];
static struct row *rows;
static int part_count, row_count;
static long long piece;
static unsigned char *memory, *frame, *plain;
static size_t memory_size, frame_room, plain_room;

/* What is being done, for the handler. */
static char doing[160];

static void say(const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t const done = write(1, text, length);

		if (done <= 0)
			break;
		text += done;
		length -= (size_t)done;
	}
}

static void broke(int number)
{
	say(doing);
	say(number == SIGALRM ? " without end\n" : number == SIGSEGV || number == SIGBUS ?
	    " and looks outside of memory\n" : " and breaks off\n");
	_exit(3);
}

static void watch(void)
{
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM };
	static char room[1 << 16];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action;
	size_t at;

	memset(&action, 0, sizeof(action));
	action.sa_handler = broke;
	action.sa_flags = SA_ONSTACK;
	sigaltstack(&stack, NULL);
	for (at = 0; at < sizeof(numbers) / sizeof(numbers[0]); at++)
		sigaction(numbers[at], &action, NULL);
}

static void begin(int side, const struct row *row, const char *what)
{
	snprintf(doing, sizeof(doing), "BROKE %s %d %s", names[side], row->number, what);
	alarm(PATIENCE);
}

static long long now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *get(size_t size)
{
	/* At the start of a page, as kernels have it. */
	void *got = aligned_alloc(4096, (size + 8191) / 4096 * 4096);

	if (!got) {
		fprintf(stderr, "there is no memory to measure with\n");
		exit(3);
	}
	return got;
}

static void fault(int side, struct row *row, const char *what)
{
	if (!row->broken)
		printf("FAULT %s %d %s\n", names[side], row->number, what);
	row->broken = 1;
}

static size_t block_size(const struct row *row, size_t number)
{
	size_t const from = number * row->block;

	return row->part->size - from < row->block ? row->part->size - from : row->block;
}

static const unsigned char *block(const struct row *row, size_t number)
{
	return row->part->bytes + number * row->block;
}

/* Bytes of memory that a form wants for a row; 0 after a fault. */
static size_t wants(int side, struct row *row)
{
	size_t const bytes = forms[side]->compress_memory(row->level, row->block);

	if (!bytes)
		fault(side, row, "gives no size of a workspace");
	return bytes;
}

static void *start(int side, struct row *row, int packs)
{
	const struct bench_form *form = forms[side];
	void *context = packs ? form->compress_start(row->level, row->block, memory, memory_size) :
				form->decompress_start(memory, memory_size);

	if (!context)
		fault(side, row, "makes no context in a workspace of the size it asks for");
	return context;
}

/* Whether a form reads a frame as what it was made from. */
static int reads(int side, struct row *row, size_t number, const unsigned char *from, size_t size)
{
	size_t const wanted = block_size(row, number);
	void *context = start(side, row, 0);

	if (!context)
		return 0;
	memset(plain, 0xA5, wanted);
	return forms[side]->decompress(context, plain, wanted, from, size) == wanted &&
	       !memcmp(plain, block(row, number), wanted);
}

/* Reads a frame of each form by both. */
static void cross(int writer, struct row *row, size_t number, const unsigned char *from, size_t size)
{
	int reader;

	for (reader = 0; reader < 2; reader++) {
		begin(reader, row, "decompresses");
		if (!reads(reader, row, number, from, size))
			fault(reader, row, reader == writer ?
			      "does not read what it writes itself" :
			      "does not read what the other form writes");
	}
}

static size_t batch(long long took, size_t count)
{
	long long const one = took / (long long)count + 1;
	long long const wanted = (piece + one - 1) / one;

	return wanted < 1 ? 1 : wanted > MOST_BATCH ? MOST_BATCH : (size_t)wanted;
}

/* All blocks once by one form; 0 after a fault. Of the new form, whether bytes are the same. */
static size_t pack(int side, struct row *row, int *same)
{
	size_t const room = (size_t)frame_room;
	size_t number, sum = 0;
	long long took = 0, from;
	void *context;

	for (number = 0; number < row->count && !row->broken; number++) {
		size_t const size = block_size(row, number);
		const unsigned char *old;
		size_t length;

		begin(side, row, "compresses");
		context = start(side, row, 1);
		if (!context)
			return 0;
		from = now(CLOCK_THREAD_CPUTIME_ID);
		length = forms[side]->compress(context, frame, room, block(row, number), size);
		took += now(CLOCK_THREAD_CPUTIME_ID) - from;
		if (!length) {
			fault(side, row, "does not compress");
			return 0;
		}
		if (side == 0) {
			memcpy(row->frames + sum, frame, length);
			row->ends[number + 1] = sum + length;
		} else {
			old = row->frames + row->ends[number];
			if (row->ends[number + 1] - row->ends[number] != length ||
			    memcmp(old, frame, length))
				*same = 0;
		}
		if (side == 0 || !*same)
			cross(side, row, number, frame, length);
		sum += length;
	}
	if (side == 1)
		row->batch[0] = batch(took, row->count);
	return row->broken ? 0 : sum;
}

/* How long a batch takes, in processor time. */
static long long timed(int side, struct row *row, int packs)
{
	const struct bench_form *form = forms[side];
	size_t const count = row->batch[!packs];
	size_t n, number = row->at[!packs], done = 1;
	long long from = 0;
	void *context;
	int warm;

	begin(side, row, packs ? "compresses" : "decompresses");
	context = start(side, row, packs);
	if (!context)
		return 0;
	/* The first block of many only brings the code into the caches. */
	for (warm = count >= 8; warm >= 0; warm--) {
		from = now(CLOCK_THREAD_CPUTIME_ID);
		for (n = 0; n < (warm ? 1 : count) && done; n++) {
			size_t const size = block_size(row, number);
			size_t const start = row->ends[number], end = row->ends[number + 1];

			done = packs ?
				form->compress(context, frame, frame_room, block(row, number), size) :
				form->decompress(context, plain, size, row->frames + start, end - start);
			number = number + 1 < row->count ? number + 1 : 0;
		}
		if (warm)
			number = row->at[!packs];
	}
	from = now(CLOCK_THREAD_CPUTIME_ID) - from;
	if (!done)
		fault(side, row, packs ? "does not compress any more" : "does not decompress any more");
	return from > 0 ? from : 1;
}

static void pair(struct row *row, int packs)
{
	int const first = (row->pairs + row->number) & 1;
	size_t n, bytes = 0, number = row->at[!packs];
	long long took[2];

	took[first] = timed(first, row, packs);
	took[!first] = timed(!first, row, packs);
	for (n = 0; n < row->batch[!packs]; n++) {
		bytes += block_size(row, number);
		number = number + 1 < row->count ? number + 1 : 0;
	}
	row->at[!packs] = number;
	row->spent += took[0] + took[1];
	if (!row->broken)
		printf("PAIR %d %c %lu %lld %lld\n", row->number, packs ? 'c' : 'd',
		       (unsigned long)bytes, took[0], took[1]);
}

static void prepare(struct row *row)
{
	size_t wanted[2], sizes[2] = { 0, 0 };
	int same = 1;
	long long from;

	row->frames = get(row->count * forms[0]->room(row->block));
	row->ends = get((row->count + 1) * sizeof(*row->ends));
	row->ends[0] = 0;
	wanted[0] = wants(0, row);
	wanted[1] = wants(1, row);
	if (!row->broken)
		sizes[0] = pack(0, row, &same);
	if (!row->broken)
		sizes[1] = pack(1, row, &same);
	if (!row->broken) {
		void *smaller = realloc(row->frames, sizes[0]);

		row->frames = smaller ? smaller : row->frames;
		row->batch[1] = 1;
		from = timed(0, row, 0);
		row->batch[1] = batch(from, 1);
	}
	printf("ROW %d %lu %d %lu %lu %d %lu %lu\n", (int)(row->part - parts),
	       (unsigned long)(row->block == row->part->size ? 0 : row->block), row->level,
	       (unsigned long)sizes[0], (unsigned long)sizes[1], same,
	       (unsigned long)wanted[0], (unsigned long)wanted[1]);
}

/* Times are in nanoseconds. */
static void measure(long long end, long long wall_end, int least, int most)
{
	long long const start = now(CLOCK_PROCESS_CPUTIME_ID);
	int at, some = 1, forced = 0;

	end += start;
	while (some || !forced) {
		forced = !some;
		some = 0;
		for (at = 0; at < row_count; at++) {
			struct row *row = &rows[at];
			long long const time = now(CLOCK_PROCESS_CPUTIME_ID);

			if (row->pairs && (time > end || now(CLOCK_MONOTONIC) > wall_end))
				return;
			/* What is slow waits until it has had no more than its share. */
			if (row->broken || row->pairs >= most ||
			    (row->pairs >= least && !forced &&
			     row->spent > 2 * (time - start) / row_count))
				continue;
			pair(row, 1);
			if (!row->broken)
				pair(row, 0);
			row->pairs++;
			some = 1;
		}
	}
}

static void need(size_t *most, size_t size)
{
	if (*most < size)
		*most = size;
}

/* A row for each part, block and level; blocks that hold a whole part are left to that. */
static void plan(char *levels, char *blocks)
{
	char *block_at, *level_at;
	int part, side;

	for (part = 0; part < part_count; part++) {
		for (block_at = blocks; *block_at; block_at += *block_at == ',') {
			size_t const wanted = strtoul(block_at, &block_at, 10);
			size_t const size = parts[part].size;

			for (level_at = levels; *level_at; level_at += *level_at == ',') {
				int const level = (int)strtol(level_at, &level_at, 10);
				struct row *row;

				if (wanted >= size)
					continue;
				rows = realloc(rows, (size_t)(row_count + 1) * sizeof(*rows));
				if (!rows)
					exit(3);
				row = &rows[row_count];
				memset(row, 0, sizeof(*row));
				row->part = &parts[part];
				row->block = wanted ? wanted : size;
				row->count = (size + row->block - 1) / row->block;
				row->level = level;
				row->number = row_count++;
				need(&plain_room, row->block);
				for (side = 0; side < 2; side++) {
					need(&memory_size, forms[side]->compress_memory(level, row->block));
					need(&memory_size, forms[side]->decompress_memory());
					need(&frame_room, forms[side]->room(row->block));
				}
			}
		}
	}
}

static int load(const char *path)
{
	struct part *part = &parts[part_count++];
	FILE *file = fopen(path, "rb");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) <= 0)
		return 0;
	rewind(file);
	part->size = (size_t)size;
	part->bytes = get(part->size);
	if (fread(part->bytes, 1, part->size, file) != part->size)
		return 0;
	return !fclose(file);
}

int main(int argc, char **argv)
{
	long long length;
	int at;

	if (argc < 8 || (size_t)argc - 7 > sizeof(parts) / sizeof(parts[0]))
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 1 << 12);
	watch();
	piece = atoll(argv[2]) * 1000;
	for (at = 7; at < argc; at++) {
		if (!load(argv[at]))
			return 2;
	}
	snprintf(doing, sizeof(doing), "BROKE old 0 tells what memory it wants");
	plan(argv[5], argv[6]);
	memory = get(memory_size);
	frame = get(frame_room);
	plain = get(plain_room);
	for (at = 0; at < row_count; at++)
		prepare(&rows[at]);
	length = atoll(argv[1]) * 1000000000LL;
	measure(length, now(CLOCK_MONOTONIC) + PATIENT * length, atoi(argv[3]), atoi(argv[4]));
	printf("DONE\n");
	return 0;
}
