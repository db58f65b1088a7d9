#include "enumerate.h"
int enumerate(struct sim *sim, unsigned depth) { (void)sim; (void)depth; return 0; }
