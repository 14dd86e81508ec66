import Foundation

/// Bodies of several parts.
///
/// > Source: RFC 2046, 5.1.
struct CouchMultipart {
    /// A part: its header fields, names in lower case, and its content.
    struct Part: Equatable {
        var headers: [String: String] = [:]
        var content: ArraySlice<UInt8>

        /// The name that `Content-Disposition` has for it.
        var fileName: String? {
            headers["content-disposition"].flatMap {
                CouchMultipart.parameter("filename", of: $0)
            }
        }
    }

    /// A text that parts are told apart by, which no content has by chance.
    static func newBoundary() -> String {
        UUID().uuidString.replacing("-", with: "").lowercased()
    }

    /// A parameter of a header field, in quotes or without.
    static func parameter(_ name: String, of header: String) -> String? {
        var rest = Substring(header)
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " }
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let found = rest[..<equals].lowercased()
            rest = rest[rest.index(after: equals)...]
            var value = ""
            if rest.first == "\"" {
                rest.removeFirst()
                while let character = rest.popFirst(), character != "\"" {
                    value.append(character == "\\" ? rest.popFirst() ?? character : character)
                }
            } else {
                value = String(rest.prefix { $0 != ";" && $0 != " " })
                rest = rest.dropFirst(value.count)
            }
            if found == name { return value }
        }
        return nil
    }

    /// A text in quotes, as a parameter of a header field.
    static func quoted(_ text: String) -> String {
        let safe = text.unicodeScalars.map {
            $0.value < 0x20 || $0.value == 0x7F ? "_" : String($0)
        }
        return "\""
            + safe.joined().replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Reads the parts of a body.
    ///
    /// - Throws: ``CouchError`` 400 when it is no such body, or has no end.
    static func parts(
        of body: [UInt8], boundary: String
    ) throws(CouchError) -> [Part] {
        let malformed = CouchError.badRequest("The multipart body is malformed.")
        let line = Array("--\(boundary)".utf8)
        let delimiter = Array("\r\n".utf8) + line
        var place: Int
        if body.starts(with: line) {
            place = line.count
        } else if let found = find(delimiter, in: body, from: 0) {
            place = found + delimiter.count
        } else {
            throw malformed
        }
        var parts: [Part] = []
        while true {
            if body[place...].starts(with: Array("--".utf8)) { return parts }
            guard let lineEnd = find(Array("\r\n".utf8), in: body, from: place) else {
                throw malformed
            }
            let head = lineEnd + 2
            let (headers, start) = try self.headers(of: body, from: head, or: malformed)
            // The end of the line before the delimiter is the delimiter's.
            guard let end = find(delimiter, in: body, from: max(head, start - 2)) else {
                throw malformed
            }
            parts.append(Part(headers: headers, content: body[min(start, end)..<end]))
            place = end + delimiter.count
        }
    }

    private static func headers(
        of body: [UInt8], from start: Int, or malformed: CouchError
    ) throws(CouchError) -> (headers: [String: String], end: Int) {
        var headers: [String: String] = [:]
        var place = start
        while true {
            guard let end = find(Array("\r\n".utf8), in: body, from: place) else { throw malformed }
            let text = String(decoding: body[place..<end], as: UTF8.self)
            place = end + 2
            if text.isEmpty { return (headers, place) }
            let sides = text.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { throw malformed }
            headers[sides[0].lowercased()] = String(sides[1]).trimmingSpaces
        }
    }

    private static func find(_ wanted: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        let last = body.count - wanted.count
        guard start <= last else { return nil }
        for place in start...last where body[place] == wanted[0] {
            if body[place..<place + wanted.count].elementsEqual(wanted) { return place }
        }
        return nil
    }
}
