/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Stands for the kernel's header in compile tests: trees made by other importers include it. */
#ifndef STUB_LINUX_COMPILER_H
#define STUB_LINUX_COMPILER_H

#include <linux/types.h>

#endif
