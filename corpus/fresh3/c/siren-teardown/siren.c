#include "siren.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct siren {
  pthread_t horn;
  int howls;
  long tone;
  long loud;
  long work;
};

static long pitch(const struct siren *siren, int howl) {
  return siren->tone + 10 * howl;
}

static long push(const struct siren *siren, long hertz) {
  return hertz * siren->loud;
}

static void *howl(void *arg) {
  struct siren *siren = arg;
  for (int i = 0; i < siren->howls; i++) {
    siren->work += push(siren, pitch(siren, i));
    usleep(4000);
  }
  return NULL;
}

struct siren *siren_start(long tone, long loud) {
  struct siren *siren = calloc(1, sizeof *siren);
  siren->tone = tone;
  siren->loud = loud;
  siren->howls = 4;
  pthread_create(&siren->horn, NULL, howl, siren);
  return siren;
}

static void silence(struct siren *siren) {
  siren->tone = 0;
  siren->loud = 0;
}

void siren_stop(struct siren *siren) {
  silence(siren);
  pthread_join(siren->horn, NULL);
  free(siren);
}
