#include "draw.h"

bool Draw::claim(long ticket) {
  if (winner_ != 0) {
    return false;
  }
  winner_ = ticket;
  return true;
}

void Draw::open_once(long booth) {
  if (opened_by_ == 0) {
    opened_by_ = booth;
  }
}
