/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Runs all checks. */
#include <linux/xxhash.h>

#include "check.h"

unsigned char data[SIZE], frame[ROOM], result[SIZE];

/* Text that compresses, but not to nothing. */
void fill_data(void)
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
