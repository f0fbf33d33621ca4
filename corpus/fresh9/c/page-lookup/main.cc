#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "session.h"

int main()
{
    auto wiki = std::make_unique<Wiki>();
    Session a(*wiki, {"Home", "Install"});
    Session b(*wiki, {"Usage", "Faq"});
    std::thread first([&] { a.edit_all(); });
    usleep(200);
    std::thread second([&] { b.edit_all(); });
    first.join();
    second.join();
    std::printf("seen %d\n", a.seen() + b.seen() > 0);
    return 0;
}
