/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * The kernel's interface to zstd {{ release }}.
 *
 * Its functions and types stand for those of the library in zstd_lib.h, which
 * says more of them: the symbols of the library itself are not exported.
 */

#ifndef LINUX_ZSTD_H
#define LINUX_ZSTD_H

#include <linux/types.h>
#include <linux/zstd_errors.h>
#include <linux/zstd_lib.h>

{% for section in api.sections %}
/* {{ section.title }} */

{% for entry in section.entries %}
{{ entry.doc }}
{{ entry.declaration }}

{% endfor %}
{% endfor %}
#endif /* LINUX_ZSTD_H */
