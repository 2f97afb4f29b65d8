#include "../tiny.h"

#if defined(__GNUC__) && TINY_FAST
#  define TINY_LIKELY(x) __builtin_expect((x), 1)
#endif

static unsigned limit(unsigned shift)
{
    return shift > 31 ? 31 : shift;
}

static unsigned least(unsigned shift)
{
    return shift < 1 ? 1 : shift;
}

static int is_even(unsigned shift)
{
    return shift % 2 == 0;
}

static int is_zero(unsigned shift)
{
    return shift == 0;
}

size_t TINY_scale(size_t n, unsigned shift)
{
    return n << least(limit(shift));
}
