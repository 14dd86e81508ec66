import Dispatch
import Foundation
import SettleDocuments
import SettlePrimitives
import Synchronization

/// JSON texts that are decoded on all cores, a run at a time, while somebody stores them in order.
///
/// A few runs are decoded ahead of the reader, so that the memory stays in proportion. The reader
/// decodes a run itself when nobody has begun it, so it never waits for a thread that is not there.
/// The lock guards the state; nothing is decoded while it is held.
final class JSONBatch: Sendable {
    /// A document that is ready to be stored, and the digest of its first revision.
    struct Entry: Sendable {
        let id: String
        let body: PackedValue
        let digest: Revision.Digest
    }

    private struct State {
        /// Runs that are being decoded by others, or were and wait for the reader.
        var runs: [Int: Run] = [:]
        /// The first run that was not offered to others.
        var nextOffered = 0
        /// The first run that the reader has not reached.
        var nextRead = 0
    }

    private enum Run {
        case begun
        case decoded(Result<[Entry], any Error>)
    }

    private let state = Lock(State())
    private let isDecoded = DispatchSemaphore(value: 0)
    private let texts: [[UInt8]]
    private let identifierMember: String
    private let limits: JSONLimits

    private static let runLength = 100
    private static let runsAhead = 4 * ProcessInfo.processInfo.activeProcessorCount

    /// Texts of which the first are decoded from now on.
    init(_ texts: [[UInt8]], identifierMember: String, limits: JSONLimits) {
        self.texts = texts
        self.identifierMember = identifierMember
        self.limits = limits
        offer(from: 0)
    }

    private var runCount: Int { (texts.count + Self.runLength - 1) / Self.runLength }

    /// Hands out every document in order, on the calling thread, which may wait for others.
    ///
    /// May be called again, one call after the other: a transaction may have to begin anew.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDocument` for the first text that is none, or what
    ///   `body` throws.
    func forEach(_ body: (Entry) throws -> Void) throws {
        for run in 0..<runCount {
            offer(from: run)
            for entry in try take(run).get() { try body(entry) }
        }
    }

    /// The run, decoded here when it was not begun by others.
    private func take(_ run: Int) -> Result<[Entry], any Error> {
        while true {
            let found = state.withLock { state -> Run? in
                state.nextRead = max(state.nextRead, run + 1)
                if case .begun? = state.runs[run] { return .begun }
                return state.runs.removeValue(forKey: run)
            }
            switch found {
            case nil: return Result { try decode(run) }
            case .decoded(let entries): return entries
            case .begun: isDecoded.wait()
            }
        }
    }

    /// Lets others decode the runs that the reader will reach soon.
    private func offer(from run: Int) {
        let offered = state.withLock { state -> Range<Int> in
            let end = max(state.nextOffered, min(runCount, run + Self.runsAhead))
            defer { state.nextOffered = end }
            return state.nextOffered..<end
        }
        for run in offered {
            DispatchQueue.global(qos: .userInitiated).async { [self] in decodeAhead(run) }
        }
    }

    private func decodeAhead(_ run: Int) {
        let isNeeded = state.withLock { state in
            guard run >= state.nextRead else { return false }
            state.runs[run] = .begun
            return true
        }
        guard isNeeded else { return }
        let entries = Result { try decode(run) }
        state.withLock { $0.runs[run] = .decoded(entries) }
        isDecoded.signal()
    }

    private func decode(_ run: Int) throws -> [Entry] {
        let start = run * Self.runLength
        let end = min(start + Self.runLength, texts.count)
        var entries: [Entry] = []
        entries.reserveCapacity(end - start)
        for index in start..<end {
            let text = texts[index]
            do {
                let (id, body) = try Document.parts(
                    ofJSON: text.span, identifierMember: identifierMember, limits: limits)
                try Document.check(id: id)
                let digest = Revision.digest(
                    parentGeneration: 0, parent: nil, isDeleted: false, body: body,
                    attachments: [])
                entries.append(Entry(id: id, body: body, digest: digest))
            } catch let error as DatabaseError where error.code == .invalidDocumentId {
                throw error
            } catch {
                throw DatabaseError(
                    .invalidDocument, "The text number \(index + 1) of \(texts.count): \(error)",
                    cause: error)
            }
        }
        return entries
    }
}
