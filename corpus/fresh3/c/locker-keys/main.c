#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "lockers.h"

static void *attendant(void *arg) {
  int guest = *(int *)arg;
  int number = lockers_take(guest);
  usleep(6000);
  return number < 0 ? NULL : arg;
}

int main(void) {
  int guests[] = {11, 12};
  pthread_t desks[2];
  for (int i = 0; i < 2; i++) {
    pthread_create(&desks[i], NULL, attendant, &guests[i]);
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(desks[i], NULL);
  }
  puts(lockers_of(11) + lockers_of(12) > 0 ? "let in" : "full");
  return 0;
}
