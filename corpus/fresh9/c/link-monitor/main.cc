#include <unistd.h>

#include <cstdio>
#include <memory>

#include "monitor.h"

int main()
{
    Link uplink(7);
    auto monitor = std::make_unique<Monitor>(&uplink);
    monitor->start();
    usleep(5000);
    monitor->stop();
    std::printf("checked: %d\n", monitor->checks() > 0);
    return 0;
}
