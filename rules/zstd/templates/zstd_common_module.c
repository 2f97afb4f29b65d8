// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * What compression and decompression of zstd {{ release }} share: exported to
 * them, and to nobody else.
 */

#include <linux/module.h>
{% set headers = common.exports | map(attribute="header") | select | unique | sort %}
{% for header in headers if header is startingwith("<") %}
#include {{ header }}
{% endfor %}

{% for header in headers if header is not startingwith("<") %}
#include {{ header }}
{% if loop.last %}

{% endif %}
{% endfor %}
{% for export in common.exports if export.is_macro %}
#undef {{ export.name }}
{% if loop.last %}

{% endif %}
{% endfor %}
{% for export in common.exports %}
{% if export.condition %}
#if {{ export.condition }}
EXPORT_SYMBOL_GPL({{ export.name }});
#endif
{% else %}
EXPORT_SYMBOL_GPL({{ export.name }});
{% endif %}
{% if loop.last %}

{% endif %}
{% endfor %}
{% for function in api.functions if function.module == "zstd_common" %}
{{ function.definition -}}
EXPORT_SYMBOL({{ function.name }});

{% endfor %}
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Zstd common part");
