// A bridge that lets barges through.
#ifndef BRIDGE_H
#define BRIDGE_H

#include <pthread.h>

struct bridge {
  pthread_mutex_t river;
  pthread_mutex_t road;
  long lifted;
  long moves;
};

extern struct bridge bridge;

void bridge_lift(void);
void bridge_lower(void);

#endif
