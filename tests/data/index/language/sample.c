#include <stdio.h>
#include "store.h"
#define LIMIT 3
#define SQUARE(x) ((x) * (x))

struct store { int size; };
enum kind { A, B };
typedef unsigned long word_t;
static int total = 0;

/* Adds. */
static int put(struct store *s, int n) { printf("%d", n); return s->check(n); }
char *name_of(enum kind k) { return lookup(k); }
