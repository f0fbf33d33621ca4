#include "monitor.h"

#include <unistd.h>

Monitor::Monitor(Link *link) : link_(link)
{
}

Monitor::~Monitor()
{
    if (thread_.joinable())
        thread_.join();
}

void Monitor::start()
{
    thread_ = std::thread([this] { watch(); });
}

void Monitor::watch()
{
    for (int i = 0; i < 20; i++) {
        Link *link = link_;
        if (!link)
            return;
        checks_.fetch_add(link->up(), std::memory_order_relaxed);
        usleep(1000);
    }
}

void Monitor::stop()
{
    link_ = nullptr;
    thread_.join();
}
