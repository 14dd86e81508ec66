import Settle
import SettleSync
import Synchronization

/// Who wrote what, and who gave it up knowingly.
///
/// Every edit adds a member to its document that no other edit ever adds, its *mark*. At the end
/// each mark must be there, unless somebody deleted it who saw it, or a conflict handler who saw it
/// decided for something without it.
final class Ledger: Sendable {
    private struct State {
        /// By document, the marks with what wrote them.
        var written: [String: [String: String]] = [:]
        /// By document, other members that it had at some time.
        var members: [String: Set<String>] = [:]
        /// By document, the marks that may be missing.
        var givenUp: [String: Set<String>] = [:]
        /// What no replication may ever do.
        var complaints: [String] = []
    }

    private let state = Mutex(State())

    /// What was seen that must not be.
    var complaints: [String] { state.withLock { $0.complaints } }

    /// Names the member that an edit adds.
    static func mark(_ author: String, _ number: Int) -> String { "mark_\(author)\(number)" }

    /// The marks among a document's members.
    static func marks(in members: [String: JSONValue]?) -> Set<String> {
        guard let members else { return [] }
        return Set(members.filter { $0.key.hasPrefix("mark_") && !$0.value.isNull }.keys)
    }

    func complain(_ complaint: String) {
        state.withLock { $0.complaints.append(complaint) }
    }

    func wrote(_ mark: String, in id: String, by author: String) {
        state.withLock { $0.written[id, default: [:]][mark] = author }
    }

    /// A document was given a member that is no mark, and that may come and go.
    func gave(_ member: String, to id: String) {
        _ = state.withLock { $0.members[id, default: []].insert(member) }
    }

    /// Whether a document ever had a member.
    func isWritten(_ member: String, in id: String) -> Bool {
        state.withLock {
            $0.written[id]?[member] != nil || $0.members[id]?.contains(member) ?? false
        }
    }

    func gaveUp(_ marks: Set<String>, of id: String) {
        state.withLock { $0.givenUp[id, default: []].formUnion(marks) }
    }

    /// A handler decided about two versions that it saw.
    func decided(_ conflict: ReplicationConflict, _ resolution: ConflictResolution) {
        let kept: [String: JSONValue]?
        switch resolution {
        case .leave, .stop: return
        case .useLocal: kept = conflict.local?.json
        case .useServer: kept = conflict.server?.json
        case .use(let document), .useAndAdd(let document, _): kept = document.json
        }
        let seen = Self.marks(in: conflict.local?.json).union(
            Self.marks(in: conflict.server?.json))
        gaveUp(seen.subtracting(Self.marks(in: kept)), of: conflict.documentId)
    }

    /// The edits that are not there and that nobody gave up.
    func lost(from contents: [String: [String: JSONValue]]) -> [String] {
        state.withLock { state in
            state.written.flatMap { id, marks in
                let excused = Self.marks(in: contents[id]).union(state.givenUp[id] ?? [])
                return marks.filter { !excused.contains($0.key) }
                    .map { "The edit \($0.key) of '\(id)', made by \($0.value), is lost." }
            }
            .sorted()
        }
    }
}
