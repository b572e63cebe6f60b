/* A viewer over Qt 6: builds its picture at the ends of drags. Within them Qt scales the old one.
 * cc -c settle.c && c++ -std=c++17 -fPIC qt6.cpp settle.o $(pkg-config --cflags --libs Qt6Widgets xcb xcb-xinput) */
#include "settle_qt6.h"
#include "counts.h"

#include <QApplication>
#include <QPainter>
#include <QResizeEvent>
#include <QTimer>
#include <QWidget>

class Viewer : public QWidget {
  public:
    Viewer() {
        new SettleWatch(this, [this](QSize size) { rebuild(size); });
    }

  protected:
    void paintEvent(QPaintEvent *) override { QPainter(this).drawImage(rect(), picture); }

  private:
    void rebuild(QSize size) {
        counts_build(size.width(), size.height());
        picture = QImage(size, QImage::Format_RGB32);
        for (int y = 0; y < size.height(); y++)
            for (int x = 0; x < size.width(); x++) picture.setPixel(x, y, qRgb(255, 102, x * 255 / size.width()));
        update();
    }

    QImage picture;
};

int main(int argc, char **argv) {
    QApplication app(argc, argv);
    counts_begin();
    counts_catch_end();
    Viewer viewer;
    viewer.setWindowTitle("qt6");
    viewer.resize(400, 300);
    viewer.show();
    QTimer ended;
    ended.callOnTimeout([&] {
        if (counts_ended) app.quit();
    });
    ended.start(100);
    app.exec();
    return counts_print();
}
