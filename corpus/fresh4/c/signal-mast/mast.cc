#include "mast.h"

#include <chrono>

using namespace std::chrono_literals;

Mast::Mast(const char* code, long lamp) : code_(code), lamp_(lamp) {
  worker_ = std::thread([this] { blink(); });
}

Mast::~Mast() { worker_.join(); }

void Mast::blink() {
  for (int turn = 0; turn < 6; ++turn) {
    std::this_thread::sleep_for(4ms);
    const char* code = code_;
    if (code != nullptr && lamp_ > 0) {
      ++blinks_;
    }
  }
}

void Mast::dismantle() {
  lamp_ = 0;
  code_ = nullptr;
}
