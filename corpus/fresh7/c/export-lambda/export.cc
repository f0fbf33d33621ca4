#include "export.h"

#include <chrono>
#include <cstdio>
#include <thread>

static void write_row(long row)
{
    std::this_thread::sleep_for(std::chrono::microseconds(row % 2 ? 300 : 500));
}

long export_rows(long wanted)
{
    long rows = 0;
    std::thread writer([&rows, wanted] {
        for (long row = 0; row < wanted; row++) {
            write_row(row);
            rows++;
        }
    });
    for (int i = 0; i < 4; i++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        long seen = rows;
        std::printf("%s\n", seen > wanted ? "too many" : "exporting");
    }
    writer.join();
    return rows;
}
