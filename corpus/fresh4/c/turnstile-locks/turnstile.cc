#include "turnstile.h"

namespace arena {

void Turnstile::enter(long badge) {
  std::lock_guard<std::mutex> hold(entry_);
  inside_ += 1;
  last_badge_ = badge;
}

void Turnstile::leave(long badge) {
  std::lock_guard<std::mutex> hold(exit_);
  inside_ -= 1;
  last_badge_ = badge;
}

}  // namespace arena
