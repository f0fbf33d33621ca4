#include <cstdio>
#include <memory>

#include "foundry.h"

int main() {
  auto works = std::make_unique<Foundry>();
  works->order(40, 3000);
  works->order(60, 11000);
  long shift = works->settle();
  std::printf("%d\n", shift <= 1);
}
