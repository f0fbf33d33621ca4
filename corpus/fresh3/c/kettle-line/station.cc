#include "station.h"

#include <unistd.h>

void Station::Start() { worker_ = std::thread(&Station::Run, this); }

void Station::Run() {
  for (int i = 0; i < 3; ++i) {
    done_ += Step();
    usleep(5000);
  }
}

Kettle::Kettle(long target, long hops) {
  Start();
  usleep(3000);
  target_ = target;
  hops_ = hops;
}

long Kettle::Step() {
  long heat = target_ / 10;
  long bitter = hops_ * 2;
  return heat + bitter;
}
