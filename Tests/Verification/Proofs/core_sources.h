/* The core's sources as one unit, but for the queue (deadlines.c), whose contract stands for it,
 * and what no step calls (init.c, names.c). */
#include "submit.c"
#include "advance.c"
#include "rules.c"
#include "preview.c"
#include "live.c"
#include "feedback.c"
#include "quiet.c"
#include "decisions.c"
#include "slots.c"
#include "policies.c"
#include "queries.c"
/* The prover's memcpy copies whole words only. */
#undef memcpy
#include "config.c"
