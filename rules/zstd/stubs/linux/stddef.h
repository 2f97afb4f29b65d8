/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Stands for the kernel's header in compile tests: only what an import uses. */
#ifndef STUB_LINUX_STDDEF_H
#define STUB_LINUX_STDDEF_H

#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)

#endif
