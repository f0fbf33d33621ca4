#pragma once

#include "pool.h"

class Foundry {
 public:
  Foundry();
  void order(long kilos, unsigned effort);
  long settle();

 private:
  void cast(long kilos, unsigned effort);
  void sign_off();

  long total_ = 0;
  long last_shift_ = 0;
  Pool pool_;
};
