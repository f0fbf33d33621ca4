#include <cstdio>

#include "export.h"

int main()
{
    std::printf("rows: %ld\n", export_rows(12));
    return 0;
}
