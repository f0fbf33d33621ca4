#include <cstdio>
#include <memory>
#include <thread>

#include "bar.h"

int main()
{
    auto download = std::make_unique<Download>("https://example.com/iso", 40960);
    std::thread worker([&] { download->run(); });
    Bar bar(*download);
    int shown = bar.paint(4);
    worker.join();
    std::printf("shown %d, done %d\n", shown >= 0, download->percent());
    return 0;
}
