int a;
#ifdef A
int b;
