import HTTPTypes
import NIOHTTP1

/// How bodies may be packed: `Content-Encoding` with one of a few words.
enum BodyCoding {
    /// The words that unpacking knows.
    private static let packed: Set<String> = ["gzip", "deflate"]

    /// What `Accept-Encoding` of a problem says.
    static let known = "gzip, deflate"

    /// Writes the words as unpacking knows them.
    ///
    /// > Source: RFC 9110, 8.4.1: `x-gzip` is `gzip`, and `identity` is nothing.
    static func normalize(_ headers: inout HTTPHeaders) {
        let codings = headers[canonicalForm: name]
        guard codings.count == 1, let coding = codings.first?.lowercased() else { return }
        switch coding {
        case "identity": headers.remove(name: name)
        case "x-gzip": headers.replaceOrAdd(name: name, value: "gzip")
        default: headers.replaceOrAdd(name: name, value: coding)
        }
    }

    /// Whether a body comes packed.
    static func isPacked(_ headers: HTTPHeaders) -> Bool {
        headers[canonicalForm: name].first.map { packed.contains($0.lowercased()) } ?? false
    }

    /// Refuses a body that is packed otherwise, or more than once.
    ///
    /// - Throws: ``Problem`` 415 that says what is known.
    static func check(_ headers: HTTPFields) throws(Problem) {
        guard let coding = headers[.contentEncoding], !packed.contains(coding) else { return }
        throw Problem(
            .unsupportedMediaType,
            "The body is packed in a way that this server does not know; send it as it is, or with "
                + "Content-Encoding: gzip.",
            headers: [.acceptEncoding: known])
    }

    private static let name = "content-encoding"
}
