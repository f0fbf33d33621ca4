#include "line.h"

#include <stdlib.h>

struct line *line_new(int count) {
  struct line *line = malloc(sizeof *line);
  line->sections = calloc(count, sizeof *line->sections);
  line->count = count;
  return line;
}

void line_free(struct line *line) {
  free(line->sections);
  free(line);
}

void section_enter(struct section *section, long late) {
  section->trams += 1;
  if (late > 0) {
    section->delay += late;
  }
}

void section_leave(struct section *section) {
  section->trams -= 1;
}

long section_load(const struct section *section) {
  long trams = section->trams;
  long delay = section->delay;
  return trams * 60 + delay;
}
