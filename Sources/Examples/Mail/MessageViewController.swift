import UIKit

/// Shows a message: the secondary column, or a page of the phone's mail tab.
final class MessageViewController: UIViewController {
    /// The space between images, and around them.
    static let spacing: CGFloat = 20
    /// An image's height divided by its width.
    static let imageShape: CGFloat = 2 / 3

    var message: Message? {
        didSet { if message != oldValue { messageDidChange() } }
    }
    private let images = MessageImages()
    /// The size for which the system asked for images last.
    private var settledSize: CGSize?
    private let header = HeaderView(frame: .zero)
    private var imageViews: [ImageView] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        header.translatesAutoresizingMaskIntoConstraints = false
        view.addSubview(header)
        let space = view.layoutGuide(for: .margins(cornerAdaptation: .horizontal))
        NSLayoutConstraint.activate([
            header.topAnchor.constraint(equalTo: space.topAnchor),
            header.leadingAnchor.constraint(equalTo: space.leadingAnchor),
            header.trailingAnchor.constraint(equalTo: space.trailingAnchor),
            header.heightAnchor.constraint(equalToConstant: 64),
        ])
        messageDidChange()
    }

    /// The message may have changed while it was not visible.
    override func viewIsAppearing(_ animated: Bool) {
        super.viewIsAppearing(animated)
        drawImages()
    }

    /// Images are expensive, so they are drawn for this size only: never while a person drags the
    /// window's edge or a separator.
    override func viewSizeDidSettle(_ size: CGSize) {
        settledSize = size
        drawImages()
    }

    private func messageDidChange() {
        title = message?.subject
        guard isViewLoaded else { return }
        placeImages()
        drawImages()
    }

    /// Draws the images for the size that has settled. While a person resizes, another message
    /// has images of that size as well.
    private func drawImages() {
        guard let message, let settledSize, viewIfLoaded?.window != nil else { return }
        let width = settledSize.width - 2 * Self.spacing
        images.draw(message, width: min(width, MessageImages.widthMax), scale: view.traitCollection.displayScale)
    }

    /// Puts the images below each other. What is laid out follows every size.
    private func placeImages() {
        for imageView in imageViews { imageView.removeFromSuperview() }
        imageViews = (0..<(message?.imageCount ?? 0)).map { _ in ImageView(frame: .zero) }
        let space = view.readableContentGuide
        var above = header.bottomAnchor
        for imageView in imageViews {
            imageView.translatesAutoresizingMaskIntoConstraints = false
            view.addSubview(imageView)
            NSLayoutConstraint.activate([
                imageView.topAnchor.constraint(equalTo: above, constant: Self.spacing),
                imageView.leadingAnchor.constraint(equalTo: space.leadingAnchor),
                imageView.trailingAnchor.constraint(equalTo: space.trailingAnchor),
                imageView.heightAnchor.constraint(equalTo: imageView.widthAnchor, multiplier: Self.imageShape),
            ])
            above = imageView.bottomAnchor
        }
    }
}

/// The place of a message's sender and subject.
final class HeaderView: UIView {}

/// The place of an image.
final class ImageView: UIView {}
