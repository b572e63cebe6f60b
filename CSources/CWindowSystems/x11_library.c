#include "x11_library.h"

#ifdef X11_HAS_HEADERS

#include "loaded_library.h"

#include <pthread.h>

x11_functions x11;

#define ROW(name) {#name, &x11.name},
static const loaded_function core_functions[] = {X11_CORE_FUNCTIONS(ROW)};
static const loaded_function input_functions[] = {X11_INPUT_FUNCTIONS(ROW)};
static const loaded_function randr_functions[] = {X11_RANDR_FUNCTIONS(ROW)};
#undef ROW

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *load(void) {
    if (loaded_library_open("libxcb.so.1", core_functions, COUNT(core_functions))) return "libxcb1";
    if (loaded_library_open("libxcb-xinput.so.0", input_functions, COUNT(input_functions))) return "libxcb-xinput0";
    if (loaded_library_open("libxcb-randr.so.0", randr_functions, COUNT(randr_functions))) return "libxcb-randr0";
    return NULL;
}

/* Connections are opened on several threads, some of which may use the functions already. */
const char *x11_library_load(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_loaded = false;
    pthread_mutex_lock(&lock);
    const char *missing = is_loaded ? NULL : load();
    is_loaded = !missing;
    pthread_mutex_unlock(&lock);
    return missing;
}

#else
/* ISO C wants a declaration in every file. */
typedef int x11_library_without_headers;
#endif
