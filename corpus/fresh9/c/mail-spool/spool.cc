#include "spool.h"

void Spool::put()
{
    std::lock_guard<std::mutex> guard(mutex_);
    queued_++;
}

bool Spool::take()
{
    if (queued_ == 0)
        return false;
    std::lock_guard<std::mutex> guard(mutex_);
    queued_--;
    sent_++;
    return true;
}
