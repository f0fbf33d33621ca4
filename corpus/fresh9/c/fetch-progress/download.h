#pragma once
#include <string>

class Download {
public:
    Download(std::string url, long size);
    void run();
    int percent() const;
    bool stalled(long before) const;

private:
    bool fetch_chunk();

    std::string url_;
    long size_;
    long bytes_ = 0;
    long chunks_ = 0;
};
