#ifndef MIME_H
#define MIME_H

const char *mime_of(const char *path);

#endif
