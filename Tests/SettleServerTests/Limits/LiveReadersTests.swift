import HTTPTypes
import Testing

@testable import SettleServer

@Suite struct `Places of those who wait for changes` {
    @Test func `are 64 for a subject, wherever it comes from`() throws {
        let readers = LiveReaders(countMax: 512)
        let ann = SenderKey(subject: "ann", address: "127.0.0.1")
        var places = try (0..<64).map { _ in try readers.begin(ann) }
        let problem = #expect(throws: Problem.self) { try readers.begin(ann) }
        #expect(problem?.status == .tooManyRequests)
        places.append(try readers.begin(SenderKey(subject: "bob", address: "127.0.0.1")))
        places.removeFirst()
        places.append(try readers.begin(ann))
        #expect(throws: Problem.self) { try readers.begin(ann) }
    }

    @Test func `are at most half of all for those without a subject at one address`() throws {
        let readers = LiveReaders(countMax: 10)
        let here = SenderKey(subject: nil, address: "127.0.0.1")
        var places = try (0..<5).map { _ in try readers.begin(here) }
        let problem = #expect(throws: Problem.self) { try readers.begin(here) }
        #expect(problem?.status == .tooManyRequests)
        places += try (0..<5).map { try readers.begin(.subject("\($0)")) }
        let full = #expect(throws: Problem.self) { try readers.begin(.subject("late")) }
        #expect(full?.status == .serviceUnavailable)
        places.removeAll()
        _ = try readers.begin(here)
    }

    @Test func `when refused say nothing of when to come again, so that readers poll at once`() {
        let readers = LiveReaders(countMax: 1)
        let place = try? readers.begin(.subject("ann"))
        let full = #expect(throws: Problem.self) { try readers.begin(.subject("bob")) }
        #expect(full?.headers[.retryAfter] == nil)
        withExtendedLifetime(place) {}
    }
}
