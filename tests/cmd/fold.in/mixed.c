#if defined(_MSC_VER) || defined(HAVE_FAST) /* fast */
int fast;
#endif
#if LEVEL > 3
int high;
#elif LEVEL == 3
int three;
#else
int low;
#endif
#ifdef DEBUG
int debug;
#endif
