#ifndef JOBS_H
#define JOBS_H
void *jobs_run(void *count);
#endif
