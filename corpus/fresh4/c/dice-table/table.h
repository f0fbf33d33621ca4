#pragma once

#include <random>
#include <vector>

class Table {
 public:
  explicit Table(unsigned seed);
  unsigned roll();
  void note(unsigned eyes);

 private:
  std::mt19937 dice_;
  std::vector<unsigned> rolled_;
};
