/* usage: peers full | quick | tiny [lateness]. Prints rows in JSON Lines. */
#include <stdio.h>
#include <string.h>

#include "peers.h"
#include "lateness.h"

/* Streams at 1,000 events a second each, so that deadlines are postponed and
 * looked at again as in use; but the million is one burst within the delay, so
 * that its figure is that of an event and not of upkeep. */
static const peers_case full[] = {
    {"hot", 1, false, 100, 4000000},
    {"many", 10000, false, 100, 4000000},
    {"million", 1000000, true, 10, 4000000},
};
static const peers_case quick[] = {
    {"hot", 1, false, 100, 2000000},
    {"many", 10000, false, 100, 2000000},
    {"million", 1000000, true, 10, 1000000},
};
static const peers_case tiny[] = {
    {"hot", 1, false, 100, 20000},
    {"many", 100, false, 100, 20000},
    {"million", 1000, true, 10, 20000},
};
enum { CASES = 3 };

/* What a scene takes, by what a larger core takes more. */
static void print_memory(void) {
    settle_config half = settle_config_default(), whole = half;
    whole.scenes_max = SETTLE_SCENES_MAX;
    half.scenes_max = SETTLE_SCENES_MAX / 2;
    size_t bytes = (settle_core_size(&whole) - settle_core_size(&half)) / half.scenes_max;
    printf("{\"kind\":\"memory\",\"bytes_per_scene\":%zu}\n", bytes);
}

int main(int count, char **arguments) {
    const char *size = count > 1 ? arguments[1] : "full";
    bool lateness = count > 2 && strcmp(arguments[2], "lateness") == 0;
    bool is_quick = strcmp(size, "quick") == 0, is_tiny = strcmp(size, "tiny") == 0;
    if (count > 3 || (count > 2 && !lateness) || (!is_quick && !is_tiny && strcmp(size, "full") != 0)) {
        fputs("usage: peers full | quick | tiny [lateness]\n", stderr);
        return 2;
    }
    if (!lateness) print_memory();
    if (lateness) lateness_measure(is_tiny ? 20 : is_quick ? 100 : 200);
    else if (is_tiny) peers_measure(tiny, CASES, 2);
    else if (is_quick) peers_measure(quick, CASES, 3);
    else peers_measure(full, CASES, 7);
    return 0;
}
