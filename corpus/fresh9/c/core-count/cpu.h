#ifndef CPU_H
#define CPU_H
int cpu_cores(void);
#endif
