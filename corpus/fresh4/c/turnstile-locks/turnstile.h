#pragma once

#include <mutex>

namespace arena {

class Turnstile {
 public:
  void enter(long badge);
  void leave(long badge);

 private:
  std::mutex entry_;
  std::mutex exit_;
  long inside_ = 0;
  long last_badge_ = 0;
};

}  // namespace arena
