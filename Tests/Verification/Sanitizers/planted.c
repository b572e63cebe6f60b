/* One fault for each sanitizer, by argument, which scripts/checks/sanitizers must find. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    const char *fault = count > 1 ? arguments[1] : "none";
    volatile int number = INT_MAX;
    char *memory = malloc(8);
    if (!memory) return 1;
    memset(memory, 0, 8);
    if (strcmp(fault, "overflow") == 0) number = memory[(size_t)count * 4];
    if (strcmp(fault, "undefined") == 0) number = number + count;
    if (strcmp(fault, "leak") != 0) free(memory);
    memory = NULL;
    printf("%s: %d\n", fault, number);
    return 0;
}
