#include "lockers.h"

#include <unistd.h>

struct locker {
  long owner;
  long size;
};

static struct locker lockers[LOCKERS];

static void fetch_key(int guest) { usleep(guest % 2 ? 3000 : 6000); }

int lockers_take(int guest) {
  for (int i = 0; i < LOCKERS; i++) {
    if (lockers[i].owner == 0) {
      fetch_key(guest);
      lockers[i].owner = guest;
      return i;
    }
  }
  return -1;
}

int lockers_of(int guest) {
  int count = 0;
  for (int i = 0; i < LOCKERS; i++) {
    count += lockers[i].owner == guest;
  }
  return count;
}
