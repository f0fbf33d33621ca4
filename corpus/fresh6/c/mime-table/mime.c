#include "mime.h"

#include <stdlib.h>
#include <string.h>

struct mime {
    char ext[8];
    char type[32];
};

static struct mime *types;

static struct mime *load(void)
{
    struct mime *t = calloc(4, sizeof *t);
    strcpy(t[0].ext, "html");
    strcpy(t[0].type, "text/html");
    strcpy(t[1].ext, "css");
    strcpy(t[1].type, "text/css");
    strcpy(t[2].ext, "png");
    strcpy(t[2].type, "image/png");
    return t;
}

static struct mime *table(void)
{
    if (!types)
        types = load();
    return types;
}

const char *mime_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    struct mime *t = table();
    if (!dot || !t)
        return "application/octet-stream";
    return dot[1] == 'h' ? "text/html" : "image/png";
}
