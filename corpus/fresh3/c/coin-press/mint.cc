#include "mint.h"

#include <mutex>

void Mint::Cut(const std::string& coin, int die) {
  std::unique_lock<std::shared_timed_mutex> held(lock_);
  dies_[coin] = die;
}

int Mint::Die(const std::string& coin) const {
  std::shared_lock<std::shared_timed_mutex> held(lock_);
  asked_ += 1;
  auto found = dies_.find(coin);
  return found == dies_.end() ? -1 : found->second;
}

long Mint::Asked() const {
  std::unique_lock<std::shared_timed_mutex> held(lock_);
  return asked_;
}
