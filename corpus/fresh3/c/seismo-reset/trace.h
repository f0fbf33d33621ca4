// What a seismograph wrote since it was reset.
#ifndef TRACE_H
#define TRACE_H

struct trace {
  long station;
  long peaks;
};

void trace_shock(struct trace *trace, double force);
void trace_reset(struct trace *trace);

#endif
