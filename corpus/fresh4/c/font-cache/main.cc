#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "font.h"

static void paint(unsigned wait) {
  usleep(wait);
  title_font();
  body_font();
  usleep(25000);
}

int main() {
  std::vector<std::thread> painters;
  for (unsigned i = 0; i < 2; ++i) {
    painters.emplace_back(paint, 2000 + i * 9000);
  }
  for (auto& painter : painters) {
    painter.join();
  }
  std::puts("painted");
}
