/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Memory: guarded, missing, and that of the caller's own allocator. */
#include "check.h"

#define GUARD 64

void *guarded(size_t size)
{
	unsigned char *memory = malloc(size + GUARD);

	memset(memory, 0xA5, size + GUARD);
	return memory;
}

int intact(const void *memory, size_t size)
{
	const unsigned char *end = (const unsigned char *)memory + size;
	int i;

	for (i = 0; i < GUARD; i++)
		if (end[i] != 0xA5)
			return 0;
	return 1;
}

/* Without memory, or with too little, there is no context. */
int check_no_memory(void)
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

int check_dictionary(void)
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
