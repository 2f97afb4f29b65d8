// SPDX-License-Identifier: MIT
#include <linux/tiny.h>

#if defined(__GNUC__) && TINY_FAST > 1
#  define TINY_LIKELY(x) __builtin_expect((x), 1)
#endif

static unsigned limit(unsigned shift)
{
    return shift > 63 ? 63 : shift;
}

static unsigned least(unsigned shift)
{
    return shift < 1 ? 1 : shift;
}

static int is_even(unsigned shift)
{
    return (shift & 1) == 0;
}

static int is_zero(unsigned shift)
{
    return !shift;
}

size_t TINY_scale(size_t n, unsigned shift)
{
    return n << least(limit(shift));
}
