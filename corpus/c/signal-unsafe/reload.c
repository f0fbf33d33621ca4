/* A signal handler that allocates. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char *volatile banner;

static char *load_banner(void)
{
    char *text = malloc(32);

    strcpy(text, "reloaded");
    return text;
}

static void on_reload(int signum)
{
    (void)signum;
    banner = load_banner();
}

int main(void)
{
    struct sigaction act;

    memset(&act, 0, sizeof act);
    act.sa_handler = on_reload;
    sigaction(SIGALRM, &act, NULL);
    kill(getpid(), SIGALRM);
    free(banner);
    return 0;
}
