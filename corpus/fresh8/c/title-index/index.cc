#include "index.h"

TitleIndex::TitleIndex()
{
    titles_.reserve(64);
}

void TitleIndex::put(int page, int title)
{
    titles_.emplace(page, title);
}
