/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Stands for the kernel's header in compile tests: only what an import uses. */
#ifndef STUB_LINUX_KERNEL_H
#define STUB_LINUX_KERNEL_H

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
