#include "stock.h"

void Shop::deliver(int units)
{
    std::lock_guard<std::mutex> guard(warehouse_);
    stock_->units += units;
}

bool Shop::sell(int units)
{
    std::lock_guard<std::mutex> guard(till_);
    if (stock_->units < units)
        return false;
    stock_->units -= units;
    takings_ += 3 * units;
    return true;
}
