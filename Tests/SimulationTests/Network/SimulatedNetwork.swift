import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization
import TestSupport

/// The way of one replication to the server, on which everything goes wrong that can.
///
/// What befalls a request follows from the seed and the request itself, not from the order in which
/// requests come, so that a seed does nearly the same again although several are in flight.
final class SimulatedNetwork: HTTPTransport {
    /// How bad it is.
    struct Weather {
        /// Of 100 requests, how many something befalls.
        var faultsPercent = 0
        /// Of 100 requests, during how many something else happens.
        var interjectionsPercent = 0
        /// After so many requests the replication is cut short; nil for never.
        var requestCountMax: Int?
    }

    private enum Fate: CaseIterable {
        case requestLost, answerLost, deliveredTwice, answeredByTheSecond, overtaken
        case copiedLate, lostThenDelivered
        case tooMany, unavailable, broken, brokenAfterwards, badGateway, loginPage, cutShort
    }

    private struct State {
        var seenCounts: [String: Int] = [:]
        var requestCount = 0
        var cut: (@Sendable () -> Void)?
        var pauseUntil: LeapingClock.Instant?
        var inserts = RefusedInserts()
    }

    /// More requests than any replication of a few documents needs.
    private static let patience = 1_000

    private let world: SimulatedWorld
    private let device: String
    private let seed: UInt64
    private let weather: Weather
    private let clock: LeapingClock
    /// Whether at most one request is under way, so that a pause can be held against the next one.
    private let isSequential: Bool
    private let state = Mutex(State())

    init(
        in world: SimulatedWorld, from device: String, seed: UInt64, weather: Weather,
        clock: LeapingClock, isSequential: Bool
    ) {
        self.world = world
        self.device = device
        self.seed = seed
        self.weather = weather
        self.clock = clock
        self.isSequential = isSequential
    }

    /// Hands in what cuts the replication short when its requests are used up.
    func cuts(with cut: @escaping @Sendable () -> Void) {
        state.withLock { $0.cut = cut }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let line = request.line
        var (random, cut) = draws(for: line, body)
        try checkCount(line)
        if Task.isCancelled { throw ReplicationError(.cancelled, "The task was cancelled.") }
        checkPause(line)
        let isBefore = random.next() % 2 == 0
        let interjection =
            random.next() % 100 < UInt64(weather.interjectionsPercent) ? random.next() : nil
        if let interjection, isBefore { await world.interject(interjection) }
        if let cut, isBefore { cut() }
        let answer: FullHTTPResponse
        do throws(ReplicationError) {
            answer = try await carry(request, body, line, &random)
        } catch {
            if let cut { cut() }
            throw error
        }
        if let interjection, !isBefore { await world.interject(interjection) }
        if let cut, !isBefore { cut() }
        if Task.isCancelled { throw ReplicationError(.cancelled, "The task was cancelled.") }
        notePause(answer)
        noteInsert(request, body, answer)
        return answer
    }

