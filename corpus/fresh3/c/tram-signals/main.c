#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "line.h"

static void *control(void *arg) {
  struct line *line = arg;
  for (int i = 0; i < line->count; i++) {
    section_enter(&line->sections[i], 30 * (i + 1));
    usleep(4000);
    section_leave(&line->sections[i]);
  }
  return NULL;
}

static long display(const struct line *line) {
  long load = 0;
  for (int i = 0; i < line->count; i++) {
    load += section_load(&line->sections[i]);
  }
  return load;
}

int main(void) {
  struct line *line = line_new(2);
  pthread_t controller;
  pthread_create(&controller, NULL, control, line);
  usleep(6000);
  long load = display(line);
  pthread_join(controller, NULL);
  line_free(line);
  puts(load >= 0 ? "shown" : "lost");
  return 0;
}
