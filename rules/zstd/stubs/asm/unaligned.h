/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Where kernels before 6.12 keep what linux/unaligned.h offers since. */
#include <linux/unaligned.h>
