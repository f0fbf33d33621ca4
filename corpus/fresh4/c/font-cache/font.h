#pragma once

struct Font {
  long size;
};

const Font* title_font();
const Font* body_font();
