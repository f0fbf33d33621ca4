#pragma once
#include "stock.h"

void trucks(Shop &shop, int count);
int customers(Shop &shop, int count);
