#include <cstdio>
#include <thread>

#include "registry.h"

static void Decode() {
  if (Registry::Get() == nullptr || Registry::Fallback() == nullptr) {
    std::puts("nothing to decode with");
  }
}

int main() {
  std::thread left(Decode);
  std::thread right(Decode);
  left.join();
  right.join();
  std::puts("decoded");
}
