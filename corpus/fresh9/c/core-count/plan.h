#ifndef PLAN_H
#define PLAN_H

struct plan {
    int rows;
    int chunk;
};

void *plan_make(void *plan);
#endif
