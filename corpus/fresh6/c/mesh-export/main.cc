#include <cstdio>

#include "export.h"

int main()
{
    std::vector<Mesh> scene = {{"hull", 120}, {"mast", 40}, {"sail", 80}};
    long bytes = export_all(scene);
    std::printf("exported: %d\n", bytes > 0);
    return 0;
}
