#include "mill.h"

void Mill::Deliver(const Sack& sack) {
  if (sack.kilos > 0) {
    sacks_.push_back(sack);
  }
}

int Mill::Grind() const {
  int kilos = 0;
  for (const Sack& sack : sacks_) {
    kilos += sack.kilos;
  }
  return kilos;
}
