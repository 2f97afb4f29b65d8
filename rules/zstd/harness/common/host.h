/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * What programs that try the library share. They call the kernel's interface
 * as its users do, with memory from malloc.
 */
#ifndef HARNESS_HOST_H
#define HARNESS_HOST_H

#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/zstd.h>

void *malloc(size_t size);
void free(void *address);
int printf(const char *format, ...);
int fflush(void *stream);
int atoi(const char *text);
int strcmp(const char *a, const char *b);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

/* Kinds of content. */
enum kind {
	KIND_TEXT,
	KIND_RECORDS,
	KIND_ZEROS,
	KIND_NOISE,
	KIND_MIXED,
	KINDS,
};

/* Numbers that look random and are the same for the same seed. */
struct dice {
	u32 state;
};

u32 throw_dice(struct dice *dice);

/* The same bytes for the same arguments, on every machine. */
void fill(u8 *to, size_t size, enum kind kind, u32 seed);

/* Memory of exactly the size, the end of which is watched. */
u8 *take(size_t size);
/* Gives it back; not 0 if somebody wrote behind its end. */
int give(u8 *memory, size_t size);

/* Tells of a fault, up to a number of them. */
void fault(const char *what, int level, size_t size, enum kind kind, size_t code);
int faults_told(void);

/* A frame of the whole source at once; its size, or 0 after a fault. */
size_t pack(u8 *frame, size_t room, const u8 *source, size_t size, int level, int checksum,
	    enum kind kind);
/* The other way round; not 0 if it is not the source. */
int unpack(const u8 *frame, size_t length, const u8 *source, size_t size, int level,
	   enum kind kind);
/* The same in pieces. */
size_t pack_stream(u8 *frame, size_t room, const u8 *source, size_t size, int level, int known,
		   enum kind kind);
int unpack_stream(const u8 *frame, size_t length, const u8 *source, size_t size, int level,
		  enum kind kind);

#endif
