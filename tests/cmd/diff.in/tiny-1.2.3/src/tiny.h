#ifndef TINY_H
#define TINY_H
#include <stddef.h>
#define TINY_MAJOR 1
#define TINY_MINOR 2
#define TINY_PATCH 3
#if defined(_MSC_VER)
#  define TINY_API __declspec(dllexport)
#else
#  define TINY_API
#endif
TINY_API size_t TINY_sum(const unsigned char* p, size_t n);
TINY_API size_t TINY_scale(size_t n, unsigned shift);
#endif /* TINY_H */
