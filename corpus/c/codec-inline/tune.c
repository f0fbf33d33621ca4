/* The writer's side, in a file of its own. */
#include "codec.h"

static void apply(struct codec *c, int level)
{
    codec_set_level(c, level);
}

void tune(struct codec *c, int level)
{
    apply(c, level > 9 ? 9 : level);
}
