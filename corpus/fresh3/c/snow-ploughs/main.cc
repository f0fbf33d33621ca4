#include <unistd.h>

#include <cstdio>

#include "radio.h"

static long Night(useconds_t watch) {
  long km = 0;
  long salt = 0;
  Radio radio({{4, 120}, {7, 260}, {2, 10}}, [&km, &salt](const Report& report) {
    km += report.km;
    salt += report.salt;
  });
  usleep(watch);
  long driven = km;
  long spread = salt;
  return driven > 0 ? spread / driven : 0;
}

int main() { std::puts(Night(8000) > 0 ? "salted" : "slippery"); }
