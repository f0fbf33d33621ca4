#include <stdio.h>
#include <unistd.h>

#include "siren.h"

static void drill(useconds_t length) {
  struct siren *siren = siren_start(420, 9);
  usleep(length);
  siren_stop(siren);
}

int main(void) {
  drill(6000);
  puts("quiet");
  return 0;
}
