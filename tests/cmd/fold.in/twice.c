#if B
#else
#else
#endif
