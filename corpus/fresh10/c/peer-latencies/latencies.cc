#include "latencies.h"

void Latencies::record(const std::string &peer, int micros)
{
    micros_[peer] = micros;
}
