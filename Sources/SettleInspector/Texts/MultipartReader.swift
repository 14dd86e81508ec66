import Foundation

/// Takes the parts out of a form with files while it comes, in constant memory.
///
/// One part after the other: ``nextPart()``, then its content by ``nextChunk()``. A part that is left early is passed over.
///
/// > Source: RFC 7578; RFC 2046, 5.1.
final class MultipartReader<Source: AsyncSequence> where Source.Element == [UInt8] {
    /// What is said of a part before its content.
    struct Part {
        /// The name of the field.
        let name: String
        /// The name of the file; nil when the field is none.
        let fileName: String?
        /// The type of the content, if it is said.
        let contentType: String?
    }

    /// What has come and was not given out.
    private var buffer: [UInt8]
    private var source: Source.AsyncIterator
    /// What stands before each part and behind the last.
    private let delimiter: [UInt8]
    private var hasBegun = false
    private var isInside = false
    private var isOver = false

    /// The most bytes that may stand before the content of a part.
    private static var headMax: Int { 16 << 10 }

    /// A reader of a form.
    ///
    /// - Parameters:
    ///   - contentType: The header of the request, which names the boundary.
    ///   - source: The body.
    /// - Throws: ``MalformedForm`` when there is no boundary in the header.
    init(contentType: String, _ source: Source) throws(MalformedForm) {
        guard let boundary = Self.parameter("boundary", of: contentType), !boundary.isEmpty,
            boundary.utf8.count <= 70
        else { throw MalformedForm() }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first one need not have a line before it.
        buffer = [13, 10]
        self.source = source.makeAsyncIterator()
    }

    /// Goes to the next part; nil behind the last.
    ///
    /// - Throws: ``MalformedForm`` for what is none; what the body throws.
    func nextPart() async throws -> Part? {
        if !hasBegun { isInside = true }
        hasBegun = true
        while try await nextChunk() != nil {}
        guard !isOver else { return nil }
        guard try await fill(2), let end = Self.place(of: [13, 10], in: buffer, from: 0) else {
            throw MalformedForm()
        }
        if buffer.starts(with: [45, 45]) {
            isOver = true
            return nil
        }
        buffer.removeFirst(end)
        var place = Self.place(of: [13, 10, 13, 10], in: buffer, from: 0)
        while place == nil, buffer.count <= Self.headMax, try await more() {
            place = Self.place(of: [13, 10, 13, 10], in: buffer, from: 0)
        }
        guard let place, place <= Self.headMax,
            let head = String(validating: buffer[..<place], as: UTF8.self)
        else { throw MalformedForm() }
        // The line before the next delimiter belongs to it, also when the content is empty.
        buffer.removeFirst(place + 4)
        isInside = true
        return try part(head)
    }

    /// The next bytes of the content of the part; nil at its end.
    ///
    /// - Throws: As ``nextPart()``.
    func nextChunk() async throws -> [UInt8]? {
        guard isInside else { return nil }
        while true {
            if let place = Self.place(of: delimiter, in: buffer, from: 0) {
                if place > 0 { return take(place) }
                buffer.removeFirst(delimiter.count)
                isInside = false
                return nil
            }
            // The beginning of a delimiter may be at the end of what has come.
            if buffer.count >= delimiter.count { return take(buffer.count - delimiter.count + 1) }
            guard try await more() else { throw MalformedForm() }
        }
    }

    private func take(_ count: Int) -> [UInt8] {
        let chunk = Array(buffer[..<count])
        buffer.removeFirst(count)
        return chunk
    }

    private func more() async throws -> Bool {
        guard let bytes = try await source.next() else { return false }
        buffer += bytes
        return true
    }

    /// Sees to it that a line with at least so many bytes has come.
    private func fill(_ count: Int) async throws -> Bool {
        while buffer.count < count
            || Self.place(of: [13, 10], in: buffer, from: 0) == nil
                && !buffer.starts(with: [45, 45])
        {
            guard buffer.count <= Self.headMax, try await more() else { return false }
        }
        // The last delimiter may have nothing behind it.
        if buffer.starts(with: [45, 45]) { buffer += [13, 10] }
        return true
    }

    private func part(_ head: String) throws -> Part {
        var (disposition, type): (String?, String?)
        for line in head.split(whereSeparator: \.isNewline) {
            let field = line.split(separator: ":", maxSplits: 1)
            guard field.count == 2 else { throw MalformedForm() }
            let value = field[1].trimmingCharacters(in: .whitespaces)
            switch field[0].lowercased() {
            case "content-disposition": disposition = value
            case "content-type": type = value
            default: break
            }
        }
        guard let disposition, let name = Self.parameter("name", of: disposition) else {
            throw MalformedForm()
        }
        return Part(
            name: name, fileName: Self.parameter("filename", of: disposition), contentType: type)
    }

    /// A parameter of a header, between quotation marks or not.
    ///
    /// Browsers write the marks in it as `%22`, and the ends of lines as `%0D` and `%0A`. Bytes are looked at: a mark with
    /// an accent behind it is another character, and a mark all the same.
    private static func parameter(_ name: String, of header: String) -> String? {
        let mark = UInt8(ascii: "\"")
        var parts: [[UInt8]] = [[]]
        var isQuoted = false
        for byte in header.utf8 {
            if byte == mark { isQuoted.toggle() }
            if byte == UInt8(ascii: ";"), !isQuoted {
                parts.append([])
            } else {
                parts[parts.count - 1].append(byte)
            }
        }
        for part in parts.dropFirst() {
            let pair = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2,
                String(decoding: pair[0], as: UTF8.self).trimmingCharacters(in: .whitespaces)
                    .lowercased() == name
            else { continue }
            var value = Array(pair[1])
            if value.count >= 2, value.first == mark, value.last == mark {
                value = Array(value.dropFirst().dropLast())
            }
            return String(decoding: value, as: UTF8.self).replacing("%22", with: "\"")
                .replacing("%0D", with: "\r").replacing("%0A", with: "\n")
        }
        return nil
    }

    /// Where some bytes begin in others; nil when they are not in them.
    private static func place(of bytes: [UInt8], in all: [UInt8], from start: Int) -> Int? {
        var place = start
        while let first = all[place...].firstIndex(of: bytes[0]) {
            guard all.count - first >= bytes.count else { return nil }
            if all[first...].starts(with: bytes) { return first }
            place = first + 1
        }
        return nil
    }
}

/// Bytes that should be a form and are none.
struct MalformedForm: Error {}
