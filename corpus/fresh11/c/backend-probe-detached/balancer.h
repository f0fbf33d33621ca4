#pragma once
#include <string>
#include <vector>

struct backend {
    std::string host;
    long latency_us = 0;
};

class balancer {
public:
    explicit balancer(std::vector<std::string> hosts);
    void probe_all();
    const backend &pick() const;

private:
    std::vector<backend> backends;
};
