#include <unistd.h>

#include <cstdio>
#include <future>
#include <memory>

#include "pump.h"

static int run(Pump* pump) {
  for (int i = 0; i < 5; ++i) {
    usleep(4000);
    pump->stroke(i % 2 == 0);
  }
  usleep(20000);
  return 5;
}

int main() {
  auto pump = std::make_unique<Pump>(7);
  auto done = std::async(std::launch::async, run, pump.get());
  usleep(14000);
  long seen = pump->strokes();
  pump->repair();
  std::printf("%d\n", done.get() >= seen);
}
