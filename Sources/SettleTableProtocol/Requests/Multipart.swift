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

        /// A part.
        package init(headers: [String: String], content: ArraySlice<UInt8>) {
            self.headers = headers
            self.content = content
        }

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

    static func isBlank(_ byte: UInt8) -> Bool {
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

    /// Reads the parts of a body that is here whole; ``MultipartReader`` reads one that comes.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: Its `Content-Type`.
    /// - Returns: The parts; nil when the type is no multipart, and for a body that is malformed or has no end.
    package static func parts(of body: ArraySlice<UInt8>, type: String) -> [Part]? {
        guard var reader = MultipartReader(type: type) else { return nil }
        reader.append(body)
        var parts: [Part] = []
        while let event = try? reader.next() {
            switch event {
            case .part(let headers): parts.append(Part(headers: headers, content: []))
            case .content(let bytes): parts[parts.count - 1].content = bytes
            case .partEnd: break
            case .end: return parts
            }
        }
        return nil
    }
}
