#include "font.h"

#include <utility>

Font::Font(std::string face) : face_(std::move(face))
{
}

Font::~Font()
{
    delete atlas_;
}

Atlas *Font::atlas()
{
    if (!atlas_) {
        std::lock_guard<std::mutex> guard(mutex_);
        if (!atlas_)
            atlas_ = new Atlas{64};
    }
    return atlas_;
}

int Font::width(const std::string &text)
{
    int sum = 0;
    const int cells = atlas() ? 8 : 0;
    for (char c : text)
        sum += cells + (c == 'W');
    return sum;
}
