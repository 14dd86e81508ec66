import HTTPTypes
import Hummingbird

/// What must hold of a request before anything of it is used.
///
/// > Source: RFC 9112, 3.2 and 6.1.
enum RequestHead {
    /// Looks at the head of a request.
    ///
    /// - Parameter request: The request; one of HTTP/1.0 that names no host has got one before.
    /// - Returns: The host that it names.
    /// - Throws: ``Problem`` 400 when it names none, or several, or something else, and for a transfer
    ///   coding other than chunks.
    static func check(_ request: Request) throws(Problem) -> Authority {
        // The first one is the authority, and others are left where they were.
        guard let text = request.head.authority, let authority = Authority(text),
            !request.headers.contains(where: { $0.name.canonicalName == "host" })
        else {
            throw malformed("A request names one host in the header Host, and its port if need be.")
        }
        // What it would be packed in is not taken off.
        if let coding = request.headers[.transferEncoding], coding.lowercased() != "chunked" {
            throw malformed("The only transfer coding that this server knows is 'chunked'.")
        }
        return authority
    }

    /// A problem after which the connection ends: nobody knows where the next request begins.
    static func malformed(_ message: String) -> Problem {
        Problem(.badRequest, message, headers: [.connection: "close"])
    }
}
