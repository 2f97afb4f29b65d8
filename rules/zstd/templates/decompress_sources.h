/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * All that decompression is made of, as one translation unit.
 *
 * lib/decompress_unzstd.c includes this file where the kernel unpacks itself
 * before it runs: there are no modules then and no symbols to export, so the
 * sources are compiled along with it.
 */

/* Assembly sources can't be included: C code does their work. */
#define ZSTD_DISABLE_ASM 1

{% for source in preboot %}
#include "{{ source }}"
{% endfor %}
