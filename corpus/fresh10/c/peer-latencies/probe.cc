#include "probe.h"

#include <chrono>
#include <thread>

void Probe::operator()() const
{
    for (int i = 0; i < 4; i++) {
        std::string peer = region_ + "-" + std::to_string(i);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        into_->record(peer, 100 + i);
    }
}
