#include "font.h"

#include <mutex>

Font* g_title = nullptr;
Font* g_body = nullptr;

static std::mutex g_fonts;
static Font g_faces[4];

const Font* title_font() {
  if (g_title == nullptr) {
    std::lock_guard<std::mutex> hold(g_fonts);
    if (g_title == nullptr) {
      g_title = &g_faces[0];
    }
  }
  return &g_faces[0];
}

const Font* body_font() {
  if (!g_body) {
    g_body = &g_faces[1];
  }
  return &g_faces[1];
}
