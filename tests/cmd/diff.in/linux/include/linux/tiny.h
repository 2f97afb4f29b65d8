#ifndef TINY_H
#define TINY_H
#include <linux/types.h>
#define TINY_MAJOR 1
#define TINY_MINOR 2
#define TINY_PATCH 3
#define TINY_API
TINY_API size_t TINY_sum(const unsigned char* p, size_t n);
TINY_API size_t TINY_scale(size_t n, unsigned shift);
#endif /* TINY_H */
