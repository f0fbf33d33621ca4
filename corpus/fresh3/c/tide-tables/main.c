#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "tides.h"

static void *pilot(void *arg) {
  double draught = *(double *)arg;
  int safe = tides_mean() > draught && tides_range() < 5;
  usleep(5000);
  return safe ? arg : NULL;
}

int main(void) {
  double barge = 1.4, coaster = 2.1;
  pthread_t first, second;
  pthread_create(&first, NULL, pilot, &barge);
  usleep(1000);
  pthread_create(&second, NULL, pilot, &coaster);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  puts("passed");
  return 0;
}
