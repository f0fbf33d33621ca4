#pragma once

#include <string>

struct Reply {
    long millis = 0;
};

class Pinger {
public:
    explicit Pinger(std::string host);
    Reply *ping(int patience_ms, int answer_ms);

private:
    std::string host_;
};

long elapsed(const Reply &reply);
