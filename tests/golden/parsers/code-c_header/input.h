#ifndef A_H
#define A_H
#include <a.h>
/* adds */
int *add(int a, int b) { return 0; }
struct point { int x; };
int g(void);
#endif
