#include "table.h"

Table::Table(unsigned seed) : dice_(seed) {
  rolled_.reserve(64);
  dice_();
}

unsigned Table::roll() {
  return dice_() % 6 + 1;
}

void Table::note(unsigned eyes) {
  rolled_.push_back(eyes);
}
