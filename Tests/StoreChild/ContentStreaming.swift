#if os(Linux)
    import Foundation
    import Settle

    /// Brings a large content in and reads it out again, in little memory.
    struct ContentStreaming {
        /// What came out is not what went in.
        struct Differs: Error {}
        /// The limit does not hold, so that nothing would be shown.
        struct Unlimited: Error {}

        let database: Database
        /// The length of the content.
        let length: Int
        /// Memory beside what the process has once everything it needs is loaded.
        let headroom: Int

        /// Periodic, so that any part of it is found without keeping all; the period is a prime, so
        /// that no two chunks are equal.
        private let period = Data((0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })

        func run() async throws {
            try await stream(length: 3_000_000, id: "small")
            try MemoryLimit.set(aboveNow: headroom)
            guard !MemoryLimit.allows(length) else { throw Unlimited() }
            Report.limited.send()
            try await stream(length: length, id: "large")
        }

        private func stream(length: Int, id: String) async throws {
            var document = Document(id: id)
            document.attachments = [
                try await database.storeAttachment(
                    named: ContentPlan.name, contentType: ContentPlan.type,
                    chunks: Pieces(period: period, length: length))
            ]
            try await database.save(document)
            let stored = try await database.fetchDocument(id)
            guard let attachment = stored?.attachments.first, attachment.length == length else {
                throw Differs()
            }
            let pattern = period + period
            var position = 0
            for try await chunk in attachment.chunks {
                let start = position % period.count
                guard chunk.count <= period.count,
                    chunk == pattern[start..<(start + chunk.count)]
                else { throw Differs() }
                position += chunk.count
            }
            guard position == length else { throw Differs() }
        }
    }

    /// The content, a period at a time.
    private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
        typealias Element = Data

        let period: Data
        var length: Int

        func makeAsyncIterator() -> Pieces { self }

        mutating func next() async throws -> Data? {
            guard length > 0 else { return nil }
            let piece = period.prefix(length)
            length -= piece.count
            return piece
        }
    }
#endif
