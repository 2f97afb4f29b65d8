// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/* Callers that don't say how large the source is: streams with the window of the level. */
#include "tell.h"

int main(void)
{
	int const most = zstd_max_clevel();
	int level;

	tell_caller("unlimited", "streams of any length, with the window of the level");
	for (level = 1; level <= most; level++) {
		zstd_parameters const params = zstd_get_params(level, 0);
		size_t const window = (size_t)1 << params.cParams.windowLog;

		tell_level(level, zstd_cstream_workspace_bound(&params.cParams),
			   zstd_dstream_workspace_bound(window));
	}
	return tell_end();
}
