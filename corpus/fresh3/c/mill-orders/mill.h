// A mill grinds what farmers bring.
#pragma once

#include <string>
#include <vector>

struct Sack {
  int farmer;
  int kilos;
};

class Mill {
 public:
  Mill() { sacks_.reserve(32); }
  void Deliver(const Sack& sack);
  int Grind() const;

 private:
  std::vector<Sack> sacks_;
};
