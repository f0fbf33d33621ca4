/* Accessors that every optimising compiler inlines. */
#ifndef CODEC_H
#define CODEC_H

struct codec {
    int level;
    unsigned long frames;
};

static inline void codec_set_level(struct codec *c, int level)
{
    c->level = level;
}

static inline int codec_level(const struct codec *c)
{
    return c->level;
}

void tune(struct codec *c, int level);

#endif
