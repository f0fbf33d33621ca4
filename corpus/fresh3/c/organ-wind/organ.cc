#include "organ.h"

void Bellows::Pump(long stroke) {
  std::lock_guard<std::mutex> held(lock_);
  pressure_ += stroke;
}

void Bellows::Draw(long amount) {
  std::lock_guard<std::mutex> held(lock_);
  pressure_ -= amount;
}

bool Pipe::Speak() {
  if (bellows_.Pressure() < needs_) {
    return false;
  }
  bellows_.Draw(needs_);
  return true;
}
