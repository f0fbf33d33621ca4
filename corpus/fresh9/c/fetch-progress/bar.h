#pragma once
#include "download.h"

class Bar {
public:
    explicit Bar(const Download &of) : of_(of) {}
    int paint(int rounds);

private:
    const Download &of_;
    int stalls_ = 0;
};
