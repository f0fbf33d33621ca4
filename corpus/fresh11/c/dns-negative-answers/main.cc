#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "resolver.h"

static void work(resolver *r, int worker)
{
    for (int i = 0; i < 3; i++)
        r->lookup("host" + std::to_string(worker * 10 + i) + ".bad");
}

int main()
{
    auto r = std::make_unique<resolver>();
    std::vector<std::thread> workers;
    for (int w = 0; w < 2; w++)
        workers.emplace_back(work, r.get(), w);
    for (auto &w : workers)
        w.join();
    std::printf("%d\n", r->known() > 0);
    return 0;
}
