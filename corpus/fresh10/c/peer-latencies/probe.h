#pragma once

#include <string>

#include "latencies.h"

class Probe {
public:
    Probe(std::string region, Latencies *into) : region_(std::move(region)), into_(into) {}
    void operator()() const;

private:
    std::string region_;
    Latencies *into_;
};
