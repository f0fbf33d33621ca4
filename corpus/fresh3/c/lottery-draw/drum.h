// The drum from which numbers are drawn.
#pragma once

#include <random>

class Drum {
 public:
  explicit Drum(unsigned seed) : engine_(seed) {}
  int Draw();

 private:
  std::minstd_rand engine_;
};
