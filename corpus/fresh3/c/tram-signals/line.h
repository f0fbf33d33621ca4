// A tram line is cut into sections.
#ifndef LINE_H
#define LINE_H

struct section {
  const char *name;
  long trams;
  long delay;
};

struct line {
  struct section *sections;
  int count;
};

struct line *line_new(int count);
void line_free(struct line *line);
void section_enter(struct section *section, long late);
void section_leave(struct section *section);
long section_load(const struct section *section);

#endif
