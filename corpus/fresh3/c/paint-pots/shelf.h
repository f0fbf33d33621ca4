// Pots of paint that are used again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

struct Pot {
  long colour;
  long litres;
};

class Shelf {
 public:
  Pot* Take();
  void Give(Pot* pot);

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Pot>> owned_;
  std::vector<Pot*> free_;
};
