#include <cstdio>
#include <memory>

#include "station.h"

int main() {
  auto kettle = std::make_unique<Kettle>(98, 4);
  kettle->Finish();
  std::puts("wort");
}
