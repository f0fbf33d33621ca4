#pragma once

#include <map>
#include <string>

class Latencies {
public:
    void record(const std::string &peer, int micros);
    std::size_t peers() const { return micros_.size(); }

private:
    std::map<std::string, int> micros_;
};
