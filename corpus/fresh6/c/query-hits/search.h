#pragma once

#include <vector>

struct Segment {
    int first;
    int last;
};

struct Results {
    std::vector<int> ids;
};

void search(const Segment &segment, int term, Results *out);
