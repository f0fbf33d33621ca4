#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "sender.h"

int main()
{
    auto spool = std::make_unique<Spool>();
    Sender sender(*spool);
    std::thread thread([&] { sender.run(12); });
    for (int i = 0; i < 8; i++) {
        spool->put();
        usleep(1000);
    }
    thread.join();
    std::printf("sent: %d\n", spool->sent() > 0);
    return 0;
}
