import Foundation
import Settle

/// A request of CouchDB's protocol, whatever brought it.
struct CouchRequest: Sendable {
    /// The method, in capitals.
    var method: String
    /// The parts of the path, each decoded; none for the root.
    var path: [String]
    /// The query, in order; a later name wins.
    var query: [(name: String, value: String)] = []
    /// The header fields, names in lower case.
    var headers: [String: String] = [:]
    /// The body; nothing while it comes.
    var body: [UInt8] = []
    /// The body of a request that brings contents, while it comes; nil when all of it is here.
    var coming: CouchUpload?
    /// Where it comes from; nil without a network between.
    var address: String?

    /// A request for a path as it stands in a request line.
    init(_ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0].split(separator: "/").map { Self.decoded($0) }
        if parts.count > 1 {
            query = parts[1].split(separator: "&").map { pair in
                let sides = pair.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let value = sides.count > 1 ? sides[1].replacing("+", with: " ") : ""
                return (Self.decoded(sides[0]), Self.decoded(value))
            }
        }
        self.headers = headers
        self.body = body
    }

    static func decoded(_ text: some StringProtocol) -> String {
        String(text).removingPercentEncoding ?? String(text)
    }

    /// The body as it is read once.
    var upload: CouchUpload { coming ?? CouchUpload(body) }

    /// Whether its body may be long, since it brings contents of attachments as they are.
    var bringsContents: Bool {
        guard method == "PUT", let name = path.dropFirst().first else { return false }
        let isDesign = name == "_design" || name.hasPrefix("_design/")
        let documentLength = name == "_design" ? 3 : 2
        guard isDesign || !name.hasPrefix("_"), path.count >= documentLength else { return false }
        return path.count > documentLength || hasParts
    }

    /// Whether the body is a document and contents behind it.
    var hasParts: Bool {
        headers["content-type"]?.lowercased().hasPrefix("multipart/related") ?? false
    }

    subscript(name: String) -> String? { query.last { $0.name == name }?.value }

    /// A parameter that is true or false.
    ///
    /// - Throws: ``CouchError`` as CouchDB has it.
    func flag(_ name: String, default value: Bool = false) throws(CouchError) -> Bool {
        switch self[name] {
        case nil: return value
        case "true"?: return true
        case "false"?: return false
        case let text?: throw .queryParse("Invalid boolean parameter: \"\(text)\"")
        }
    }

    /// A parameter that is a number from 0 on; nil when it is missing.
    func number(_ name: String) throws(CouchError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text) else {
            throw .queryParse("Invalid value for integer: \"\(text)\"")
        }
        guard number >= 0 else {
            throw .queryParse("Invalid value for positive integer: \"\(text)\"")
        }
        return number
    }

    /// A parameter that is JSON; nil when it is missing.
    func json(_ names: String...) throws(CouchError) -> JSONValue? {
        guard let text = names.lazy.compactMap({ self[$0] }).first else { return nil }
        return try CouchJSON.value(Array(text.utf8))
    }

    /// Whether the sender takes a type: names it, or all types, or none at all.
    func accepts(_ type: String) -> Bool {
        guard let accepted = headers["accept"] else { return true }
        let whole = type.prefix { $0 != "/" } + "/*"
        return accepted.split(separator: ",").contains { part in
            let pieces = part.split(separator: ";").map { $0.lowercased().trimmingSpaces }
            guard let name = pieces.first, name == type || name == whole || name == "*/*" else {
                return false
            }
            return !pieces.dropFirst().contains { ["q=0", "q=0.0"].contains($0) }
        }
    }

    /// Where something lies that a request made, as a URL.
    func location(_ path: [String], isSecure: Bool) -> String {
        // What may stand in a part of a path, and needs no thought there.
        let plain = CharacterSet(
            charactersIn:
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let parts = path.map { $0.addingPercentEncoding(withAllowedCharacters: plain) ?? $0 }
        let host = headers["host"].map { "\(isSecure ? "https" : "http")://\($0)" } ?? ""
        return host + "/" + parts.joined(separator: "/")
    }

    /// Refuses a body that is not said to be JSON, as no form in a page can say.
    ///
    /// - Throws: ``CouchError`` 415.
    func checkIsJSON() throws(CouchError) {
        let type = headers["content-type"]?.prefix { $0 != ";" }.lowercased().trimmingSpaces
        guard type == "application/json" else {
            throw CouchError(415, "bad_content_type", "Content-Type must be application/json")
        }
    }

    /// The body as a JSON object; an empty one for no body.
    func object() throws(CouchError) -> [String: JSONValue] {
        if body.isEmpty { return [:] }
        guard case .object(let members) = try CouchJSON.value(body) else {
            throw .badRequest("Request body must be a JSON object")
        }
        return members
    }
}

/// JSON as requests have it.
enum CouchJSON {
    /// - Throws: ``CouchError`` when the text is no JSON.
    static func value(_ text: [UInt8]) throws(CouchError) -> JSONValue {
        do {
            return try JSONText.value(from: text)
        } catch {
            throw .invalidJSON
        }
    }
}

/// What a request is answered with.
struct CouchResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// Pieces that come when there is something to tell.
        case stream(AsyncStream<[UInt8]>)
        /// Pieces that are read when they are sent, of a known length.
        case parts(CouchParts)
    }

    var status: Int
    var headers: [(name: String, value: String)]
    var body: Body

    init(_ status: Int, _ body: Body, type: String = "application/json") {
        self.status = status
        headers = [("Content-Type", type)]
        self.body = body
    }

    /// An answer of JSON, with an end of the line as CouchDB has it.
    static func json(_ status: Int, _ value: JSONValue) -> CouchResponse {
        CouchResponse(status, .bytes(JSONText.text(of: value) + [UInt8(ascii: "\n")]))
    }

    /// An answer of JSON text.
    static func text(_ status: Int, _ text: [UInt8]) -> CouchResponse {
        CouchResponse(status, .bytes(text + [UInt8(ascii: "\n")]))
    }

    /// Answers to several questions.
    static func results(_ results: [[UInt8]]) -> CouchResponse {
        .text(
            200,
            Array("{\"results\":[\n".utf8) + Array(results.joined(separator: Array(",\n".utf8)))
                + Array("\n]}".utf8))
    }

    static func failure(_ error: any Error) -> CouchResponse {
        let error = CouchError(error)
        let answer = json(error.status, error.json)
        guard error.status == 401 else { return answer }
        return answer.with("WWW-Authenticate", "Basic realm=\"settle\"")
    }

    /// The answer with a header field more.
    func with(_ name: String, _ value: String) -> CouchResponse {
        var response = self
        response.headers.append((name, value))
        return response
    }

    /// The bytes of an answer that has all of them.
    var bytes: [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }
}
