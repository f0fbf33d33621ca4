#include "download.h"

#include <unistd.h>

#include <utility>

Download::Download(std::string url, long size) : url_(std::move(url)), size_(size)
{
}

bool Download::fetch_chunk()
{
    usleep(800);
    bytes_ += 4096;
    chunks_++;
    return bytes_ < size_;
}

void Download::run()
{
    while (fetch_chunk())
        ;
}

int Download::percent() const
{
    return static_cast<int>(100 * bytes_ / size_);
}

bool Download::stalled(long before) const
{
    return chunks_ == before;
}
