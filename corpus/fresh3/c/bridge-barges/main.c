#include <stdio.h>
#include <unistd.h>

#include "bridge.h"

static void *keeper(void *arg) {
  int barges = *(int *)arg;
  for (int i = 0; i < barges; i++) {
    bridge_lift();
    usleep(6000);
  }
  return NULL;
}

static void rush_hour(int cars) {
  while (cars-- > 0) {
    usleep(3000);
    bridge_lower();
  }
}

int main(void) {
  int barges = 2;
  pthread_t thread;
  pthread_create(&thread, NULL, keeper, &barges);
  rush_hour(2);
  pthread_join(thread, NULL);
  puts("all across");
  return 0;
}
