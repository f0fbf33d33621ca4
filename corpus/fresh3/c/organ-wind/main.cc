#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "organ.h"

int main() {
  auto bellows = std::make_unique<Bellows>();
  std::thread boy([&bellows] {
    for (int stroke = 0; stroke < 3; ++stroke) {
      bellows->Pump(5);
      usleep(4000);
    }
  });
  Pipe principal(*bellows, 7);
  usleep(2000);
  bool sounded = principal.Speak();
  boy.join();
  std::puts(sounded ? "sound" : "silence");
}
