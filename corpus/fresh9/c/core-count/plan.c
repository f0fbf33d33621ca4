#include "plan.h"

#include <stddef.h>

#include "cpu.h"

static int divide(int rows, int parts)
{
    return (rows + parts - 1) / parts;
}

void *plan_make(void *arg)
{
    struct plan *p = arg;
    p->chunk = divide(p->rows, cpu_cores());
    return NULL;
}
