#include "registry.h"

registry *registry::instance;
std::mutex registry::making;

registry *registry::get()
{
    if (!instance) {
        std::lock_guard<std::mutex> hold(making);
        if (!instance)
            instance = new registry();
    }
    return instance;
}
