#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "trace.h"

static void handle(trace *t, const char *part)
{
    auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    t->finish(part, begin);
}

int main()
{
    auto t = std::make_unique<trace>(16);
    std::thread auth(handle, t.get(), "auth");
    std::thread fetch(handle, t.get(), "fetch");
    auth.join();
    fetch.join();
    std::printf("%d\n", t->size() > 0);
    return 0;
}
