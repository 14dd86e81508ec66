import Foundation
import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized, .timeLimit(.minutes(60))) struct `The outbox on read-only media` {
    /// Runs the tool where a folder is mounted for reading only; nobody else sees that mount.
    private static func run(
        _ arguments: [String], whereReadOnly folder: String
    ) async throws -> BuiltTool.Outcome {
        let script = #"""
            tool="$0"; folder="$1"; shift
            exec unshare -m /bin/bash -c 'mount --bind "$0" "$0" &&
                mount -o remount,bind,ro "$0" && exec "$@"' "$folder" "$tool" "$@"
            """#
        return try await BuiltTool().runScript(script, [folder] + arguments)
    }

    private static func isPermitted() async throws -> Bool {
        try await withScratchDirectory("outbox") { scratch in
            try await run(["--help"], whereReadOnly: scratch.path).status == 0
        }
    }

    @Test(.enabled("mounting is not permitted here") { try await isPermitted() })
    func `can be looked at, and not changed`() async throws {
        try await StoredOutbox.with { stored in
            try await stored.fill()
            let (path, folder) = (stored.path, stored.scratch.path)
            let listed = try await Self.run(["outbox", path, "--json"], whereReadOnly: folder)
            #expect(listed.status == 0 && listed.lines.count == 4, "\(listed)")
            let shown = try await Self.run(["outbox", "show", path, "BBBB"], whereReadOnly: folder)
            #expect(shown.status == 0 && shown.lines.contains("graph      2"), "\(shown)")
            for change in [["skip"], ["hold", "--for", "9"], ["retry"]] {
                let arguments = ["outbox"] + change + [path, "CCCC"]
                let refused = try await Self.run(arguments, whereReadOnly: folder)
                #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
                #expect(refused.errors.contains("read-only"), "\(refused)")
            }
            #expect(try await stored.operations().count == 4)
        }
    }
}
