/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Stands for the kernel's header in compile tests: only what an import uses. */
#ifndef STUB_LINUX_LIMITS_H
#define STUB_LINUX_LIMITS_H

#include <linux/types.h>

#define CHAR_BIT __CHAR_BIT__
#define INT_MAX __INT_MAX__
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX (~0U)
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (~0UL)
#define SIZE_MAX (~(__SIZE_TYPE__)0)

#endif
