#include "interner.h"

int Interner::intern(const std::string &name)
{
    auto found = ids_.find(name);
    if (found != ids_.end())
        return found->second;
    int id = static_cast<int>(ids_.size());
    ids_.emplace(name, id);
    return id;
}
