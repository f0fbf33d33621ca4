// A siren that howls in a thread of its own.
#ifndef SIREN_H
#define SIREN_H

struct siren;

struct siren *siren_start(long tone, long loud);
void siren_stop(struct siren *siren);

#endif
