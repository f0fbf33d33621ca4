/* Memory that nobody frees, for LeakSanitizer. */
#include <stdlib.h>

static void *volatile lost;

int main(void)
{
    lost = malloc(24);
    lost = NULL;
    return 0;
}
