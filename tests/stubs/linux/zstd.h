/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * The way to the library's own interface. An import that has the kernel's
 * wrapper comes first on the include path and hides this file.
 */
#include <linux/zstd_lib.h>
#include <linux/zstd_errors.h>
