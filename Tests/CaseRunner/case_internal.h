/* What reading, playing and comparing cases share. */
#ifndef CASE_INTERNAL_H
#define CASE_INTERNAL_H

#include "case_rules.h"

extern const char *const case_row_names[CASE_ROWS];

/* A column of a drawing. */
#define CASE_COLUMN_NS 10000000u

/* The next word of a text, which ends at a space and gets a zero byte; null at the end. */
char *case_word(char **text);
/* A time in milliseconds with decimals, "latest", or nanoseconds with "ns". */
bool case_time(const char *word, uint64_t *at_ns);
/* A size: a letter, 0 or ? of the drawings, or WIDTHxHEIGHT. */
bool case_size(const char *word, double *width, double *height);
/* Reads "[preset] [field value]…" into a policy. Returns the word that is wrong, null for none. */
const char *case_policy(char *text, settle_policy *policy);
/* Memory, aligned to 64 and full of 0xA5; *allocated is what is to be freed. Null where there is none. */
void *case_memory(size_t size, void **allocated);
/* So many bytes of at most 64 KiB, until the next call: on Unix, what reads behind them crashes. */
char *case_guarded(size_t count);
/* Writes a policy as JSON. */
void case_write_policy(const settle_policy *policy, FILE *file);

typedef struct case_list {
    size_t count;
    settle_decision decisions[CASE_DECISIONS_MAX];
} case_list;

/* Plays a run in batches into a core with room for so many decisions. */
void case_play_batches(const case_run *run, case_list *list, uint32_t decisions_max);
/* Plays a run's events as a log has them, to its end. */
void case_play_log(const case_run *run, case_list *list);

/* Forgets what case_problem() has, and adds to it. */
void case_clear(void);
void case_say(const char *format, ...);
void case_say_time(uint64_t at_ns);
void case_say_size(double width, double height);
void case_say_decision(const case_run *run, const settle_decision *decision);

/* Compares a text with what a core decided since the last look, and with its state. `scenes` are handles by number. */
bool case_same(const case_run *run, const char *text, settle_core *core, const settle_scene *scenes,
               const settle_decision *decisions, size_t count);
/* Compares a drawing's rows with decisions, and with '*' or '.' for a pending rebuild in each column. */
bool case_same_drawing(const case_run *run, const settle_decision *decisions, size_t count, const char *pending);

#endif
