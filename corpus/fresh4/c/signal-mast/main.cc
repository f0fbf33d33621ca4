#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "mast.h"

int main() {
  auto mast = std::make_unique<Mast>("...---...", 40);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  mast->dismantle();
  mast.reset();
  std::puts("dark");
}
