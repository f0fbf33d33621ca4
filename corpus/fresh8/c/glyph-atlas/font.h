#pragma once

#include <mutex>
#include <string>

struct Atlas {
    int cells;
    int cell(char c) const { return c % cells; }
};

class Font {
public:
    explicit Font(std::string face);
    ~Font();
    int width(const std::string &text);

private:
    Atlas *atlas();

    std::string face_;
    std::mutex mutex_;
    Atlas *atlas_ = nullptr;
};
