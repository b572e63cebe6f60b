import Foundation
import TestSupport
import XCTest

@testable import UIKit

/// What is said when sessions cannot be stored.
@MainActor final class SessionPersistenceTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() async throws { folder.remove() }

    func testAStoreThatFailsIsLogged() async throws {
        var logged: [String] = []
        let persistence = try SessionPersistence(folder: URL(fileURLWithPath: folder.path)) { logged.append($0) }
        let session = UISceneSession(role: .windowApplication, persistentIdentifier: "one")
        persistence.save(session)
        XCTAssertEqual(logged, [])
        // A folder in the file's place can be neither replaced by a file nor removed as one.
        let file = try XCTUnwrap(
            FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("one") })
        let path = folder.file(file)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        persistence.save(session)
        persistence.remove(session)
        XCTAssertEqual(
            logged.map { $0.prefix { $0 != ":" } },
            ["The state of scene session one is not stored", "The state of scene session one is not removed"])
        for text in logged { XCTAssert(text.contains(file), text) }
        persistence.close()
    }
}
