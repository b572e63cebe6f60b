import UIKit

/// Shows a race. Who steers by turning the device does not want the picture to turn.
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
