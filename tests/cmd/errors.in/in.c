#ifdef X
#endif
