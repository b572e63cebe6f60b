/* What a child of this process does before it becomes something of its own. Private. */
#ifndef TERMINAL_CHILD_H
#define TERMINAL_CHILD_H

/* Handlers of this process mean nothing in its children: every signal gets its default action, or is ignored if this
 * process was started to ignore it. */
void terminal_child_reset_signals(void);

/* Closes every descriptor from this one on. */
void terminal_child_close_from(int first);

#endif
