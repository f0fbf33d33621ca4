#ifndef METRICS_H
#define METRICS_H

struct metrics {
    long finished;
    long failed;
};

void metrics_job(int ok);
long metrics_finished(void);
long metrics_failed(void);
#endif
