/* Qt 6 (C++17): the sizes of a QWindow or a QWidget, ends of drags from settle_x11.h on X11; under Wayland Qt reports
 * no end, and quiet times count.
 *
 *     new SettleWatch(&widget, [](QSize size) { … });               // the widget owns it
 *
 * Everything runs on the thread of the watch, which is the GUI's. Sizes are Qt's device-independent pixels. */
#ifndef SETTLE_QT6_H
#define SETTLE_QT6_H

#include "settle_x11.h"

#include <QEvent>
#include <QGuiApplication>
#include <QResizeEvent>
#include <QSocketNotifier>
#include <QTimer>
#include <functional>
#include <memory>
#include <utility>

class SettleWatch : public QObject {
  public:
    /* A null policy is settle_x11_toolkit_policy; one out of range is, too. */
    SettleWatch(QObject *watched, std::function<void(QSize)> build, const settle_policy *policy = nullptr)
        : QObject(watched), build(std::move(build)) {
        x11.connection = nullptr;
        settle_policy standard = settle_x11_toolkit_policy();
        if (!policy || settle_window_init(&window, policy)) settle_window_init(&window, &standard);
        timer.setSingleShot(true);
        timer.setTimerType(Qt::PreciseTimer);
        timer.callOnTimeout(this, [this] { update(); });
        int descriptor = QGuiApplication::platformName() == "xcb" ? settle_x11_open(&x11, nullptr) : -1;
        if (descriptor >= 0) {
            notifier = std::make_unique<QSocketNotifier>(descriptor, QSocketNotifier::Read);
            connect(notifier.get(), &QSocketNotifier::activated, this, [this] { update(); });
        }
        watched->installEventFilter(this);
    }

    ~SettleWatch() override {
        notifier.reset();
        settle_x11_close(&x11);
    }

    bool eventFilter(QObject *, QEvent *event) override {
        if (event->type() != QEvent::Resize) return false;
        QSize size = static_cast<QResizeEvent *>(event)->size();
        /* The buttons first: the size may be part of a drag that has just begun. */
        settle_x11_poll(&x11, &window);
        settle_window_resize(&window, settle_x11_now_ns(), size.width(), size.height(), SETTLE_DRAG_UNKNOWN);
        update();
        return false;
    }

  private:
    /* Builds what is due, and arms the timer for what is not. */
    void update() {
        settle_window_size size;
        settle_x11_poll(&x11, &window);
        if (notifier && !x11.connection) notifier->setEnabled(false);
        while (settle_window_poll(&window, settle_x11_now_ns(), &size) == SETTLE_WINDOW_REBUILD)
            build(QSize(int(size.width), int(size.height)));
        uint64_t timeout_ns = settle_window_timeout_ns(&window, settle_x11_now_ns());
        if (timeout_ns == SETTLE_NEVER) timer.stop();
        else timer.start(std::chrono::milliseconds(timeout_ns / 1000000u + 1));
    }

    settle_window window;
    settle_x11 x11;
    std::function<void(QSize)> build;
    QTimer timer;
    std::unique_ptr<QSocketNotifier> notifier;
};

#endif
