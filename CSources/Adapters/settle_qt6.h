/* Qt 6 (C++17): the sizes of a QWindow or a QWidget, ends of drags from settle_x11.h on X11; under Wayland Qt reports
 * no end, and quiet times count.
 *
 *     new SettleWatch(&widget, [](QSize size) { rebuild(size); });  // the widget owns it
 *
 * Builds run from a timer alone, never within Qt's size event: the widget has had its resizeEvent then, and a build may
 * delete the widget, the watch, or both. Everything runs on the thread of the watch, which is the GUI's. Sizes are Qt's
 * device-independent pixels. */
#ifndef SETTLE_QT6_H
#define SETTLE_QT6_H

#include "settle_x11.h"

#include <QEvent>
#include <QGuiApplication>
#include <QPointer>
#include <QResizeEvent>
#include <QSocketNotifier>
#include <QTimer>
#include <QVariant>
#include <functional>
#include <memory>
#include <utility>

class SettleWatch : public QObject {
  public:
    using Handler = std::function<void(QSize)>;

    /* A null policy is settle_x11_toolkit_policy; one out of range is, too. */
    SettleWatch(QObject *watched, Handler onBuild, const settle_policy *policy = nullptr)
        : QObject(watched), build(std::make_shared<Handler>(std::move(onBuild))) {
        x11.connection = nullptr;
        settle_policy standard = settle_x11_toolkit_policy();
        if (!policy || settle_window_init(&window, policy)) settle_window_init(&window, &standard);
        timer.setSingleShot(true);
        timer.setTimerType(Qt::PreciseTimer);
        timer.callOnTimeout(this, [this] { turn(); });
        int descriptor = QGuiApplication::platformName() == "xcb" ? settle_x11_open(&x11, nullptr) : -1;
        if (descriptor >= 0) {
            notifier = std::make_unique<QSocketNotifier>(descriptor, QSocketNotifier::Read);
            connect(notifier.get(), &QSocketNotifier::activated, this, [this] { update(); });
        }
        watched->installEventFilter(this);
        if (watched->property("visible").toBool())
            resize(QSize(watched->property("width").toInt(), watched->property("height").toInt()));
    }

    ~SettleWatch() override {
        notifier.reset();
        settle_x11_close(&x11);
    }

    /* For the functions of settle_window.h; outside of a build call update() after them. */
    settle_window window;

    /* Called for a size that stands still, under a policy with a pause delay. */
    void onPreview(Handler handler) { preview = std::make_shared<Handler>(std::move(handler)); }

    /* Reads the buttons, and arms the timer for what is due now or later. Builds nothing itself. */
    void update() {
        settle_x11_poll(&x11, &window);
        if (notifier && !x11.connection) notifier->setEnabled(false);
        int timeout_ms = settle_x11_timeout_ms(&window);
        if (timeout_ms < 0) timer.stop();
        else timer.start(timeout_ms);
    }

    /* It sees a size before the watched object does. */
    bool eventFilter(QObject *, QEvent *event) override {
        if (event->type() == QEvent::Resize) resize(static_cast<QResizeEvent *>(event)->size());
        return false;
    }

  private:
    void resize(QSize size) {
        settle_x11_resize(&x11, &window, size.width(), size.height());
        update();
    }

    /* One build at most, and then the loop again: the handler may ask for another one. */
    void turn() {
        settle_window_size size;
        enum settle_window_action action = settle_x11_turn(&x11, &window, &size);
        /* The handler runs to its end, though it deletes the watch. */
        std::shared_ptr<Handler> handler = action == SETTLE_WINDOW_REBUILD   ? build
                                           : action == SETTLE_WINDOW_PREVIEW ? preview
                                                                             : nullptr;
        QPointer<SettleWatch> alive(this);
        if (handler && *handler) (*handler)(QSize(int(size.width), int(size.height)));
        if (alive) update();
    }

    settle_x11 x11;
    std::shared_ptr<Handler> build, preview;
    QTimer timer;
    std::unique_ptr<QSocketNotifier> notifier;
};

#endif
