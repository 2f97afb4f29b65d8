/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Stands for the kernel's header in compile tests: only what an import uses. */
#ifndef STUB_LINUX_STRING_H
#define STUB_LINUX_STRING_H

#include <linux/types.h>

int memcmp(const void *a, const void *b, size_t size);

#endif
