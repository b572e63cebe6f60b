/* A viewer over Xlib: builds its picture at the ends of drags. Within them the server shows the old one.
 * cc -D_GNU_SOURCE x11.c settle.c $(pkg-config --cflags --libs x11 xcb xcb-xinput) */
#include "settle_x11.h"
#include "counts.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <poll.h>

static Display *display;
static Window shown;

/* The picture becomes the background, which the server paints by itself. */
static void rebuild(int width, int height) {
    counts_build(width, height);
    const int screen = DefaultScreen(display), depth = DefaultDepth(display, screen);
    uint32_t *pixels = malloc((size_t)width * (size_t)height * sizeof *pixels);
    if (!pixels) return;
    for (int i = 0; i < width * height; i++) pixels[i] = (uint32_t)(0xff6600 + i % width * 255 / width);
    XImage *image = XCreateImage(display, DefaultVisual(display, screen), (unsigned)depth, ZPixmap, 0, (char *)pixels,
                                 (unsigned)width, (unsigned)height, 32, 0);
    Pixmap picture = XCreatePixmap(display, shown, (unsigned)width, (unsigned)height, (unsigned)depth);
    XPutImage(display, picture, DefaultGC(display, screen), image, 0, 0, 0, 0, (unsigned)width, (unsigned)height);
    XSetWindowBackgroundPixmap(display, shown, picture);
    XClearWindow(display, shown);
    XFreePixmap(display, picture);
    XDestroyImage(image);
}

int main(void) {
    display = XOpenDisplay(NULL);
    if (!display) return fprintf(stderr, "no X server answers\n"), 1;
    counts_begin();
    counts_catch_end();
    shown = XCreateSimpleWindow(display, DefaultRootWindow(display), 100, 100, 400, 300, 0, 0, 0xffcc66);
    XStoreName(display, shown, "x11");
    XSelectInput(display, shown, StructureNotifyMask);
    XMapWindow(display, shown);
    settle_window window;
    settle_window_init(&window, NULL);
    settle_x11 x11;
    settle_window_size size;
    struct pollfd pollers[] = {{ConnectionNumber(display), POLLIN, 0}, {settle_x11_open(&x11, NULL), POLLIN, 0}};
    XEvent event;
    while (!counts_ended) {
        if (settle_x11_turn(&x11, &window, &size) == SETTLE_WINDOW_REBUILD) rebuild((int)size.width, (int)size.height);
        if (!XPending(display)) {
            poll(pollers, 2, settle_x11_timeout_ms(&window));
            continue;
        }
        XNextEvent(display, &event);
        if (event.type == ConfigureNotify)
            settle_x11_resize(&x11, &window, event.xconfigure.width, event.xconfigure.height);
    }
    settle_x11_close(&x11);
    return XCloseDisplay(display), counts_print();
}
