// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * All of decompression as one translation unit: kernels that unpack themselves
 * include it so, without modules and exports.
 */
#define __DISABLE_EXPORTS

#include "lib/zstd/decompress_sources.h"
