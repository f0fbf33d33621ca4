#include <chrono>
#include <cstdio>
#include <thread>

#include "turnstile.h"

using namespace std::chrono_literals;

static arena::Turnstile gate;

static void visitors() {
  for (long badge = 1; badge <= 4; ++badge) {
    std::this_thread::sleep_for(4ms);
    gate.enter(badge);
  }
  std::this_thread::sleep_for(20ms);
}

static void leavers() {
  for (long badge = 1; badge <= 2; ++badge) {
    std::this_thread::sleep_for(7ms);
    gate.leave(badge);
  }
  std::this_thread::sleep_for(20ms);
}

int main() {
  std::thread in(visitors);
  std::thread out(leavers);
  in.join();
  out.join();
  std::puts("closed");
}
