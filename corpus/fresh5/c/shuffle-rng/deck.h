#pragma once

int draw(int cards);
