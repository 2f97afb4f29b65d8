/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* In pieces. */
#include "check.h"

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
int streamed(zstd_cstream *cstream, size_t size, size_t *length)
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

int check_stream(int level, size_t size)
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
