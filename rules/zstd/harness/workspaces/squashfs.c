// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/* squashfs: reads streams with a window of a block, at whatever level they were made. */
#include "tell.h"

#define BLOCK ((size_t)128 << 10)

int main(void)
{
	tell_caller("squashfs", "blocks of 128 KB, which it only reads");
	printf("WORKSPACE 0 - %lu\n", (unsigned long)zstd_dstream_workspace_bound(BLOCK));
	return tell_end();
}
