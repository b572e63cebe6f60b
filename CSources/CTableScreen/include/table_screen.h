/* A terminal as a screen of text, by ncurses, which is loaded when it is first used. One screen at
 * a time, one thread. */
#ifndef TABLE_SCREEN_H
#define TABLE_SCREEN_H

typedef enum terminal_style { TERMINAL_BOLD = 1, TERMINAL_DIM = 2, TERMINAL_REVERSE = 4 } terminal_style;

/* Keys that are no characters. */
enum { TERMINAL_UP = 0x110000, TERMINAL_DOWN, TERMINAL_PAGE_UP, TERMINAL_PAGE_DOWN, TERMINAL_HOME, TERMINAL_END };

/* Clears the screen of standard output, and hides the cursor. Returns null, or why it cannot, with
 * what to do. */
const char *table_screen_open(void);

/* Whether the locale's characters were UTF-8 when the screen was opened, so that the terminal's font may have more
 * than ASCII. */
int table_screen_is_utf8(void);

/* Restores the terminal. */
void table_screen_close(void);

/* Begins a new picture, with the size that the terminal has now, in cells. */
void table_screen_begin(int *rows, int *columns);

/* Writes text, UTF-8 without control characters, from a cell on; what is beyond the last column is
 * cut. Returns the columns that it took. `styles` are bits of terminal_style. */
int table_screen_put(int row, int column, int columns, const char *text, int styles);

/* Shows the picture. */
void table_screen_show(void);

/* The next key that has been pressed, without waiting: a character or one of the keys above; 0 for
 * none and for keys that are not listed. */
int table_screen_key(void);

#endif
