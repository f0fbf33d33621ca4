#include <chrono>
#include <cstdio>
#include <thread>

#include "draw.h"

static Draw draw;

static void booth(long number) {
  std::this_thread::sleep_for(std::chrono::milliseconds(number * 5));
  draw.open_once(number);
  draw.claim(number + 100);
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
}

int main() {
  std::thread left(booth, 1);
  std::thread right(booth, 3);
  left.join();
  right.join();
  std::puts("drawn");
}
