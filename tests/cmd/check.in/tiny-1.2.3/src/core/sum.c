#include "../tiny.h"
#include <stdlib.h>

#ifdef TINY_SLOW
static size_t one(unsigned char c) { return c; }
#endif

size_t TINY_sum(const unsigned char* p, size_t n)
{
    size_t s = 0;
    while (n--) s += *p++;
    return s;
}
