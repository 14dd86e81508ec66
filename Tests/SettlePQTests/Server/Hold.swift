import Foundation
import Synchronization

/// A number that only goes up.
final class Count: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .acquiring) }

    func add() { number.add(1, ordering: .acquiringAndReleasing) }
}

/// The numbers of those who came, in the order in which they came.
final class Order: Sendable {
    private let list = Mutex<[Int]>([])

    var numbers: [Int] { list.withLock { $0 } }

    func add(_ number: Int) { list.withLock { $0.append(number) } }
}

/// Holds a thread until a test lets it go.
final class Hold: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let arrival = AsyncStream.makeStream(of: Void.self)

    /// Blocks the thread until ``release()``.
    func wait() {
        arrival.continuation.finish()
        semaphore.wait()
    }

    /// Waits until a thread is held.
    func reached() async {
        for await _ in arrival.stream {}
    }

    func release() { semaphore.signal() }
}
