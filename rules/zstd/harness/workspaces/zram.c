// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/* zram: one page at a time, without a stream. */
#include "tell.h"

#define PAGE 4096

int main(void)
{
	int const most = zstd_max_clevel();
	int level;

	tell_caller("zram", "pages of 4 KB");
	for (level = 1; level <= most; level++) {
		zstd_parameters const params = zstd_get_params(level, PAGE);

		tell_level(level, zstd_cctx_workspace_bound(&params.cParams),
			   zstd_dctx_workspace_bound());
	}
	return tell_end();
}
