// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * The decompression part of the kernel's interface to zstd {{ release }}, and
 * what both parts need of it. The boot-time decompressor includes this file.
 */

#include <linux/module.h>
#include <linux/stddef.h>
#include <linux/zstd.h>

{% for function in api.functions if function.module == "zstd_decompress" %}
{{ function.definition -}}
EXPORT_SYMBOL({{ function.name }});

{% endfor %}
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Zstd decompression");
