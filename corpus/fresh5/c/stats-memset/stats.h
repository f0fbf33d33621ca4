#ifndef STATS_H
#define STATS_H

struct stats {
    unsigned long drops;
    unsigned long since;
};

void stats_drop(void);
void stats_reset(void);

#endif
