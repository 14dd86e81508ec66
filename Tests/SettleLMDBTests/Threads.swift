import SettlePrimitives
import Synchronization
import Testing

@testable import SettleLMDB

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs the body on so many threads and another one here; records errors as issues.
func withThreads(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void, andHere here: () throws -> Void
) throws {
    let threads = (0..<count).map { number in
        let thread = WorkerThread(name: "reader \(number)")
        thread.submit {
            #expect(throws: Never.self) { try body(number) }
        }
        return thread
    }
    defer { for thread in threads { thread.stop() } }
    try here()
}

/// Something that has happened, told from one thread to another.
final class Flag: Sendable {
    private let state = Atomic<Bool>(false)
    var isRaised: Bool { state.load(ordering: .acquiring) }
    func raise() { state.store(true, ordering: .releasing) }
}

/// A count that several threads add to.
final class Counter: Sendable {
    private let state = Atomic<Int>(0)
    var value: Int { state.load(ordering: .acquiring) }
    func add() { state.add(1, ordering: .acquiringAndReleasing) }
}

/// The long readers an environment has reported.
final class ReaderLog: Sendable {
    private let state = Lock<[(name: String, age: Double)]>([])
    var entries: [(name: String, age: Double)] { state.withLock { $0 } }
    func add(_ name: String, _ age: Double) { state.withLock { $0.append((name, age)) } }
}

/// Runs something that is refused as long as a file is in use, after its use has ended here.
///
/// A process that another test has just started holds the locks that it inherited until it is another program.
func onceNotInherited<Value>(_ body: () throws -> Value) throws -> Value {
    for _ in 0..<10_000 {
        do {
            return try body()
        } catch let error as LMDBError where error.code == .inUse {
            sched_yield()
        }
    }
    return try body()
}
