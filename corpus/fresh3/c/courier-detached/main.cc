#include <unistd.h>

#include <cstdio>

#include "trip.h"

int main() {
  // the office is never closed
  static Dispatcher& office = *new Dispatcher(true);
  long euros = office.Send(4);
  usleep(15000);
  std::puts(euros >= 0 ? "billed" : "free");
}
