// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * btrfs: streams of up to 128 KB with a window as large at most. Workspaces go
 * round between the levels, so one is never smaller than that of a lower level,
 * and always large enough to decompress in.
 */
#include "tell.h"

#define WINDOW_LOG 17
#define LEVELS 15

/* A stream's workspace, with the window that is allowed. */
static size_t bound(zstd_parameters wanted)
{
	unsigned int const log = wanted.cParams.windowLog;

	wanted.cParams.windowLog = log < WINDOW_LOG ? log : WINDOW_LOG;
	return zstd_cstream_workspace_bound(&wanted.cParams);
}

int main(void)
{
	size_t const source = (size_t)1 << WINDOW_LOG;
	size_t const decompress = zstd_dstream_workspace_bound(source);
	size_t compress = decompress;
	int level;

	tell_caller("btrfs", "streams of 128 KB, a workspace has room for all lower levels");
	for (level = 1; level <= LEVELS; level++) {
		compress = larger(compress, bound(zstd_get_params(level, source)));
		tell_level(level, compress, decompress);
	}
	return tell_end();
}
