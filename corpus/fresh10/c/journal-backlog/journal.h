#ifndef JOURNAL_H
#define JOURNAL_H

void journal_add(const char *text);
int journal_backlog(void);
int journal_flush(void);

#endif
