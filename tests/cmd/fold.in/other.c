int x;
#define K 7
#if K == 8
int y;
#endif
