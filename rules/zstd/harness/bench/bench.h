/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * What form.c offers of a form of the library, and program.c measures: types
 * that are the same whatever headers a form has.
 */
#ifndef HARNESS_BENCH_H
#define HARNESS_BENCH_H

struct bench_form {
	/* Most bytes of a frame. */
	unsigned long (*room)(unsigned long size);
	/* Bytes of memory to compress blocks of a size, and to decompress. */
	unsigned long (*compress_memory)(int level, unsigned long size);
	unsigned long (*decompress_memory)(void);
	/* A context in such memory, which serves for many blocks; NULL if there is none. */
	void *(*compress_start)(int level, unsigned long size, void *memory,
				unsigned long bytes);
	void *(*decompress_start)(void *memory, unsigned long bytes);
	/* Bytes written; 0 for an error. */
	unsigned long (*compress)(void *context, void *to, unsigned long room,
				  const void *from, unsigned long size);
	unsigned long (*decompress)(void *context, void *to, unsigned long room,
				    const void *from, unsigned long size);
};

#endif
