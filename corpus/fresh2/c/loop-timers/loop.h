#ifndef LOOP_H
#define LOOP_H

typedef void (*loop_fn)(void *arg);

struct loop {
    int pending;
    long deadline;
    int turns;
    loop_fn idle;
    void *arg;
};

void loop_init(struct loop *l, loop_fn idle, void *arg);
void loop_post(struct loop *l, long deadline);
void loop_run(struct loop *l, int turns);

#endif
