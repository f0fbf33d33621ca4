/* Linked to an address where ThreadSanitizer cannot work: its runtime gives up before main. */
int counter;

int main(void)
{
    return counter;
}
