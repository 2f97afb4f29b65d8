#include "../tiny.h"

size_t TINY_sum(const unsigned char* p, size_t n)
{
    size_t s = 0;
    while (n--) s += *p++;
    return s;
}
