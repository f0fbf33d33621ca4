/* Run with an old layout of memory (setarch -L), where ThreadSanitizer cannot work: its runtime gives up before main. */
int counter;

int main(void)
{
    return counter;
}
