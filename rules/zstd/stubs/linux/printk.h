/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Stands for the kernel's header in compile tests: only what an import uses. */
#ifndef STUB_LINUX_PRINTK_H
#define STUB_LINUX_PRINTK_H

__attribute__((__format__(__printf__, 1, 2))) int stub_printk(const char *format, ...);

#define pr_debug(...) stub_printk(__VA_ARGS__)

#endif
