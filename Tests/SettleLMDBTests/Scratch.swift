import Glibc
import Testing

@testable import SettleLMDB

/// A directory that goes away with its test.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/settle-lmdb-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("No temporary directory.") }
        path = String(cString: made)
    }

    deinit {
        run("/bin/rm", "-rf", path)
    }

    /// Opens the environment of this directory.
    func open(_ options: EnvironmentOptions = .init()) throws -> Environment {
        try Environment.open(at: path, options: options, create: true)
    }

    /// Writes bytes as the data file.
    func writeDataFile(_ bytes: [UInt8]) {
        let file = Glibc.open(path + "/data.mdb", O_RDWR | O_CREAT | O_TRUNC, 0o600)
        precondition(file >= 0 && write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }
}

extension Scratch {
    /// The bytes of the data file.
    func readDataFile() throws -> [UInt8] {
        try DataFile.reading(path + "/data.mdb") { (file) throws(LMDBError) in
            try file.bytes(at: 0, count: file.sizeBytes) ?? []
        }
    }
}

/// Runs a program to its end and gives its exit status, -1 when it cannot be run.
@discardableResult
func run(_ program: String, _ arguments: String...) -> Int32 {
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var child: pid_t = 0
    guard posix_spawn(&child, program, &actions, nil, &words, environ) == 0 else { return -1 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? (status >> 8) & 0xff : -1
}

/// Whether a small file system in memory may be mounted here.
let mountIsPermitted: Bool = {
    let scratch = Scratch()
    guard geteuid() == 0,
        run("/bin/mount", "-t", "tmpfs", "-o", "size=1m", "none", scratch.path) == 0
    else { return false }
    return run("/bin/umount", scratch.path) == 0
}()

/// A file system in memory of so many KiB, unmounted with its test.
final class SmallDisk {
    let path: String
    private let scratch = Scratch()

    init(kibibytes: Int) {
        path = scratch.path
        precondition(
            run("/bin/mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "none", path) == 0)
    }

    func remountReadOnly() {
        precondition(run("/bin/mount", "-o", "remount,ro", path) == 0)
    }

    deinit {
        run("/bin/umount", path)
    }
}

/// A small generator that gives the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The code of the error a closure throws, nil when it throws none.
func code(_ body: () throws -> Void) -> LMDBError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? LMDBError)?.code
    }
}

extension Environment {
    /// Puts one pair, in a table made for it.
    func put(_ value: [UInt8], for key: [UInt8], in name: String = "t") throws {
        try write { try $0.put(value, for: key, in: $0.createTable(named: name)) }
    }

    /// Drops a table.
    func drop(_ name: String) throws {
        try write { try $0.drop($0.createTable(named: name)) }
    }

    /// Ends the process inside a write, after one pair was put.
    func dieWriting(_ value: [UInt8], for key: [UInt8], in name: String) throws {
        try write { transaction in
            try transaction.put(value, for: key, in: transaction.createTable(named: name))
            _exit(3)
        }
    }

    /// Reads one value.
    func value(for key: [UInt8], in name: String = "t") throws -> [UInt8]? {
        try read { transaction in
            guard let table = try transaction.table(named: name) else { return nil }
            return try transaction.value(for: key, in: table)
        }
    }
}
