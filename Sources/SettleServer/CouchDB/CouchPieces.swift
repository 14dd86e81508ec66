import Settle

/// Reads the pieces of a text, one after the other.
protocol CouchPieceReader: Sendable {
    /// The next piece; nil after the last.
    mutating func next() throws -> [UInt8]?
}

/// Text that is made piece by piece, each when it is asked for.
actor CouchPieces {
    enum Source: Sendable {
        case text([UInt8])
        case reader(any CouchPieceReader)
        /// Answers with nil after its last piece.
        case feed(@Sendable () async throws -> [UInt8]?)
    }

    private var sources: ArraySlice<Source>

    /// Text of several sources, one after the other.
    init(_ sources: [Source]) {
        self.sources = sources[...]
    }

    /// Several texts as the answers to several questions.
    init(answers: [CouchPieces]) {
        var sources: [Source] = [.text(Array("{\"results\":[\n".utf8))]
        for (place, answer) in answers.enumerated() {
            if place > 0 { sources.append(.text(Array(",\n".utf8))) }
            sources.append(.feed { try await answer.next() })
        }
        self.sources = sources + [.text(Array("\n]}\n".utf8))]
    }

    /// The next piece; nil after the last.
    ///
    /// - Throws: What a source throws.
    func next() async throws -> [UInt8]? {
        while let source = sources.first {
            switch source {
            case .text(let text):
                sources.removeFirst()
                return text
            case .reader(var reader):
                guard let piece = try reader.next() else {
                    sources.removeFirst()
                    continue
                }
                sources[sources.startIndex] = .reader(reader)
                return piece
            case .feed(let read):
                if let piece = try await read() { return piece }
                sources.removeFirst()
            }
        }
        return nil
    }

    /// Takes back pieces that were asked for, to be given again.
    func putBack(_ text: [UInt8]) { sources = [.text(text)] + sources }
}

extension CouchResponse {
    /// What an answer may have, in bytes, to be sent as a whole.
    private static let wholeBytesMax = 1 << 20

    /// An answer of text: whole when it is short.
    ///
    /// A long one that cannot be read any more ends without what a whole one ends with.
    ///
    /// - Throws: What the pieces throw, as long as nothing is sent.
    static func pieces(_ pieces: CouchPieces) async throws -> CouchResponse {
        var text: [UInt8] = []
        while text.count < wholeBytesMax {
            guard let piece = try await pieces.next() else {
                return CouchResponse(200, .bytes(text))
            }
            text += piece
        }
        await pieces.putBack(text)
        return CouchResponse(
            200, .stream(AsyncStream(unfolding: { try? await pieces.next() })))
    }
}
