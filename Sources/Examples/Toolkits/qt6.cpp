/* Qt 6: builds at the ends of drags.
 * cc -c settle.c && c++ -std=c++17 -fPIC qt6.cpp settle.o $(pkg-config --cflags --libs Qt6Gui xcb xcb-xinput) */
#include "settle_qt6.h"
#include "counts.h"

#include <QPainter>
#include <QRasterWindow>

class Window : public QRasterWindow {
    void paintEvent(QPaintEvent *) override { QPainter(this).fillRect(QRect(QPoint(), size()), QColor(255, 204, 102)); }
    void resizeEvent(QResizeEvent *) override { counts_size(); }
};

int main(int argc, char **argv) {
    QGuiApplication app(argc, argv);
    counts_begin();
    counts_catch_end();
    Window window;
    window.setTitle("qt6");
    window.resize(400, 300);
    new SettleWatch(&window, [](QSize size) { counts_build(size.width(), size.height()); });
    window.show();
    QTimer ended;
    ended.callOnTimeout([&] {
        if (counts_ended) app.quit();
    });
    ended.start(100);
    app.exec();
    return counts_print();
}