    /// The random numbers of a request, and what to cut the replication with when it is the last.
    private func draws(
        for line: String, _ body: [UInt8]?
    ) -> (SeededGenerator, (@Sendable () -> Void)?) {
        var hash = seed
        func mix(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return state.withLock { state in
            state.requestCount += 1
            mix(line.utf8)
            mix(body ?? [])
            let count = state.seenCounts[line, default: 0]
            state.seenCounts[line] = count + 1
            mix([UInt8(truncatingIfNeeded: count)])
            let isLast = weather.requestCountMax.map { state.requestCount >= $0 } ?? false
            return (SeededGenerator(seed: hash), isLast ? state.cut : nil)
        }
    }

    /// Ends a replication that goes round in circles.
    private func checkCount(_ line: String) throws(ReplicationError) {
        let count = state.withLock { $0.requestCount }
        guard count >= Self.patience else { return }
        if count == Self.patience {
            world.ledger.complain("\(device) goes round in circles: \(line)")
        }
        throw ReplicationError(.misconfigured, "The replication does not come to an end.")
    }

    private func checkPause(_ line: String) {
        guard isSequential else { return }
        let pauseUntil = state.withLock { $0.pauseUntil }
        if let pauseUntil, clock.now < pauseUntil {
            world.ledger.complain("\(device) did not wait as it was asked to: \(line)")
        }
    }

    /// Remembers for how long the device is asked to wait, now that it hears of it.
    private func notePause(_ answer: FullHTTPResponse) {
        guard let name = HTTPField.Name("Retry-After"),
            let seconds = answer.head.headerFields[name].flatMap({ Int($0) })
        else { return }
        state.withLock {
            let until = clock.now.advanced(by: .seconds(seconds))
            $0.pauseUntil = max($0.pauseUntil ?? until, until)
        }
    }

    /// Finds fault with a device that does not give up inserting what it is not shown.
    private func noteInsert(_ request: HTTPRequest, _ body: [UInt8]?, _ answer: FullHTTPResponse) {
        if let id = state.withLock({ $0.inserts.note(request, body, answer) }) {
            world.ledger.complain("\(device) inserts '\(id)' again and again in vain.")
        }
    }

    // MARK: Faults

    private func carry(
        _ request: HTTPRequest, _ body: [UInt8]?, _ line: String,
        _ random: inout SeededGenerator
    ) async throws(ReplicationError) -> FullHTTPResponse {
        func note(_ what: String) { world.journal.note("\(device) \(line): \(what)") }
        if try await isRefused(request, body) {
            note("connection refused")
            throw unreachable("The connection was refused.")
        }
        let isFaulty = random.next() % 100 < UInt64(weather.faultsPercent)
        guard isFaulty, let fate = Fate.allCases.randomElement(using: &random) else {
            let answer = try await handle(request, body)
            note(Self.summary(answer))
            return answer
        }
        switch fate {
        case .requestLost:
            note("lost on its way")
            throw unreachable("The request was lost.")
        case .answerLost:
            note("\(Self.summary(try await handle(request, body))), answer lost")
            throw unreachable("The answer was lost.")
        case .deliveredTwice where world.table.isConcurrent && Self.isSafeLater(request, body):
            let copy = Task { try? await self.handle(request, body) }
            let answer: FullHTTPResponse
            do throws(ReplicationError) {
                answer = try await handle(request, body)
            } catch {
                _ = await copy.value
                throw error
            }
            let other = await copy.value.map(Self.summary) ?? "nobody there"
            note("\(Self.summary(answer)), delivered twice at once: \(other)")
            return answer
        case .deliveredTwice, .answeredByTheSecond:
            let first = try await handle(request, body)
            let second = Self.isSafeLater(request, body) ? try await handle(request, body) : first
            note("\(Self.summary(first)), delivered twice: \(Self.summary(second))")
            return fate == .deliveredTwice ? first : second
        case .overtaken:
            for _ in 0..<Int.random(in: 1...20, using: &random) { await Task.yield() }
            let answer = try await handle(request, body)
            note("overtaken, \(Self.summary(answer))")
            return answer
        case .copiedLate, .lostThenDelivered:
            let count = Int.random(in: 1...12, using: &random)
            guard Self.isSafeLater(request, body) else {
                note("lost on its way")
                throw unreachable("The request was lost.")
            }
            let answer = fate == .copiedLate ? try await handle(request, body) : nil
            world.lateRequests.delay(request, body, past: count)
            guard let answer else {
                note("given up, arrives later")
                throw unreachable("Nothing came in time.")
            }
            note("\(Self.summary(answer)), a copy arrives later")
            return answer
        case .tooMany, .unavailable:
            let seconds = Int.random(in: 0...30, using: &random)
            note("\(fate), to wait for \(seconds) s")
            return answer(
                fate == .tooMany ? 429 : 503, "text/plain", "Later.", retryAfter: "\(seconds)")
        case .broken:
            note("500")
            return answer(500, "application/json", #"{"error":"It broke."}"#)
        case .brokenAfterwards:
            note("\(Self.summary(try await handle(request, body))), answered with 500")
            return answer(500, "application/json", #"{"error":"It broke."}"#)
        case .badGateway:
            note("502")
            return answer(502, "text/html", "<html><body>Bad gateway</body></html>")
        case .loginPage:
            note("a login page")
            return answer(200, "text/html", "<html><body>Log in to the hotel</body></html>")
        case .cutShort:
            var answer = try await handle(request, body)
            note("\(Self.summary(answer)), cut short")
            answer.body.removeLast(min(answer.body.count, 3))
            return answer
        }
    }

    /// Whether the server is down.
    private func isRefused(
        _ request: HTTPRequest, _ body: [UInt8]?
    ) async throws(ReplicationError) -> Bool {
        do {
            return try await world.table.refuses(request, body)
        } catch {
            world.ledger.complain("The server does not come up again: \(error)")
            throw unreachable("The server does not come up again.")
        }
    }

    /// Lets a request get to the server, behind those that are late.
    private func handle(
        _ request: HTTPRequest, _ body: [UInt8]?
    ) async throws(ReplicationError) -> FullHTTPResponse {
        await world.lateRequests.letPass()
        do throws(ReplicationError) {
            return try await world.table.handle(request, body)
        } catch {
            world.journal.note("\(device) \(request.line): \(error)")
            throw error
        }
    }

    /// Whether a request that arrives late or twice can do no harm by the rules of the protocol.
    ///
    /// An undeletion or deletion without a version says nothing about the state it is meant for.
    private static func isSafeLater(_ request: HTTPRequest, _ body: [UInt8]?) -> Bool {
        if request.path?.hasSuffix("/operations/batch") == true {
            let sent = body.flatMap { try? JSONText.value(from: $0) }
            return sent?["operations"]?.arrayValue?.allSatisfy {
                $0["version"] != nil || $0["op"] == "insert"
            } ?? true
        }
        return request.headerFields[.ifMatch] != nil || request.method == .get
            || request.path?.split(separator: "/").count == 2
    }

    private static func summary(_ answer: FullHTTPResponse) -> String {
        let text = String(decoding: answer.body, as: UTF8.self)
        return "\(answer.head.status.code) \(text)"
    }

    private func unreachable(_ why: String) -> ReplicationError {
        ReplicationError(.unreachable, why)
    }

    private func answer(
        _ status: Int, _ type: String, _ text: String, retryAfter: String? = nil
    ) -> FullHTTPResponse {
        var fields: HTTPFields = [.contentType: type]
        if let name = HTTPField.Name("Retry-After") { fields[name] = retryAfter }
        return FullHTTPResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: Array(text.utf8))
    }
}
