#include "index.h"

Index::Index()
{
    terms_["race"] = 7;
    terms_["heat"] = 9;
}

int Index::find(const std::string &term)
{
    std::shared_lock<std::shared_mutex> reading(mutex_);
    auto found = terms_.find(term);
    if (found == terms_.end())
        return -1;
    hits_++;
    return found->second;
}

long Index::hits()
{
    std::shared_lock<std::shared_mutex> reading(mutex_);
    return hits_;
}
