#include <cstdio>
#include <memory>

#include "codec.h"

int main()
{
    auto codec = std::make_unique<Codec>(128000, 2);
    codec.reset();
    std::puts("encoded");
    return 0;
}
