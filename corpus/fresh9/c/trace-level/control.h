#ifndef CONTROL_H
#define CONTROL_H
void *control_run(void *levels);
#endif
