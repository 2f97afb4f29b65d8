// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * btrfs: streams of up to 128 KB with a window as large at most. Workspaces go
 * round between the levels, so one is never smaller than that of a lower level,
 * and always large enough to decompress in.
 */
#include "tell.h"

#define WINDOW_LOG 17
#define LEVELS 15

int main(void)
{
	size_t const source = (size_t)1 << WINDOW_LOG;
	size_t const decompress = zstd_dstream_workspace_bound(source);
	size_t compress = decompress;
	int level;

	tell_caller("btrfs", "streams of 128 KB, a workspace has room for all lower levels");
	for (level = 1; level <= LEVELS; level++) {
		zstd_parameters params = zstd_get_params(level, source);

		if (params.cParams.windowLog > WINDOW_LOG)
			params.cParams.windowLog = WINDOW_LOG;
		compress = larger(compress, zstd_cstream_workspace_bound(&params.cParams));
		tell_level(level, compress, decompress);
	}
	return tell_end();
}
