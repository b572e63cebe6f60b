import UIKit
import XCTest

final class ExportsTests: XCTestCase {
    /// The file imports no Foundation: its names come through UIKit.
    func testFoundationComesWithUIKit() {
        XCTAssertEqual(CGSize(width: 3, height: 4).height, 4)
        XCTAssertEqual(NSObject().isEqual(NSObject()), false)
    }
}
