#include "pump.h"

Pump::Pump(int id) : id_(id) {}

void Pump::stroke(bool leaky) {
  __atomic_fetch_add(&strokes_, 1, __ATOMIC_RELAXED);
  if (leaky) {
    __atomic_fetch_add(&leaks_, 1, __ATOMIC_RELAXED);
  }
}

long Pump::strokes() const {
  return strokes_;
}

void Pump::repair() {
  leaks_ = 0;
}
