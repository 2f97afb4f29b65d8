/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* All at once: levels, contexts and frames. */
#include "check.h"

int decompressed(const void *src, size_t src_size, size_t size)
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

unsigned long long content_size(const void *src, size_t src_size)
{
	zstd_frame_header header;

	if (zstd_get_frame_header(&header, src, src_size))
		return 12345;
	return header.frameContentSize;
}

int check_levels(void)
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
int check_once(int level, size_t size)
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

int check_frames(void)
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
