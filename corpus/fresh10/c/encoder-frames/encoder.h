#ifndef ENCODER_H
#define ENCODER_H

struct encoder {
    int first;
    int last;
};

void *encoder_run(void *arg);
long encoder_frames(void);

#endif
