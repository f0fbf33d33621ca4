#include <unistd.h>

#include <cstdio>
#include <memory>

#include "pool.h"

static void Render() { usleep(500); }

int main() {
  auto pool = std::make_unique<Pool>(1);
  for (int i = 0; i < 3; ++i) {
    pool->Post(Render);
  }
  usleep(40000);
  long done = pool->Done();
  pool->Quit();
  pool.reset();
  std::puts(done > 3 ? "odd" : "rendered");
}
