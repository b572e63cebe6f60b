/* The core's sources as one unit, but for the queue (deadlines.c), whose contract stands for it,
 * and what no step calls (config.c, init.c, names.c). */
#include "submit.c"
#include "advance.c"
#include "rules.c"
#include "decisions.c"
#include "slots.c"
#include "policies.c"
#include "queries.c"
