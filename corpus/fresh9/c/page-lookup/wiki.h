#pragma once
#include <map>
#include <string>

struct Page {
    std::string title;
    int revision = 0;
};

class Wiki {
public:
    void save(const std::string &title);
    int revision(const std::string &title) const;

private:
    std::map<std::string, Page> pages_;
};
