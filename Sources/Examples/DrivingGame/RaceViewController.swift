import UIKit

/// Shows a race. It locks the orientation while driving, as the driver steers by rotating the
/// device.
final class RaceViewController: UIViewController {
    let race: Race

    init(race: Race) {
        self.race = race
        super.init(nibName: nil, bundle: nil)
        race.onChange = { [weak self] in self?.setNeedsUpdateOfPrefersInterfaceOrientationLocked() }
    }

    required init?(coder: NSCoder) { nil }

    override var prefersInterfaceOrientationLocked: Bool { race.isDriving }
}
