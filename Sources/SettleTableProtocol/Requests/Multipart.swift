/// Bodies of several parts.
///
/// > Source: RFC 2046, 5.1.
package enum Multipart {
    /// A part: its header fields, names in lower case, and its content.
    package struct Part: Sendable, Equatable {
        /// The header fields.
        package var headers: [String: String]
        /// The content.
        package var content: ArraySlice<UInt8>

        /// The name that `Content-Disposition` has for it.
        package var fileName: String? {
            headers["content-disposition"].flatMap { Multipart.parameter("filename", of: $0) }
        }

        /// Its own parts; nil when it has none.
        package var parts: [Part]? {
            headers["content-type"].flatMap { Multipart.parts(of: content, type: $0) }
        }
    }

    /// A text that parts are told apart by, which no content has by chance.
    package static func newBoundary() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// A parameter of a header field, in quotes or without; its name does not depend on case.
    ///
    /// Bytes are looked at: a mark with an accent behind it is another character, and a mark all the same.
    package static func parameter(_ name: String, of header: String) -> String? {
        var rest = Array(header.utf8)[...]
        while let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = rest[(semicolon + 1)...].drop(while: isBlank)
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let found = String(decoding: rest[..<equals], as: UTF8.self).lowercased()
            rest = rest[(equals + 1)...]
            var value: [UInt8] = []
            if rest.first == quote {
                rest.removeFirst()
                while let byte = rest.popFirst(), byte != quote {
                    value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
                }
            } else {
                value += rest.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
                rest = rest.dropFirst(value.count)
            }
            if found == name { return String(decoding: value, as: UTF8.self) }
        }
        return nil
    }

    private static let quote = UInt8(ascii: "\"")

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// A text in quotes, as a parameter of a header field; control characters become underscores.
    package static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            let isControl = scalar.value < 0x20 || scalar.value == 0x7F
            quoted.unicodeScalars.append(isControl ? "_" : scalar)
        }
        return quoted + "\""
    }

    /// Reads the parts of a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: Its `Content-Type`.
    /// - Returns: The parts; nil when the type is no multipart, and for a body that is malformed or has no end.
    package static func parts(of body: ArraySlice<UInt8>, type: String) -> [Part]? {
        guard type.lowercased().hasPrefix("multipart/"),
            let boundary = parameter("boundary", of: type), !boundary.isEmpty
        else { return nil }
        let line = Array("--\(boundary)".utf8)
        let delimiter = lineEnd + line
        var place: Int
        if body.starts(with: line) {
            place = body.startIndex + line.count
        } else if let found = find(delimiter, in: body, from: body.startIndex) {
            place = found + delimiter.count
        } else {
            return nil
        }
        var parts: [Part] = []
        while true {
            if body[place...].starts(with: Array("--".utf8)) { return parts }
            guard let head = find(lineEnd, in: body, from: place).map({ $0 + lineEnd.count }),
                let (headers, start) = headers(of: body, from: head),
                // The end of the line before a delimiter is the delimiter's.
                let end = find(delimiter, in: body, from: max(head, start - lineEnd.count))
            else { return nil }
            parts.append(Part(headers: headers, content: body[min(start, end)..<end]))
            place = end + delimiter.count
        }
    }

    private static let lineEnd = Array("\r\n".utf8)

    private static func headers(
        of body: ArraySlice<UInt8>, from start: Int
    ) -> (headers: [String: String], end: Int)? {
        var headers: [String: String] = [:]
        var place = start
        while let end = find(lineEnd, in: body, from: place) {
            let line = body[place..<end]
            place = end + lineEnd.count
            if line.isEmpty { return (headers, place) }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            var value = line[(colon + 1)...].drop(while: isBlank)
            while value.last.map(isBlank) == true { value.removeLast() }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            headers[name] = String(decoding: value, as: UTF8.self)
        }
        return nil
    }

    private static func find(
        _ wanted: [UInt8], in body: ArraySlice<UInt8>, from start: Int
    ) -> Int? {
        var start = start
        while let place = body[start...].firstIndex(of: wanted[0]) {
            if body[place...].starts(with: wanted) { return place }
            start = place + 1
        }
        return nil
    }
}
