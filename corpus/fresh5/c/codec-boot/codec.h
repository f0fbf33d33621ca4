#pragma once

#include <thread>

class Codec {
public:
    Codec(long bitrate, long channels);
    ~Codec();

private:
    void encode();

    std::thread thread_;
    long bitrate_;
    long channels_;
    long frames_;
};
