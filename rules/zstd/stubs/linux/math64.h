/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Stands for the kernel's header in compile tests: only what an import uses. */
#ifndef STUB_LINUX_MATH64_H
#define STUB_LINUX_MATH64_H

#include <linux/types.h>

u64 div_u64(u64 dividend, u32 divisor);

#endif
