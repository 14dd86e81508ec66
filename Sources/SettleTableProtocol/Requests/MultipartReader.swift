/// Reads a body of several parts while it comes.
///
/// > Source: RFC 2046, 5.1.
package struct MultipartReader: Sendable {
    /// What comes next in a body.
    package enum Event: Sendable, Equatable {
        /// A part begins; its header fields, names in lower case.
        case part(headers: [String: String])
        /// More of the content of the part.
        case content(ArraySlice<UInt8>)
        /// The part ends.
        case partEnd
        /// The body ends; what follows is ignored.
        case end
    }

    /// A body that is none of several parts.
    package struct Malformed: Error, Equatable {}

    private enum Place {
        /// Before the first delimiter, or in the content of a part; the bytes that belong to what came before.
        case content(isPart: Bool, before: Int)
        case behindDelimiter
        case headers
        case end
    }

    /// The longest boundary, in bytes: RFC 2046, 5.1.1.
    private static let boundaryLengthMax = 70
    /// The longest heads that a part may have, in bytes.
    private static let headersBytesMax = 64 << 10

    private static let lineEnd = Array("\r\n".utf8)
    private static let twoDashes = Array("--".utf8)

    private let delimiter: [UInt8]
    private var buffer: [UInt8]
    private var start = 0 {
        didSet { searched = 0 }
    }
    /// How many bytes from `start` on are known not to begin what is looked for.
    private var searched = 0
    private var place = Place.content(isPart: false, before: 0)
    /// The heads of the part so far, and how many bytes they have.
    private var headers: [String: String] = [:]
    private var headersBytes = 0

    /// A reader of a body of a type; nil when that has no boundary, or is not of several parts.
    package init?(type: String) {
        guard type.lowercased().hasPrefix("multipart/"),
            let boundary = Multipart.parameter("boundary", of: type), !boundary.isEmpty,
            boundary.utf8.count <= Self.boundaryLengthMax
        else { return nil }
        delimiter = Self.lineEnd + Array("--\(boundary)".utf8)
        // The first delimiter may be without the end of a line before it.
        buffer = Self.lineEnd
    }

    /// Takes more of the body.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            let known = searched
            buffer.removeFirst(start)
            start = 0
            searched = known
        }
        buffer += bytes
    }

    /// What comes next; nil when that takes more of the body.
    ///
    /// - Throws: ``Malformed``.
    package mutating func next() throws(Malformed) -> Event? {
        while true {
            switch place {
            case .content(let isPart, let before):
                let (bytes, isOver) = content(before: before)
                guard isOver || bytes != nil else { return nil }
                guard isPart else { continue }
                return bytes.map { .content($0) } ?? .partEnd
            case .behindDelimiter:
                guard buffer.count - start >= 2 else { return nil }
                if buffer[start...].starts(with: Self.twoDashes) {
                    place = .end
                    return .end
                }
                guard try line() != nil else { return nil }
                place = .headers
            case .headers:
                guard let line = try line() else { return nil }
                guard line.isEmpty else {
                    guard let (name, value) = Self.field(line) else { throw Malformed() }
                    headers[name] = value
                    continue
                }
                // The end of the line before a delimiter is the delimiter's.
                start -= Self.lineEnd.count
                place = .content(isPart: true, before: Self.lineEnd.count)
                defer { (headers, headersBytes) = ([:], 0) }
                return .part(headers: headers)
            case .end: return nil
            }
        }
    }

    /// The content up to the delimiter or to what may be the beginning of one; or that the delimiter was reached.
    private mutating func content(before: Int) -> (bytes: ArraySlice<UInt8>?, isOver: Bool) {
        let first = start + before
        let found = find(delimiter)
        if let found, found <= first {
            start = found + delimiter.count
            place = .behindDelimiter
            return (nil, true)
        }
        let end = found ?? buffer.count - (delimiter.count - 1)
        guard end > first else { return (nil, false) }
        start = end
        if case .content(let isPart, _) = place { place = .content(isPart: isPart, before: 0) }
        return (buffer[first..<end], false)
    }

    /// The next line of the heads, without its end; nil when it is not whole yet.
    private mutating func line() throws(Malformed) -> ArraySlice<UInt8>? {
        guard let end = find(Self.lineEnd) else {
            guard headersBytes + buffer.count - start <= Self.headersBytesMax else {
                throw Malformed()
            }
            return nil
        }
        let line = buffer[start..<end]
        start = end + Self.lineEnd.count
        headersBytes += line.count + Self.lineEnd.count
        guard headersBytes <= Self.headersBytesMax else { throw Malformed() }
        return line
    }

    private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var value = line[(colon + 1)...].drop(while: Multipart.isBlank)
        while value.last.map(Multipart.isBlank) == true { value.removeLast() }
        return (
            String(decoding: line[..<colon], as: UTF8.self).lowercased(),
            String(decoding: value, as: UTF8.self)
        )
    }

    private mutating func find(_ wanted: [UInt8]) -> Int? {
        var place = start + searched
        while let found = buffer[place...].firstIndex(of: wanted[0]) {
            if buffer[found...].starts(with: wanted) { return found }
            place = found + 1
        }
        searched = max(searched, buffer.count - start - (wanted.count - 1))
        return nil
    }
}
