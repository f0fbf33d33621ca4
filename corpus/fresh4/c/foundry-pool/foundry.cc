#include "foundry.h"

#include <unistd.h>

Foundry::Foundry() : pool_(2, [this] { sign_off(); }) {}

void Foundry::order(long kilos, unsigned effort) {
  pool_.post([this, kilos, effort] { cast(kilos, effort); });
}

void Foundry::cast(long kilos, unsigned effort) {
  usleep(effort);
  total_ += kilos;
  usleep(20000);
}

void Foundry::sign_off() {
  usleep(3000);
  last_shift_ = 1;
  usleep(20000);
}

long Foundry::settle() {
  pool_.wait_idle();
  usleep(12000);
  return last_shift_;
}
