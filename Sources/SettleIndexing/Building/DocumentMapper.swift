import SettleDocuments
import SettlePrimitives
import SettleStorage

/// Calls the map of an index for one document after the other.
///
/// A document that cannot be mapped is noted and has no rows; the others are not touched by it.
struct DocumentMapper {
    private let definition: IndexDefinition
    private let crashed: PoisonDocuments
    private let guardSlot: CrashGuardSlot?
    /// What is recorded as the work.
    private let work: UInt64
    let collector: RowCollector
    /// The documents that could not be mapped.
    private(set) var failures: [MapFailure] = []

    init(_ definition: IndexDefinition, crashed: PoisonDocuments, guardSlot: CrashGuardSlot?) {
        self.definition = definition
        self.crashed = crashed
        self.guardSlot = definition.mayTrap ? guardSlot : nil
        work = definition.work
        collector = RowCollector(definition.collation)
    }

    /// Maps a document; one that is deleted has no rows, and a design document has none either.
    ///
    /// - Returns: Why it could not be mapped; nil when it was.
    /// - Throws: ``IndexError/corrupted(place:)`` when the record or the identifier cannot be read.
    @discardableResult
    mutating func map(id: Span<UInt8>, record: Span<UInt8>) throws -> MapFailure? {
        guard let members = RecordHead.members(of: record) else {
            throw IndexError.corrupted(place: "record of document '\(Self.text(id))'")
        }
        collector.begin(document: id)
        if members.isDeleted || DocumentIdentifier.isDesign(id) {
            try collector.endDocument()
            return nil
        }
        if !crashed.isEmpty, let failure = crashed.failure(of: id, record: record) {
            collector.discardDocument()
            failures.append(failure)
            return failure
        }
        guardSlot?.set(work, id)
        defer { guardSlot?.clear() }
        do {
            try definition.map(id, record, collector)
        } catch {
            collector.discardDocument()
            return fail(id, record, error)
        }
        do {
            try collector.endDocument()
            return nil
        } catch {
            return fail(id, record, error)
        }
    }

    private mutating func fail(
        _ id: Span<UInt8>, _ record: Span<UInt8>, _ error: any Error
    ) -> MapFailure {
        let failure = MapFailure(
            id: Self.text(id), sequence: RecordHead(record)?.sequence ?? 0,
            reason: Self.reason(for: error))
        failures.append(failure)
        return failure
    }

    /// Forgets the failures; they have been passed on.
    mutating func takeFailures() -> [MapFailure] {
        defer { failures = [] }
        return failures
    }

    private static func text(_ id: Span<UInt8>) -> String {
        String(decoding: id.rest(from: 0), as: UTF8.self)
    }

    private static func reason(for error: any Error) -> String {
        switch error {
        case IndexError.mapFailed(_, _, let reason): "The map function emitted \(reason)."
        case IndexError.tooManyRows(_, let countMax):
            "The map function emitted one key more than \(countMax) times."
        case let error as PackedError: "The map function emitted what cannot be stored (\(error))."
        default: "The map function threw \(type(of: error)): \(error)"
        }
    }
}

extension IndexDefinition {
    /// What tells this definition from others in a crash guard: a number that hardly any other has.
    var work: UInt64 {
        StableHash.of([name, version].joined(separator: "\u{0}").utf8) & ~Self.trialMask
    }

    /// The bits by which a trial is told from other work: a one, and before it the end of the
    /// sequence, so that a document that was changed since is not taken for the one that was tried.
    fileprivate static var trialMask: UInt64 { 0xFF_FFFF }

    /// What is noted while a document is mapped alone, to see whether it ends the process.
    fileprivate func trial(ofSequence sequence: UInt64) -> UInt64 {
        work | (sequence << 1 & Self.trialMask) | 1
    }

    /// Whether a number was noted for a trial of this definition.
    func isTrial(_ number: UInt64) -> Bool {
        number & ~Self.trialMask == work && number & 1 == 1
    }

    /// Maps a document to see whether it ends the process, and forgets the rows.
    ///
    /// - Parameters:
    ///   - id: The document; one that is not there is passed over.
    ///   - proven: What is known to end the process, which is passed over too.
    ///   - snapshot: Where it is read.
    ///   - guardSlot: Where it is noted.
    /// - Throws: ``StorageError``; not what the map throws.
    func tryOut(
        _ id: [UInt8], unless proven: PoisonDocuments, in snapshot: StoreSnapshot,
        guardSlot: CrashGuardSlot
    ) throws {
        try snapshot.withRow(of: id) { record in
            guard RecordHead.members(of: record)?.isDeleted == false,
                let sequence = RecordHead(record)?.sequence,
                proven.failure(of: id.span, record: record) == nil
            else { return }
            let collector = RowCollector(collation)
            collector.begin(document: id.span)
            guardSlot.set(trial(ofSequence: sequence), id.span)
            defer { guardSlot.clear() }
            // What it throws is found again, and listed, when it is mapped with the others.
            try? map(id.span, record, collector)
            collector.discardDocument()
        }
    }
}

/// The documents during whose mapping a process ended.
struct PoisonDocuments: Sendable {
    /// Which state of a document must not be mapped again.
    private enum Version {
        /// Whatever it is now.
        case any
        /// The one with this sequence.
        case sequence(UInt64)
        /// The one that was noted in a trial by this number.
        case trial(UInt64)
    }
    private var versions: [[UInt8]: [Version]] = [:]

    /// None.
    init() {}

    var isEmpty: Bool { versions.isEmpty }

    /// Adds a document, whatever it is now.
    mutating func add(_ id: [UInt8]) {
        versions[id, default: []].append(.any)
    }

    /// Adds a document that ended a process when it was mapped alone.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - number: What was noted then; see ``IndexDefinition/isTrial(_:)``.
    mutating func add(_ id: [UInt8], inTrial number: UInt64) {
        versions[id, default: []].append(.trial(number))
    }

    /// Adds what the slots of an index know of earlier crashes.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    mutating func add(
        of definition: IndexDefinition, in snapshot: StoreSnapshot
    ) throws {
        guard definition.mayTrap else { return }
        for (slot, state) in try IndexState.states(of: definition.name, in: snapshot)
        where state.version == definition.version && state.errorCount > 0 {
            let tables = try IndexTables(
                findingIn: snapshot, index: definition.name, slot: slot, reducer: nil)
            guard let tables else { continue }
            try MapFailureTable(tables.side).forEach { failure in
                if failure.isCrash {
                    let key = Array(failure.id.utf8)
                    versions[key, default: []].append(.sequence(failure.sequence))
                }
                return true
            }
        }
    }

    func failure(of id: Span<UInt8>, record: Span<UInt8>) -> MapFailure? {
        let key = id.rest(from: 0)
        guard let known = versions[key], let head = RecordHead(record) else { return nil }
        let mask = IndexDefinition.trialMask
        let isKnown = known.contains { version in
            switch version {
            case .any: true
            case .sequence(let sequence): sequence == head.sequence
            case .trial(let number): number & mask == (head.sequence << 1 & mask) | 1
            }
        }
        guard isKnown else { return nil }
        return MapFailure(
            id: String(decoding: key, as: UTF8.self), sequence: head.sequence,
            reason: "The process ended while the map function had the document.", isCrash: true)
    }
}
