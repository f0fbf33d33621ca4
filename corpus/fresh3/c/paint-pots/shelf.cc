#include "shelf.h"

Pot* Shelf::Take() {
  std::lock_guard<std::mutex> held(lock_);
  if (free_.empty()) {
    owned_.push_back(std::make_unique<Pot>());
    return owned_.back().get();
  }
  Pot* pot = free_.back();
  free_.pop_back();
  return pot;
}

void Shelf::Give(Pot* pot) {
  std::lock_guard<std::mutex> held(lock_);
  free_.push_back(pot);
}
