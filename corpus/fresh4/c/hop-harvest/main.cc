#include <cstdio>

#include "harvest.h"

int main() {
  Yield yield = harvest({12, 9, 14});
  std::printf("%d\n", yield.kilos <= 35 && yield.pickers <= 3);
}
