package import SettleDocuments
import SettlePrimitives
package import SettleStorage

/// What is kept in one slot of an index: what it was built from, and how far it has come.
///
/// An index has two slots, so that a changed definition is built beside the rows that still answer.
/// Shape (table `views`): name, 00, slot -> a packed object of the members below
/// (Docs/Formats/Indexes.md).
package struct IndexState: Sendable, Equatable {
    /// The version of the definition; of a declared index it contains the declaration.
    package var version: String
    /// The collator's version and kind.
    package var collation: String
    /// The name of the built-in reduce function, `custom`, or nothing.
    package var reducer: String
    /// The declaration of an index that has one.
    package var declaration: JSONValue?
    /// Up to which change the rows have been brought.
    package var sequence: UInt64
    /// True when the rows are exactly those of the documents as of ``sequence``.
    ///
    /// False in the middle of catching up: a document that was changed before the sequence and
    /// again after it is listed at its last change alone, and has old rows until then.
    package var isWhole: Bool
    /// Which purges were no longer listed when the building began: up to this sequence.
    package var purgesForgotten: UInt64
    /// How many documents could not be mapped.
    package var errorCount: Int
    /// The name of the crash guard of who last worked on it (``CrashGuard``).
    package var worker: String
    /// How far the first build has come; nil when it is complete.
    package var build: Build?

    /// A build that is under way.
    package struct Build: Sendable, Equatable {
        /// The last document that was mapped; nil for none yet.
        package var after: String?
        /// How many documents have been mapped.
        package var mappedCount: Int
        /// How many runs were made.
        package var runCount: Int
        /// True when every document has been mapped.
        package var isMapped: Bool
        /// True when the runs are in the tree.
        package var isMerged: Bool
    }

    private static let tableName = "views"
    /// No count from a file is taken for more, so that adding to it is safe.
    fileprivate static let countMax: Int64 = 1 << 48

    /// The number of slots of an index.
    package static let slots = 0..<2

    /// The state of a slot in which a build begins.
    init(of definition: IndexDefinition, in snapshot: StoreSnapshot, worker: String) {
        version = definition.version
        collation = definition.collationVersion
        reducer = Self.reducerName(of: definition)
        declaration = definition.declaration?.json
        sequence = snapshot.lastSequence
        isWhole = true
        purgesForgotten = snapshot.purgesForgotten
        errorCount = 0
        self.worker = worker
        build = Build(
            after: nil, mappedCount: 0, runCount: 0, isMapped: false, isMerged: false)
    }

    /// True when a document may have been purged that is still in the rows, and nothing lists it.
    package func missesPurges(in snapshot: StoreSnapshot) -> Bool {
        snapshot.purgesForgotten > max(sequence, purgesForgotten)
    }

    /// True when the rows were made by this definition.
    package func fits(_ definition: IndexDefinition) -> Bool {
        version == definition.version && reducer == Self.reducerName(of: definition)
            && hasCollation(of: definition)
    }

    /// True when the keys of the rows are ordered as the definition says.
    package func hasCollation(of definition: IndexDefinition) -> Bool {
        collation == definition.collationVersion
    }

    /// True when the stored reductions are those that the definition's function makes.
    func hasReductions(of definition: IndexDefinition) -> Bool {
        fits(definition)
            || definition.reducer?.kind != nil && reducer == Self.reducerName(of: definition)
    }

    private static func reducerName(of definition: IndexDefinition) -> String {
        guard let reducer = definition.reducer else { return "" }
        return reducer.kind?.rawValue ?? "custom"
    }
}

// MARK: Stored form

extension IndexState {
    /// The states of an index, by slot.
    ///
    /// - Parameters:
    ///   - name: The index.
    ///   - snapshot: Where to read.
    /// - Returns: The states that there are.
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    package static func states(
        of name: String, in snapshot: StoreSnapshot
    ) throws -> [Int: IndexState] {
        var states: [Int: IndexState] = [:]
        guard let table = try table(in: snapshot) else { return states }
        for slot in slots {
            states[slot] = try state(of: name, slot: slot, from: table)
        }
        return states
    }

    /// The table of all states; nil when there never was one.
    static func table(in snapshot: StoreSnapshot) throws -> OrderedTable? {
        try snapshot.table(named: tableName)
    }

