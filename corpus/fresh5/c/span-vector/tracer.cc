#include "tracer.h"

void Tracer::record(long id, long nanos)
{
    spans_.push_back(Span{id, nanos});
}

std::size_t Tracer::pending() const
{
    return spans_.size();
}
