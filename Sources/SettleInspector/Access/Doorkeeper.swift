import Foundation
import SettlePrimitives
import Synchronization

/// Who is let in: links with a token that count once, and the sessions of browsers that used one.
///
/// All state is guarded by one lock.
final class Doorkeeper: Sendable {
    private struct State {
        var tokens: [String] = []
        var sessions: [(secret: String, end: Date?)] = []
    }

    private let state = Lock(State())

    /// How many tokens may wait to be used; the oldest gives way.
    private static let tokenCountMax = 16
    /// How many browsers may be let in; the oldest has to come with a new token.
    private static let sessionCountMax = 64

    /// A new token that counts once.
    func makeToken() -> String {
        let token = Self.secret()
        state.withLock { state in
            state.tokens.append(token)
            if state.tokens.count > Self.tokenCountMax { state.tokens.removeFirst() }
        }
        return token
    }

    /// Takes a token for a new session; nil when it is none, or was used before.
    func session(for token: String) -> String? {
        state.withLock { state in
            guard let index = state.tokens.firstIndex(where: { Self.areEqual($0, token) }) else {
                return nil
            }
            state.tokens.remove(at: index)
            return Self.begin(&state, until: nil)
        }
    }

    /// Begins a session for a browser that was let in by something else.
    ///
    /// - Parameter end: When it ends; nil for never.
    /// - Returns: The secret of the session.
    func makeSession(until end: Date?) -> String {
        state.withLock { Self.begin(&$0, until: end) }
    }

    /// Ends a session.
    func end(_ session: String) {
        state.withLock { $0.sessions.removeAll { Self.areEqual($0.secret, session) } }
    }

    /// Whether a session was begun here and has not ended.
    func knows(_ session: String, at date: Date) -> Bool {
        state.withLock { state in
            state.sessions.contains { known in
                Self.areEqual(known.secret, session) && known.end.map { date < $0 } ?? true
            }
        }
    }

    private static func begin(_ state: inout State, until end: Date?) -> String {
        let session = secret()
        state.sessions.append((session, end))
        if state.sessions.count > sessionCountMax { state.sessions.removeFirst() }
        return session
    }

    /// 256 bits of the system's generator.
    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares in a time that does not depend on where the texts differ.
    private static func areEqual(_ secret: String, _ text: String) -> Bool {
        let (left, right) = (Array(secret.utf8), Array(text.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
