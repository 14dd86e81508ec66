import StoreChild
import Testing

/// Which system calls of a child fail, and how.
struct FaultPlan: Sendable, CustomTestStringConvertible {
    /// What a call does that fails.
    enum Manner: String, Sendable {
        /// Nothing is done.
        case fail
        /// It is done, and yet fails.
        case late
        /// Half is written, and nothing fails.
        case short
    }

    /// The calls, counted together.
    let calls: [String]
    let error: String
    let manner: Manner
    /// Whether all calls fail from the first one that does on, or that one only.
    let goesOn: Bool
    /// What the child writes meanwhile.
    let profile: BatchPlan.Profile
    /// How many batches.
    let batches: Int
    /// Whether a child that writes makes these calls at all.
    let isMade: Bool
    /// Whether a failure may be made up for, without a word to anybody.
    let mayBeOutlived: Bool

    init(
        _ calls: String..., error: String, manner: Manner = .fail, goesOn: Bool = false,
        profile: BatchPlan.Profile = .mixed, batches: Int = 4, isMade: Bool = true,
        mayBeOutlived: Bool = false
    ) {
        self.calls = calls
        self.error = error
        self.manner = manner
        self.goesOn = goesOn
        self.profile = profile
        self.batches = batches
        self.isMade = isMade
        self.mayBeOutlived = mayBeOutlived
    }

    var testDescription: String {
        "\(calls.joined(separator: ", ")): \(error), \(manner.rawValue), "
            + (goesOn ? "from then on" : "once")
    }

    /// The variables that tell the library, when the calls fail from a number on.
    func environment(shim: String, first: Int, log: String) -> [String: String] {
        [
            "LD_PRELOAD": shim, "SETTLE_FAULT_CALLS": calls.joined(separator: ","),
            "SETTLE_FAULT_FIRST": "\(first)", "SETTLE_FAULT_COUNT": goesOn ? "0" : "1",
            "SETTLE_FAULT_ERROR": error, "SETTLE_FAULT_MANNER": manner.rawValue,
            "SETTLE_FAULT_LOG": log,
        ]
    }

    static let all = [
        FaultPlan("write", "pwrite", "writev", "pwritev", error: "EIO"),
        FaultPlan("write", "pwrite", "writev", "pwritev", error: "EIO", manner: .late),
        FaultPlan("write", "pwrite", "writev", "pwritev", error: "EIO", manner: .short),
        FaultPlan("write", "pwrite", "writev", "pwritev", error: "ENOSPC", goesOn: true),
        FaultPlan(
            "write", "pwrite", "writev", "pwritev", error: "EIO", manner: .late, goesOn: true),
        FaultPlan("fsync", "fdatasync", error: "EIO"),
        FaultPlan("fsync", "fdatasync", error: "EIO", manner: .late),
        FaultPlan("fsync", "fdatasync", error: "ENOSPC", goesOn: true),
        // Enough for the file to grow, which maps it anew.
        FaultPlan("mmap", error: "ENOMEM", profile: .contents, batches: 12),
        FaultPlan("mmap", error: "ENOMEM", goesOn: true, profile: .contents, batches: 12),
        FaultPlan("ftruncate", "posix_fallocate", error: "ENOSPC"),
        FaultPlan("ftruncate", "posix_fallocate", error: "EIO", goesOn: true),
        // What reads the meta pages before the engine does looks twice.
        FaultPlan("pread", error: "EIO", mayBeOutlived: true),
        // The file is written by calls and not through the map, so there is nothing to msync.
        FaultPlan("msync", error: "EIO", goesOn: true, isMade: false),
    ]
}
