import Dispatch
import Foundation
import SettleDocuments
import Synchronization

/// JSON texts that are decoded on all cores, a run at a time, while somebody stores them in order.
///
/// At most a few runs are decoded ahead of the reader, so that the memory stays in proportion.
/// The lock guards the state; nothing is decoded while it is held.
final class JSONBatch: Sendable {
    /// A document that is ready to be stored, and the digest of its first revision.
    struct Entry: Sendable {
        let id: String
        let body: PackedValue
        let digest: Revision.Digest
    }

    private struct State {
        var runs: [Int: Result<[Entry], any Error>] = [:]
        /// How many runs have been begun.
        var begun = 0
    }
    private let state = Mutex(State())
    private let isDecoded = DispatchSemaphore(value: 0)
    private let texts: [[UInt8]]
    private let identifierMember: String
    private let limits: JSONLimits

    private static let runLength = 500
    private static let runsAhead = 2 * ProcessInfo.processInfo.activeProcessorCount

    init(_ texts: [[UInt8]], identifierMember: String, limits: JSONLimits) {
        self.texts = texts
        self.identifierMember = identifierMember
        self.limits = limits
    }

    /// Hands out every document in order, on the calling thread, which may wait for others.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDocument` for the first text that is none, or what
    ///   `body` throws.
    func forEach(_ body: (Entry) throws -> Void) throws {
        let runCount = (texts.count + Self.runLength - 1) / Self.runLength
        for run in 0..<runCount {
            begin(upTo: min(runCount, run + Self.runsAhead))
            for entry in try take(run).get() { try body(entry) }
        }
    }

    /// Waits for a run; each is handed out once.
    private func take(_ run: Int) -> Result<[Entry], any Error> {
        while true {
            if let found = state.withLock({ $0.runs.removeValue(forKey: run) }) { return found }
            isDecoded.wait()
        }
    }

    private func begin(upTo end: Int) {
        let begun = state.withLock { state in
            defer { state.begun = max(state.begun, end) }
            return state.begun
        }
        guard begun < end else { return }
        for run in begun..<end {
            DispatchQueue.global(qos: .userInitiated).async { [self] in
                let entries = Result { try decode(run) }
                state.withLock { $0.runs[run] = entries }
                isDecoded.signal()
            }
        }
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
                let digest = Revision.digest(
                    parentGeneration: 0, parent: nil, isDeleted: false, body: body,
                    attachments: [])
                entries.append(Entry(id: id, body: body, digest: digest))
            } catch {
                throw DatabaseError(
                    .invalidDocument, "The text number \(index + 1) of \(texts.count): \(error)",
                    cause: error)
            }
        }
        return entries
    }
}
