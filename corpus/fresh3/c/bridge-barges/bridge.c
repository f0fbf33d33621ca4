#include "bridge.h"

struct bridge bridge = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0, 0};

void bridge_lift(void) {
  pthread_mutex_lock(&bridge.river);
  bridge.lifted = 1;
  bridge.moves += 1;
  pthread_mutex_unlock(&bridge.river);
}

void bridge_lower(void) {
  pthread_mutex_lock(&bridge.road);
  bridge.lifted = 0;
  bridge.moves += 1;
  pthread_mutex_unlock(&bridge.road);
}
