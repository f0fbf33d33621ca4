#include <cstdio>

#include "scan.h"

int main()
{
    std::vector<std::string> lines = {"error: a", "error: b", "error: c", "error: d"};
    Found found = scan(lines, 'e');
    std::printf("%s\n", found.matches > 0 ? "found" : "clean");
    return 0;
}
