#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "trace.h"

static struct trace trace;

static void *needle(void *arg) {
  const double *forces = arg;
  for (; *forces > 0; forces++) {
    trace_shock(&trace, *forces);
    usleep(4000);
  }
  return NULL;
}

int main(void) {
  double forces[] = {3.1, 1.2, 4.4, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, needle, forces);
  usleep(6000);
  trace_reset(&trace);
  pthread_join(thread, NULL);
  puts("written");
  return 0;
}
