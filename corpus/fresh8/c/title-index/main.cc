#include <cstdio>
#include <memory>
#include <thread>

#include "index.h"

static void crawl(TitleIndex &index, int first)
{
    for (int page = first; page < first + 2; page++)
        index.put(page, page * 7);
}

int main()
{
    auto index = std::make_unique<TitleIndex>();
    std::thread one([&] { crawl(*index, 0); });
    std::thread two([&] { crawl(*index, 20); });
    one.join();
    two.join();
    std::printf("indexed: %d\n", index->size() > 0);
    return 0;
}
