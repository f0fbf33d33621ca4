#pragma once

#include <cstddef>
#include <vector>

struct Span {
    long id;
    long nanos;
};

class Tracer {
public:
    void record(long id, long nanos);
    std::size_t pending() const;

private:
    std::vector<Span> spans_;
};
