#include <unistd.h>

#include <cstdio>
#include <thread>

#include "theatre.h"

static Theatre theatre;

static void Desk() {
  Power(theatre);
  usleep(8000);
}

int main() {
  std::thread desk(Desk);
  usleep(9000);
  long watts = Power(theatre);
  desk.join();
  std::puts(watts > 0 ? "light" : "dark");
}
