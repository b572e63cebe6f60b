/* A widget or, with -DWINDOW, a QWindow of Qt 6: watched.h says what its builds do. */
#include "settle_qt6.h"
#include "watched.h"

#ifdef WINDOW
#include <QRasterWindow>
using Application = QGuiApplication;
using Base = QRasterWindow;
#else
#include <QApplication>
#include <QWidget>
using Application = QApplication;
using Base = QWidget;
#endif

class Shown : public Base {
    void resizeEvent(QResizeEvent *event) override {
        watched_width = event->size().width(), watched_height = event->size().height();
    }
};

static Shown *shown;
static SettleWatch *watch; /* until the watch has ended */

static void build(QSize size) {
    if (!watched_build(size.width(), size.height())) return;
    watched_owe(&watch->window);
    if (!watched_is("window")) delete watch;
    watch = nullptr;
    if (!watched_is("adapter")) delete shown, shown = nullptr;
}

static void begin() {
    settle_policy policy = watched_policy();
    /* The text is the handler's own memory, which it reads after it has deleted the watch. */
    watch = new SettleWatch(
        shown,
        [text = std::string("a text that is too long to be kept in the value itself")](QSize size) mutable {
            build(size);
            text += '.';
        },
        &policy);
    settle_policy wrong = policy;
    wrong.quiet_delay_ns = SETTLE_NEVER - 1;
    for (const settle_policy *other : {(const settle_policy *)nullptr, (const settle_policy *)&wrong}) {
        SettleWatch standard(shown, {}, other);
        /* One that is shown has a size of its own already. */
        if (!watched_is("shown"))
            watched_verify(watched_waits_as_toolkits(standard.window), "without a policy it is not that of toolkits");
    }
    watch->onPreview([](QSize size) { watched_preview(size.width(), size.height()); });
}

int main(int count, char **words) {
    watched_begin(count, words);
    Application app(count, words);
    QGuiApplication::setQuitOnLastWindowClosed(false);
    shown = new Shown;
    shown->resize(300, WATCHED_HEIGHT);
    if (!watched_is("shown")) begin();
    shown->show();
    QTimer steps;
    steps.callOnTimeout([&] {
        int width;
        if (watched_is("shown") && !watch) return begin();
        switch (watched_step(watch ? &watch->window : nullptr, &width)) {
        case WATCHED_WAIT: break;
        case WATCHED_RESIZE:
            if (shown) shown->resize(width, WATCHED_HEIGHT);
            break;
        case WATCHED_UPDATE: watch->update(); break;
        default: app.quit();
        }
    });
    steps.start(WATCHED_STEP_MS);
    app.exec();
    delete shown;
    return watched_status();
}
