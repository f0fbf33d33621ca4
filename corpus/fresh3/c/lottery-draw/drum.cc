#include "drum.h"

int Drum::Draw() {
  std::uniform_int_distribution<int> ball(1, 49);
  return ball(engine_);
}
