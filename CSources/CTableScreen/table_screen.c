#define _GNU_SOURCE
#define _XOPEN_SOURCE_EXTENDED 1
#include "table_screen.h"

#include "loaded_library.h"

#if __has_include(<curses.h>)

/* Calls through pointers need functions. */
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* The functions of ncurses that are called here, by its own declarations. */
static struct {
    __typeof__(newterm) *newterm;
    __typeof__(delscreen) *delscreen;
    __typeof__(endwin) *endwin;
    __typeof__(newwin) *newwin;
    __typeof__(delwin) *delwin;
    __typeof__(newpad) *newpad;
    __typeof__(tigetstr) *tigetstr;
    __typeof__(cbreak) *cbreak;
    __typeof__(noecho) *noecho;
    __typeof__(curs_set) *curs_set;
    __typeof__(keypad) *keypad;
    __typeof__(nodelay) *nodelay;
    __typeof__(wgetch) *wgetch;
    __typeof__(werase) *werase;
    __typeof__(wmove) *wmove;
    __typeof__(waddnwstr) *waddnwstr;
    __typeof__(wattrset) *wattrset;
    __typeof__(wrefresh) *wrefresh;
    __typeof__(clearok) *clearok;
    __typeof__(reset_prog_mode) *reset_prog_mode;
    __typeof__(getmaxx) *getmaxx;
    __typeof__(getmaxy) *getmaxy;
} curses;

#define FUNCTION(name)                                                                                                 \
    { #name, &curses.name }

static int is_utf8;
static SCREEN *screen;
static WINDOW *window;
/* Keys are read from a window that is never shown: reading draws the window that it reads from. */
static WINDOW *keys;
/* Whether the process was stopped and continued, after which the screen is somebody else's. */
static volatile sig_atomic_t continued;

static void note_continued(int number) {
    (void)number;
    continued = 1;
}

static int load(void) {
    static const loaded_function functions[] = {
        FUNCTION(newterm),  FUNCTION(delscreen), FUNCTION(endwin),          FUNCTION(newwin),    FUNCTION(delwin),
        FUNCTION(cbreak),   FUNCTION(noecho),    FUNCTION(curs_set),        FUNCTION(keypad),    FUNCTION(nodelay),
        FUNCTION(wgetch),   FUNCTION(werase),    FUNCTION(wmove),           FUNCTION(waddnwstr), FUNCTION(wattrset),
        FUNCTION(wrefresh), FUNCTION(clearok),   FUNCTION(reset_prog_mode), FUNCTION(getmaxx),   FUNCTION(getmaxy),
        FUNCTION(newpad),   FUNCTION(tigetstr),
    };
    return loaded_library_open("libncursesw.so.6", functions, sizeof functions / sizeof *functions);
}

const char *table_screen_open(void) {
    if (load() != 0) return "a table in the terminal needs ncurses; install libncursesw6";
    /* Characters are as wide as the locale says. The text is UTF-8 in every locale. */
    setlocale(LC_CTYPE, "");
    is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (!is_utf8) setlocale(LC_CTYPE, "C.UTF-8");
    const char *type = getenv("TERM");
    screen = curses.newterm(type ? type : "dumb", stdout, stdin);
    if (!screen) return "the terminal's type is unknown; set TERM to one that terminfo has, such as xterm-256color";
    const char *moves = curses.tigetstr("cup");
    if (!moves || moves == (char *)-1) {
        table_screen_close();
        return "the terminal's type cannot move the cursor; set TERM to another one, such as xterm-256color";
    }
    window = curses.newwin(0, 0, 0, 0);
    keys = curses.newpad(1, 1);
    if (!window || !keys) {
        table_screen_close();
        return "the terminal has no room for a table";
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_continued;
    action.sa_flags = SA_RESTART;
    sigaction(SIGCONT, &action, NULL);
    curses.cbreak();
    curses.noecho();
    curses.curs_set(0);
    curses.keypad(keys, TRUE);
    curses.nodelay(keys, TRUE);
    return NULL;
}

int table_screen_is_utf8(void) { return is_utf8; }

void table_screen_close(void) {
    if (!screen) return;
    if (window) curses.delwin(window);
    if (keys) curses.delwin(keys);
    window = keys = NULL;
    curses.curs_set(1);
    curses.endwin();
    curses.delscreen(screen);
    screen = NULL;
}

void table_screen_begin(int *rows, int *columns) {
    if (continued) {
        continued = 0;
        curses.reset_prog_mode();
        curses.clearok(window, TRUE);
    }
    curses.werase(window);
    curses.wattrset(window, A_NORMAL);
    *rows = curses.getmaxy(window);
    *columns = curses.getmaxx(window);
}

int table_screen_put(int row, int column, int columns, const char *text, int styles) {
    mbstate_t state;
    memset(&state, 0, sizeof state);
    attr_t attributes = A_NORMAL;
    if (styles & TERMINAL_BOLD) attributes |= A_BOLD;
    if (styles & TERMINAL_DIM) attributes |= A_DIM;
    if (styles & TERMINAL_REVERSE) attributes |= A_REVERSE;
    if (curses.wmove(window, row, column) == ERR) return 0;
    curses.wattrset(window, (int)attributes);
    int used = 0;
    for (size_t rest = strlen(text); rest > 0;) {
        wchar_t character;
        size_t length = mbrtowc(&character, text, rest, &state);
        if (length == 0 || length > rest) break;
        text += length;
        rest -= length;
        int width = wcwidth(character);
        /* Characters that the C library does not know are left out: the terminal's idea of
         * their width could be another one. */
        if (width < 0) continue;
        if (used + width > columns) break;
        curses.waddnwstr(window, &character, 1);
        used += width;
    }
    curses.wattrset(window, A_NORMAL);
    return used;
}

void table_screen_show(void) { curses.wrefresh(window); }

int table_screen_key(void) {
    int key = curses.wgetch(keys);
    switch (key) {
    case ERR: return 0;
    case KEY_UP: return TERMINAL_UP;
    case KEY_DOWN: return TERMINAL_DOWN;
    case KEY_PPAGE: return TERMINAL_PAGE_UP;
    case KEY_NPAGE: return TERMINAL_PAGE_DOWN;
    case KEY_HOME: return TERMINAL_HOME;
    case KEY_END: return TERMINAL_END;
    default: return key > 0 && key < 0x80 ? key : 0;
    }
}

#else

#include <stddef.h>

const char *table_screen_open(void) {
    return "this settle was built without ncurses, which a table in the terminal needs; install libncurses-dev,"
           " then rebuild it from scratch: swift package clean";
}
int table_screen_is_utf8(void) { return 0; }
void table_screen_close(void) {}
void table_screen_begin(int *rows, int *columns) { *rows = *columns = 0; }
int table_screen_put(int row, int column, int columns, const char *text, int styles) {
    (void)row, (void)column, (void)columns, (void)text, (void)styles;
    return 0;
}
void table_screen_show(void) {}
int table_screen_key(void) { return 0; }

#endif
