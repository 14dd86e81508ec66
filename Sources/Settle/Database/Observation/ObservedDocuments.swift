import SettleDocuments
import SettleIndexing
import SettlePrimitives
import SettleStorage
import Synchronization

/// Which documents are observed.
enum DocumentChoice: Sendable, Equatable {
    /// The one with this identifier.
    case identifier(String)
    /// All with this type.
    case type(String)
    /// All that pass.
    case passing(Database.IndexFilter)
}

/// One observation of documents; they are shown as rows whose key is the identifier.
struct ObservedChoice: Sendable {
    let choice: DocumentChoice
    let list = LiveList(startRow: 0, skip: 0, limit: nil, isDescending: false)

    init(_ choice: DocumentChoice) {
        self.choice = choice
    }

    /// Whether a document is one of those observed.
    ///
    /// - Throws: As `Database.IndexFilter.matches`.
    func includes(_ document: Document) throws -> Bool {
        switch choice {
        case .identifier(let id): Array(id.utf8) == Array(document.id.utf8)
        case .type(let type): document.metaData.type?.utf8.elementsEqual(type.utf8) ?? false
        case .passing(let filter): try filter.matches(document)
        }
    }
}

/// The observed documents of a database.
///
/// Brought up to date in passes: each reads what changed since the pass before, whoever changed
/// it. The lock guards the state; nothing is called while it is held.
final class ObservedDocuments: Sendable {
    private struct State {
        weak var database: Database?
        var choices: [ObjectIdentifier: ObservedChoice] = [:]
        /// The last change that the passes have seen; nil before the first.
        var sequence: UInt64?
    }
    private let state: Lock<State>

    /// When more documents than these have changed since the last pass, all are read again.
    private static let changeCountMax = 4_096

    init(in database: Database) {
        var state = State()
        state.database = database
        self.state = Lock(state)
    }

    var isEmpty: Bool { state.withLock { $0.choices.isEmpty } }

    /// Everyone who observes.
    var lists: [LiveList] { state.withLock { $0.choices.values.map(\.list) } }

    func add(_ choice: ObservedChoice) {
        state.withLock { $0.choices[ObjectIdentifier(choice.list)] = choice }
    }

    func remove(_ list: LiveList) {
        _ = state.withLock { $0.choices.removeValue(forKey: ObjectIdentifier(list)) }
    }

    /// Brings the observations up to date.
    func update() async {
        let (database, choices, sequence) = state.withLock {
            ($0.database, Array($0.choices.values), $0.sequence)
        }
        guard let database else { return }
        do {
            let reached = try database.read(named: "observed documents") { snapshot in
                let changes = try DatabaseError.translating {
                    try Self.changes(since: sequence, in: snapshot)
                }
                try Self.update(choices, with: changes, in: snapshot)
                for choice in choices where choice.list.isLoaded {
                    choice.list.deliver(sequence: snapshot.sequence) {
                        (choice.list.count, 0)
                    }
                }
                return snapshot.sequence
            }
            state.withLock { $0.sequence = reached }
        } catch {
            for choice in choices { choice.list.fail(error) }
        }
    }

    /// The documents that changed since the last pass; nil when that is too much to go through.
    private static func changes(
        since sequence: UInt64?, in snapshot: Snapshot
    ) throws -> [String]? {
        guard let sequence, sequence >= snapshot.forgottenPurgeSequence else { return nil }
        var ids: [String] = []
        try snapshot.base.forEachChange(since: sequence) { _, id in
            ids.append(id)
            return ids.count <= changeCountMax
        }
        return ids.count > changeCountMax ? nil : ids
    }

    private static func update(
        _ choices: [ObservedChoice], with changes: [String]?, in snapshot: Snapshot
    ) throws {
        let (loaded, others) = choices.reduce(
            into: ([ObservedChoice](), [ObservedChoice]())
        ) { parts, choice in
            if changes != nil, choice.list.isLoaded {
                parts.0.append(choice)
            } else {
                parts.1.append(choice)
            }
        }
        try load(others, in: snapshot)
        guard !loaded.isEmpty, let changes else { return }
        for id in changes {
            let key = RowPosition(segment: 0, bytes: Array(id.utf8))
            let document = try snapshot.document(id)
            for choice in loaded {
                let shown = try document.flatMap {
                    try choice.includes($0) ? row(of: $0) : nil
                }
                guard shown != nil || choice.list.row(at: key) != nil else { continue }
                _ = choice.list.apply([(key, shown)])
            }
        }
    }

    /// Reads all documents of observations, types together in one walk.
    private static func load(_ choices: [ObservedChoice], in snapshot: Snapshot) throws {
        var walked: [(choice: ObservedChoice, rows: [OrderedList<QueryResultRow>.Item])] = []
        for choice in choices {
            if case .identifier(let id) = choice.choice {
                choice.list.load(try snapshot.document(id).map { [item(of: $0)] } ?? [])
            } else {
                walked.append((choice, []))
            }
        }
        guard !walked.isEmpty else { return }
        try snapshot.forEachDocument { document in
            for index in walked.indices {
                guard try walked[index].choice.includes(document) else { continue }
                walked[index].rows.append(item(of: document))
            }
            return true
        }
        for (choice, rows) in walked { choice.list.load(rows) }
    }

    private static func item(of document: Document) -> OrderedList<QueryResultRow>.Item {
        OrderedList.Item(
            key: RowPosition(segment: 0, bytes: Array(document.id.utf8)), value: row(of: document))
    }

    private static func row(of document: Document) -> QueryResultRow {
        QueryResultRow(
            IndexRow(documentID: document.id, key: .string(document.id), value: nil),
            document: document)
    }
}
