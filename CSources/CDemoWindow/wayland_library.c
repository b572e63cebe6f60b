#if __has_include(<wayland-client-protocol.h>) && !defined(DEMO_WINDOW_WITHOUT_WAYLAND)

#include "loaded_library.h"
#include "window_message.h"

#include <dlfcn.h>

#include "wayland_library.h"

wayland_library wayland_loaded;

/* The names, not the macros of the same names. */
#define ENTRY(name) {#name, &wayland_loaded.name##_},

int wayland_library_load(char *message) {
    static const loaded_function functions[] = {WAYLAND_FUNCTIONS(ENTRY)};
    if (!loaded_library_open("libwayland-client.so.0", functions, sizeof functions / sizeof *functions)) return 0;
    return window_failure(message, "Wayland: %s; install Debian's libwayland-client0", dlerror());
}

#else

/* ISO C wants a declaration in every file. */
typedef int wayland_is_absent;

#endif
