#include "wiki.h"

void Wiki::save(const std::string &title)
{
    Page &page = pages_[title];
    page.title = title;
    page.revision++;
}

int Wiki::revision(const std::string &title) const
{
    auto it = pages_.find(title);
    return it == pages_.end() ? 0 : it->second.revision;
}
