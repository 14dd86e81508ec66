import SettleLMDB

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A program that commits through a commit log and tells of every commit, for tests that kill it, record it, or let
/// its system calls fail.
///
/// `LogChild write FOLDER SEED full|relaxed FAULTS LANE STEP ...` goes on where the lane has ended; a step is a number of
/// commits, or `compact`, `reopen`, `idle`, `sync`; `pause`, which waits with the log in use until there is a file `goOn` in the
/// folder; `linger`, after which each commit that no record holds waits so before its checkpoint; `die`, which kills the process;
/// `LogChild examine FOLDER SEED full|relaxed FAULTS REPORTED ...` looks at a database, which may end the process.
/// After a commit that fails it opens the database anew. It ends with 0, with 3 after more errors, with 1 when a database is not as it must be.
@main
struct LogChild {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count > 4, let seed = UInt64(words[2]), let faults = Int(words[4]) else {
            preconditionFailure("These are no arguments: \(words)")
        }
        let isRelaxed = words[3] == "relaxed"
        switch words[0] {
        case "write":
            do {
                try write(
                    words[1], LogHistory(seed: seed, lane: Int(words[5]) ?? 0),
                    options(isRelaxed, faults, words),
                    Array(words[6...]))
            } catch {
                say("error \(error)")
                exit(3)
            }
        case "examine":
            let examination = LogExamination(
                model: LogModel(seed: seed), reported: words[5...].compactMap { Int($0) },
                isRelaxed: isRelaxed,
                faults: CommitLogFaults(rawValue: faults))
            if let problem = examination.problem(in: words[1]) {
                say("problem \(problem)")
                exit(1)
            }
        default: preconditionFailure("There is no such command: \(words)")
        }
        say("done")
    }

    private static func options(
        _ isRelaxed: Bool, _ faults: Int, _ words: [String]
    ) -> EnvironmentOptions {
        var options = LogHistory.options(
            isRelaxed ? .relaxed : .full, faults: CommitLogFaults(rawValue: faults))
        if words.contains("pause") || words.contains("linger") {
            options.logTuning.idleSeconds = 3_600
        }
        if words.contains("linger") {
            let folder = words[1]
            options.logTuning.afterUnloggedCommit = { pause(folder) }
        }
        return options
    }

    /// Says so, and waits until there is a file `goOn`.
    private static func pause(_ folder: String) {
        say("paused")
        while access(folder + "/goOn", F_OK) != 0 { usleep(1_000) }
    }

    private static func write(
        _ folder: String, _ history: LogHistory, _ options: EnvironmentOptions, _ steps: [String]
    ) throws {
        var environment = try Environment.open(at: folder, options: options, create: true)
        var number = try history.last(in: environment)
        var failureCount = 0
        if number > 0 { say("commit \(history.lane) \(number)") }
        for step in steps {
            switch step {
            case "compact":
                do {
                    try environment.compact()
                } catch {
                    // Another lane may be at work.
                    guard error.code == .inUse else { throw error }
                }
            case "sync": try environment.sync()
            case "idle": usleep(120_000)
            case "pause": pause(folder)
            case "linger": break
            case "die": kill(getpid(), SIGKILL)
            case "reopen":
                environment.close()
                environment = try Environment.open(at: folder, options: options, create: true)
            default:
                let last = number + (Int(step) ?? 0)
                while number < last {
                    do {
                        try history.commit(number + 1, in: environment)
                        number += 1
                        say("commit \(history.lane) \(number)")
                    } catch {
                        failureCount += 1
                        guard failureCount < 4 else { throw error }
                        say("failed \(error)")
                        environment.close()
                        environment = try Environment.open(
                            at: folder, options: options, create: true)
                        number = try history.last(in: environment)
                        // One that failed may be there all the same.
                        say("commit \(history.lane) \(number)")
                    }
                }
            }
        }
        environment.close()
    }

    /// In one call: what is recorded as one moment, and a line of which a kill leaves nothing or all.
    private static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = Self.write(1, bytes)
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        #if canImport(Darwin)
            Darwin.write(descriptor, bytes, bytes.count)
        #else
            Glibc.write(descriptor, bytes, bytes.count)
        #endif
    }
}
