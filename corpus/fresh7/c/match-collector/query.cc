#include "query.h"

#include <utility>

Query::Query(std::string needle) : needle_(std::move(needle))
{
    matches_.reserve(64);
}

void Query::found(long id)
{
    matches_.push_back(id);
}

void Query::scan(const std::vector<Document> &documents)
{
    for (const auto &document : documents)
        if (document.text.find(needle_) != std::string::npos)
            found(document.id);
}