    /// The state of one slot; nil when it is empty.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    static func state(
        of name: String, slot: Int, from table: OrderedTable, remembering memory: QueryMemory? = nil
    ) throws -> IndexState? {
        try table.withValue(for: key(name, slot)) { bytes in
            if let known = memory?.state(of: bytes) { return known }
            let copy = bytes.rest(from: 0)
            guard let state = try? IndexState(decoding: PackedValue(stored: copy)) else {
                throw IndexError.corrupted(place: "the state of index '\(name)'")
            }
            memory?.remember(state, of: copy)
            return state
        }
    }

    /// The names of the indexes that have a state, in the order of their bytes.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    package static func names(in snapshot: StoreSnapshot) throws -> [String] {
        var names: [String] = []
        try snapshot.table(named: tableName)?.forEach { key, _ in
            guard key.count > 2, let end = Optional(key.count - 2), key[end] == 0,
                let name = String(validating: key.rest(from: 0)[..<end], as: UTF8.self)
            else { throw IndexError.corrupted(place: "the name of an index") }
            if names.last != name { names.append(name) }
            return true
        }
        return names
    }

    func write(name: String, slot: Int, in transaction: StoreTransaction) throws {
        let table = try transaction.createTable(named: Self.tableName)
        try table.set(PackedValue(json).bytes, for: Self.key(name, slot))
    }

    static func remove(name: String, slot: Int, in transaction: StoreTransaction) throws {
        try transaction.table(named: tableName)?.remove(key(name, slot))
    }

    private static func key(_ name: String, _ slot: Int) -> [UInt8] {
        Array(name.utf8) + [0, UInt8(slot)]
    }

    private var json: JSONValue {
        var members: [String: JSONValue] = [
            "version": .string(version), "collation": .string(collation),
            "reducer": .string(reducer), "sequence": .integer(Int64(clamping: sequence)),
            "purgesForgotten": .integer(Int64(clamping: purgesForgotten)),
            "errorCount": .integer(Int64(errorCount)), "worker": .string(worker),
            "isWhole": .bool(isWhole),
        ]
        members["declaration"] = declaration
        if let build { members["build"] = build.json }
        return .object(members)
    }

    private init?(decoding packed: PackedValue) throws {
        guard case .string(let version) = try packed.member("version"),
            case .string(let collation) = try packed.member("collation"),
            case .string(let reducer) = try packed.member("reducer"),
            case .integer(let sequence) = try packed.member("sequence"), sequence >= 0,
            case .integer(let purges) = try packed.member("purgesForgotten"), purges >= 0,
            case .integer(let errors) = try packed.member("errorCount"),
            (0...Self.countMax).contains(errors),
            case .bool(let isWhole) = try packed.member("isWhole"),
            case .string(let worker) = try packed.member("worker")
        else { return nil }
        self.version = version
        self.collation = collation
        self.reducer = reducer
        self.sequence = UInt64(sequence)
        self.isWhole = isWhole
        purgesForgotten = UInt64(purges)
        errorCount = Int(errors)
        self.worker = worker
        declaration = try packed.member("declaration")
        if let value = try packed.member("build") {
            guard let build = Build(value) else { return nil }
            self.build = build
        }
    }
}

extension IndexState.Build {
    fileprivate var json: JSONValue {
        .object([
            "after": after.map { .string($0) } ?? .null,
            "mappedCount": .integer(Int64(mappedCount)),
            "segmentCount": .integer(Int64(runCount)),
            "isMapped": .bool(isMapped), "isMerged": .bool(isMerged),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard case .object(let members) = json, let after = members["after"],
            case .integer(let mapped)? = members["mappedCount"],
            (0...IndexState.countMax).contains(mapped),
            case .integer(let runs)? = members["segmentCount"],
            (0...Int64(UInt32.max)).contains(runs),
            case .bool(let isMapped)? = members["isMapped"],
            case .bool(let isMerged)? = members["isMerged"]
        else { return nil }
        switch after {
        case .string(let id): self.after = id
        case .null: self.after = nil
        default: return nil
        }
        mappedCount = Int(mapped)
        runCount = Int(runs)
        self.isMapped = isMapped
        self.isMerged = isMerged
    }
}

extension IndexState {
    /// The definition that rows of a declared index were made from; nil for one by closures.
    ///
    /// - Parameter name: The name of the index.
    /// - Returns: The definition, made of the declaration that is stored.
    /// - Throws: ``IndexDeclarationError`` when a newer release has declared what this one does not
    ///   know.
    package func definition(
        named name: String
    ) throws(IndexDeclarationError) -> IndexDefinition? {
        guard let declaration else { return nil }
        let declared = try IndexDeclaration(json: declaration)
        // The version of a declared index ends with its declaration.
        let rest = declared.identity(version: "")
        guard version.hasSuffix(rest) else { return nil }
        return IndexDefinition(
            name: name, version: String(version.dropLast(rest.count)), declaration: declared)
    }
}
