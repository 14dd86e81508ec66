/// The part of a content that a reader asks for by the header `Range`.
enum ByteRange: Sendable, Equatable {
    /// All of it: there is no header, one that is not understood, or one for several ranges.
    case whole
    case part(Range<Int>)
    /// The header asks for bytes behind the end.
    case unsatisfiable

    /// The first byte that is sent.
    var start: Int {
        if case .part(let part) = self { part.lowerBound } else { 0 }
    }

    /// Reads the header.
    ///
    /// Several ranges are answered with the whole, which RFC 9110 (14.2) allows: a reader that
    /// wants them can ask for one after the other. So is content of no bytes, of which no range can
    /// be given.
    ///
    /// - Parameters:
    ///   - header: `bytes=a-b`, `bytes=a-` or `bytes=-n`; nil when there is none.
    ///   - length: The length of the content in bytes.
    init(_ header: String?, length: Int) {
        self = header.flatMap { Self.parse($0, length: length) } ?? .whole
    }

    /// Nil for what is not understood.
    private static func parse(_ header: String, length: Int) -> ByteRange? {
        let halves = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard length > 0, halves.count == 2,
            String(halves[0]).trimmingSpaces.lowercased() == "bytes"
        else { return nil }
        let range = String(halves[1]).trimmingSpaces
        let ends = range.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = number(ends[1]) else { return nil }
            return count == 0 ? .unsatisfiable : .part(max(0, length - count)..<length)
        }
        guard let first = number(ends[0]) else { return nil }
        guard !ends[1].isEmpty else {
            return first < length ? .part(first..<length) : .unsatisfiable
        }
        guard let last = number(ends[1]), first <= last else { return nil }
        return first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
    }

    /// A number in digits; one that is too large for the machine is behind every end.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }
}
