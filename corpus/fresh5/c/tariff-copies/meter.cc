#include "meter.h"

void Meter::add(long watts)
{
    std::lock_guard<std::mutex> hold(mutex_);
    *total_ += watts;
}
