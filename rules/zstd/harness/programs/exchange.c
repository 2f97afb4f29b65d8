// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * exchange write|read FOLDER SEED: writes frames, or reads those that another
 * build wrote. Calls nothing but what every kernel with the library has.
 */
#include "../common/host.h"

struct file;
struct file *fopen(const char *path, const char *mode);
size_t fread(void *to, size_t size, size_t count, struct file *file);
size_t fwrite(const void *from, size_t size, size_t count, struct file *file);
int fclose(struct file *file);
int snprintf(char *to, size_t size, const char *format, ...);

static const int levels[] = { -7, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16, 17, 18, 19, 22 };
static const size_t sizes[] = { 0, 1, 4096, 131072, 300001, 1500000 };

static const char *folder;
static u32 seed;

static struct file *frame_file(int level, size_t size, int streamed, const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%d-%lu-%d", folder, level, (unsigned long)size, streamed);
	return fopen(path, mode);
}

static int write_one(int level, size_t size, int streamed, const u8 *source, u8 *frame, size_t room)
{
	struct file *file = frame_file(level, size, streamed, "w");
	size_t length, done;

	length = streamed ? pack_stream(frame, room, source, size, level, 0, KIND_MIXED) :
			    pack(frame, room, source, size, level, 1, KIND_MIXED);
	done = file && length ? fwrite(frame, 1, length, file) : 0;
	if (!done || fclose(file))
		fault("a frame can't be written", level, size, KIND_MIXED, 0);
	return done != 0;
}

static int read_one(int level, size_t size, int streamed, const u8 *source, u8 *frame, size_t room)
{
	struct file *file = frame_file(level, size, streamed, "r");
	size_t length = file ? fread(frame, 1, room, file) : 0;

	if (!length || fclose(file)) {
		fault("a frame can't be read", level, size, KIND_MIXED, 0);
		return 0;
	}
	return !unpack(frame, length, source, size, level, KIND_MIXED) &&
	       !unpack_stream(frame, length, source, size, level, KIND_MIXED);
}

int main(int argc, char **argv)
{
	unsigned long count = 0;
	size_t level, size;
	int streamed, writes;

	if (argc != 4)
		return 2;
	writes = !strcmp(argv[1], "write");
	folder = argv[2];
	seed = (u32)atoi(argv[3]);
	for (size = 0; size < sizeof(sizes) / sizeof(sizes[0]); size++) {
		size_t const room = zstd_compress_bound(sizes[size]) + 1024;
		u8 *source = take(sizes[size]), *frame = take(room);

		if (!source || !frame)
			return 1;
		fill(source, sizes[size], KIND_MIXED, seed + 5);
		for (level = 0; level < sizeof(levels) / sizeof(levels[0]); level++) {
			for (streamed = 0; streamed < 2; streamed++)
				count += (unsigned long)(writes ?
					write_one(levels[level], sizes[size], streamed, source,
						  frame, room) :
					read_one(levels[level], sizes[size], streamed, source,
						 frame, room));
		}
		give(source, sizes[size]);
		give(frame, room);
	}
	printf("COUNT %lu frames\n", count);
	printf("DONE\n");
	return faults_told() != 0;
}
