/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * What the parts of the program share. It calls the kernel's interface as its
 * users do, linked with an import and with memory from malloc. A check that
 * fails prints its line; the exit status is 0 if all hold.
 */
#ifndef INTERFACE_CHECK_H
#define INTERFACE_CHECK_H

#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/zstd.h>

void *malloc(size_t size);
void free(void *address);
int printf(const char *format, ...);
int memcmp(const void *a, const void *b, size_t size);
void *memset(void *to, int byte, size_t size);
size_t strlen(const char *text);

#define CHECK(condition)                                                           \
	do {                                                                       \
		if (!(condition)) {                                                \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
			return 1;                                                  \
		}                                                                  \
	} while (0)

#define SIZE 200000
#define ROOM (SIZE + SIZE / 8)

extern unsigned char data[SIZE], frame[ROOM], result[SIZE];

/* Memory that knows whether somebody wrote beyond its end. */
void *guarded(size_t size);
int intact(const void *memory, size_t size);

/* Text that compresses, but not to nothing. */
void fill_data(void);

/* Whether the frame at src holds the first of the data. */
int decompressed(const void *src, size_t src_size, size_t size);
unsigned long long content_size(const void *src, size_t src_size);

/* The same in pieces, through streams. */
int streamed(zstd_cstream *cstream, size_t size, size_t *length);

/* Each returns 0 if all holds. */
int check_levels(void);
int check_once(int level, size_t size);
int check_stream(int level, size_t size);
int check_no_memory(void);
int check_dictionary(void);
int check_frames(void);
#ifdef HAVE_PRODUCER
int check_producer(void);
#endif
#ifdef HAVE_SEQUENCES
int check_sequences(void);
#endif

#endif
