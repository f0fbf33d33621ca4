#include "resolver.h"

bool resolver::lookup(const std::string &name)
{
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".bad") == 0) {
        missing[name]++;
        return false;
    }
    return true;
}
