import Foundation
import TestSupport
import XCTest

@testable import SettleCommand

/// `settle anonymize --coarse`, from the outside.
final class AnonymizeCoarseTests: AnonymizeTestCase {
    func testExactlyThisIsLeftOfACoarseLog() throws {
        let path = try log(
            [
                #""t_ns":7000000000,"width":641,"height":480.5"#, #""t_ns":7000000777,"width":641,"height":480.5"#,
                #""t_ns":7300000000,"width":0,"height":9,"resizing":true,"locked":true"#,
                #""t_ns":7300001023,"width":-2,"height":3"#,
                #""t_ns":7320000000,"width":1023,"height":777"#, #""t_ns":7321000000,"width":641,"height":480.5"#,
                #""t_ns":7999999999,"width":1023,"height":777,"resizing":false"#,
                // After 40 ms a lone change is not decided yet; then the time goes back.
                #""t_ns":8060000000,"width":800,"height":600"#, #""t_ns":8100000000,"width":801,"height":600"#,
                #""t_ns":8000000000,"kind":"finished","generation":2,"cost_ns":777"#,
                #""t_ns":99000000000,"kind":"disconnect""#,
            ].map { #"{"scene":"alice",\#($0)}"# }
                + [#"{"t_ns":99000000001,"kind":"pointer","button":3,"pressed":true}"#])
        let name = try names(anonymized(path))[0]
        XCTAssertEqual(
            try anonymized(path, "--coarse").replacing(name, with: "a"),
            """
            {"settle":"events","version":1,"clock":"monotonic","unit":"px","source":"unknown","name":""}
            {"t_ns":0,"scene":"a","width":400,"height":300}
            {"t_ns":8000000,"scene":"a","width":400,"height":300}
            {"t_ns":16000000,"scene":"a","width":0,"height":0,"resizing":true,"locked":true}
            {"t_ns":24000000,"scene":"a","width":-1,"height":-1}
            {"t_ns":32000000,"scene":"a","width":408,"height":300}
            {"t_ns":40000000,"scene":"a","width":400,"height":300}
            {"t_ns":1540000000,"scene":"a","width":408,"height":300,"resizing":false}
            {"t_ns":1548000000,"scene":"a","width":416,"height":300}
            {"t_ns":1556000000,"scene":"a","width":424,"height":300}
            {"t_ns":1564000000,"scene":"a","kind":"finished","generation":2,"cost_ns":1000000}
            {"t_ns":3064000000,"scene":"a","kind":"disconnect"}
            {"t_ns":3072000000,"kind":"pointer","button":3,"pressed":true}

            """)
    }

    func testCoarseRecordingsHaveTheSameRebuildsAndStayAsTheyAre() throws {
        for name in Recordings.names {
            let (once, twice) = (folder.file("once.settle"), folder.file("twice.settle"))
            XCTAssertEqual(try settle(["anonymize", "--force", "--coarse", Recordings.log(name), once]).status, 0)
            XCTAssertEqual(try settle(["anonymize", "--force", "--coarse", once, twice]).status, 0)
            for policy in ["default", "uikit"] {
                let counts = try [Recordings.log(name), once].map {
                    try settle(["replay", "--policy", policy, "--decisions", "-", $0]).output
                        .matches(of: #/"kind":"rebuild"/#).count
                }
                XCTAssertEqual(counts[0], counts[1], "\(name) \(policy)")
            }
            let texts = try [once, twice].map {
                try settle(["cat", $0]).output.replacing(#/"scene":"[^"]*"/#, with: "")
            }
            XCTAssertEqual(texts[0], texts[1], name)
        }
    }

    func testWhatIsLeftOfACoarseLogIsPrinted() throws {
        let run = try settle(["anonymize", "--coarse", secretLog(), folder.file("a.jsonl")])
        for line in [
            "  sizes    2 made anew\n", "  times    made anew: 8 ms, or 1.5 s or more",
            "  - which sizes of a scene are equal, and where the default policy decides\n",
        ] { XCTAssert(run.errors.contains(line), "\(line) is not in \(run.errors)") }
        XCTAssertFalse(run.errors.contains("rhythm"), run.errors)
        let left = try bytes(folder.file("a.jsonl"))
        for secret in Self.secrets { XCTAssertFalse(left.contains(Data(secret.utf8)), secret) }
    }
}
