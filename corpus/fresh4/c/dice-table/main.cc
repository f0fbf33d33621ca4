#include <unistd.h>

#include <cstdio>
#include <thread>

#include "table.h"

static Table green(42);

static void player(unsigned wait) {
  usleep(wait);
  green.note(green.roll());
  usleep(25000);
}

int main() {
  std::thread ada(player, 3000);
  std::thread bob(player, 12000);
  ada.join();
  bob.join();
  std::puts("played");
}
