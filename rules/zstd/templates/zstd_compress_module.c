// SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause
/*
 * The compression part of the kernel's interface to zstd {{ release }}.
 */

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <linux/zstd.h>
{% set producers = "zstd_cctx_workspace_bound_with_ext_seq_prod" in api.names %}
{% if producers %}

#include "compress/zstd_compress_internal.h"
{% endif %}

/* Makes a context forget all, then tells it the size and the parameters. */
static size_t zstd_configure(zstd_cctx *cctx, const zstd_parameters *parameters,
			     unsigned long long pledged_src_size)
{
	const zstd_compression_parameters *cparams = &parameters->cParams;
	const zstd_frame_parameters *fparams = &parameters->fParams;
	const struct {
		ZSTD_cParameter name;
		int value;
	} settings[] = {
		{ ZSTD_c_windowLog, cparams->windowLog },
		{ ZSTD_c_chainLog, cparams->chainLog },
		{ ZSTD_c_hashLog, cparams->hashLog },
		{ ZSTD_c_searchLog, cparams->searchLog },
		{ ZSTD_c_minMatch, cparams->minMatch },
		{ ZSTD_c_targetLength, cparams->targetLength },
		{ ZSTD_c_strategy, cparams->strategy },
		{ ZSTD_c_contentSizeFlag, fparams->contentSizeFlag },
		{ ZSTD_c_checksumFlag, fparams->checksumFlag },
		{ ZSTD_c_dictIDFlag, !fparams->noDictIDFlag },
	};
	size_t result, i;

	result = ZSTD_CCtx_reset(cctx, ZSTD_reset_session_and_parameters);
	if (!ZSTD_isError(result))
		result = ZSTD_CCtx_setPledgedSrcSize(cctx, pledged_src_size);
	for (i = 0; i < ARRAY_SIZE(settings) && !ZSTD_isError(result); i++)
		result = ZSTD_CCtx_setParameter(cctx, settings[i].name,
						settings[i].value);
	return result;
}

/*
 * Readies a stream for a frame of a size: with parameters, where some are given,
 * else with those of the last. Callers have 0 for a size that nobody knows, which
 * to the library is a frame of nothing.
 */
static size_t zstd_start(zstd_cstream *cstream,
			 const zstd_parameters *parameters,
			 unsigned long long size)
{
	size_t result;

	if (size == 0)
		size = ZSTD_CONTENTSIZE_UNKNOWN;
	if (parameters)
		return zstd_configure(cstream, parameters, size);
	result = ZSTD_CCtx_reset(cstream, ZSTD_reset_session_only);
	return ZSTD_isError(result) ? result :
				      ZSTD_CCtx_setPledgedSrcSize(cstream, size);
}

{% if producers %}
/* Never called: its address makes the library count what a producer needs. */
static size_t zstd_no_producer(void *state, ZSTD_Sequence *sequences,
			       size_t capacity, const void *src,
			       size_t src_size, const void *dict,
			       size_t dict_size, int level, size_t window_size)
{
	return ZSTD_SEQUENCE_PRODUCER_ERROR;
}

static size_t
zstd_params_with_producer(ZSTD_CCtx_params *params,
			  const zstd_compression_parameters *cparams)
{
	const zstd_parameters parameters = { .cParams = *cparams };
	size_t const result = ZSTD_CCtxParams_init_advanced(params, parameters);

	if (ZSTD_isError(result))
		return result;
	ZSTD_CCtxParams_registerSequenceProducer(params, NULL,
						 zstd_no_producer);
	return 0;
}

{% endif %}
{% for function in api.functions if function.module == "zstd_compress" %}
{{ function.definition -}}
EXPORT_SYMBOL({{ function.name }});

{% endfor %}
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Zstd compression");
