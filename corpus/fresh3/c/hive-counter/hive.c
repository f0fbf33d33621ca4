// Counts bees at the hole of a hive.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum way { OUT, IN };

struct hive {
  long left;
  long home;
};

static struct hive hive;

static void cross(enum way way) {
  if (way == OUT) {
    __atomic_fetch_add(&hive.left, 1, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_add(&hive.home, 1, __ATOMIC_RELAXED);
  }
}

static void *sensor(void *arg) {
  const enum way *seen = arg;
  for (int i = 0; i < 4; i++) {
    cross(seen[i]);
    usleep(3000);
  }
  return NULL;
}

static long abroad(void) {
  long left = hive.left;
  long home = hive.home;
  return left - home;
}

int main(void) {
  enum way seen[] = {OUT, IN, OUT, OUT};
  pthread_t hole;
  pthread_create(&hole, NULL, sensor, seen);
  usleep(7000);
  long away = abroad();
  pthread_join(hole, NULL);
  puts(away < 10 ? "calm" : "swarm");
  return 0;
}
