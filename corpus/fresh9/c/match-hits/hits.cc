#include "hits.h"

void Hits::add(int line)
{
    found_.push_back(line);
}
