/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Stands for the kernel's header in compile tests: only what an import uses. */
#ifndef STUB_LINUX_BUG_H
#define STUB_LINUX_BUG_H

#include <linux/compiler_types.h>

void stub_warn(const char *file, int line);

#define WARN_ON(condition)                            \
	({                                            \
		int stub_failed = !!(condition);      \
		if (stub_failed)                      \
			stub_warn(__FILE__, __LINE__); \
		stub_failed;                          \
	})

#endif
