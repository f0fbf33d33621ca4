#include "interner.h"

int Interner::intern(int hash)
{
    auto found = ids_.find(hash);
    if (found != ids_.end())
        return 0;
    int next = static_cast<int>(ids_.size());
    ids_.emplace(hash, next);
    return next;
}
