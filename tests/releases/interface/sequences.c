/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Sequences that others than the library have found. */
#include "check.h"

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

int check_producer(void)
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
int check_sequences(void)
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
