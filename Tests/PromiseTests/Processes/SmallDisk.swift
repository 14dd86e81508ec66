import Foundation
import TestSupport

/// A small file system in memory, unmounted with its test.
final class SmallDisk: Sendable {
    struct CannotMount: Error {}

    /// Whether one may be mounted here: on Linux, by root.
    static let isPermitted = (try? SmallDisk(mebibytes: 1)) != nil

    /// Where it is.
    var url: URL { scratch.url }
    private let scratch: ScratchDirectory

    /// Mounts one of so many MiB.
    init(mebibytes: Int) throws {
        let scratch = try ScratchDirectory("disk")
        let mount = ["-t", "tmpfs", "-o", "size=\(mebibytes)m", "none", scratch.path]
        guard try Self.run("/bin/mount", mount) else { throw CannotMount() }
        self.scratch = scratch
    }

    deinit {
        // Lazily: a process that another test starts at this moment may have inherited a file.
        _ = try? Self.run("/bin/umount", ["-l", scratch.path])
    }

    private static func run(
        _ program: String, _ words: [String]
    ) throws -> Bool {
        #if os(Linux)
            try ChildProcess.run(URL(fileURLWithPath: program), words, errors: .nothing)
                == .exited(0)
        #else
            false
        #endif
    }
}
