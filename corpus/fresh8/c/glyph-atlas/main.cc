#include <cstdio>
#include <memory>
#include <thread>

#include "font.h"

int main()
{
    auto font = std::make_unique<Font>("Go Mono");
    int widths[2] = {0, 0};
    std::thread title([&] { widths[0] = font->width("Wide title"); });
    std::thread body([&] { widths[1] = font->width("body"); });
    title.join();
    body.join();
    std::printf("laid out: %d\n", widths[0] > 0 && widths[1] > 0);
    return 0;
}
