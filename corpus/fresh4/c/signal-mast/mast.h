#pragma once

#include <thread>

class Mast {
 public:
  Mast(const char* code, long lamp);
  ~Mast();
  void dismantle();

 private:
  void blink();

  const char* code_;
  long lamp_;
  long blinks_ = 0;
  std::thread worker_;
};
