#include <unistd.h>

#include <cstdio>
#include <thread>

#include "mint.h"

static Mint mint;

static void Press(const char* coin, useconds_t stroke) {
  for (int i = 0; i < 2; ++i) {
    usleep(stroke);
    if (mint.Die(coin) < 0) {
      std::puts("no die");
    }
  }
}

int main() {
  mint.Cut("ducat", 3);
  mint.Cut("thaler", 5);
  std::thread left(Press, "ducat", 3000);
  std::thread right(Press, "thaler", 4000);
  left.join();
  right.join();
  std::puts(mint.Asked() > 0 ? "struck" : "idle");
}
