#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "shelf.h"

static Shelf shelf;
static std::vector<std::thread> sprayers;

static void Fill(Pot* pot, long colour) {
  pot->colour = colour;
  pot->litres = 5;
}

static void Spray(const Pot* pot) {
  usleep(2000);
  long colour = pot->colour;
  long litres = pot->litres;
  usleep(litres > 0 ? 9000 : 9000 + colour);
}

static void Paint(long colour) {
  Pot* pot = shelf.Take();
  Fill(pot, colour);
  sprayers.emplace_back(Spray, pot);
  shelf.Give(pot);
}

int main() {
  for (long colour = 1; colour <= 2; ++colour) {
    Paint(colour);
    usleep(5000);
  }
  for (auto& sprayer : sprayers) {
    sprayer.join();
  }
  std::puts("dry");
}
