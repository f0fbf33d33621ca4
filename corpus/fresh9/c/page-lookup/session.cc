#include "session.h"

#include <unistd.h>

#include <utility>

Session::Session(Wiki &wiki, std::vector<std::string> titles)
    : wiki_(wiki), titles_(std::move(titles))
{
}

void Session::edit_all()
{
    for (const auto &title : titles_) {
        wiki_.save(title);
        usleep(500);
        seen_ += wiki_.revision(title);
    }
}
