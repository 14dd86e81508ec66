package import Foundation
package import Hummingbird

/// Pages under a path of a server that something else makes, for bearers of tokens with a claim.
///
/// The server hands on what is asked for under the path, looks at no token of these requests itself, and says of a token
/// that is shown there what it thinks of it.
package struct MountedPages: Sendable {
    /// What the server thinks of a token.
    package enum Grant: Sendable {
        /// It is good and has the claim; it ends then, or never.
        case granted(until: Date?)
        /// It is not good, or does not have the claim; a sentence says why.
        case refused(String)
    }

    /// The path, such as `/inspector`.
    package let path: String
    /// The claim that must be true.
    package let claim: String
    /// Answers a request under the path.
    let respond: @Sendable (Request, @escaping @Sendable (String) async -> Grant) async -> Response

    /// Pages under a path.
    ///
    /// - Parameters:
    ///   - path: One part that none of the server's own paths begins with, behind a slash.
    ///   - claim: The claim of tokens that must be true.
    ///   - respond: Answers a request, given what asks the server about a token.
    package init(
        path: String, claim: String,
        respond:
            @escaping @Sendable (Request, @escaping @Sendable (String) async -> Grant) async ->
            Response
    ) {
        self.path = path
        self.claim = claim
        self.respond = respond
    }

    /// Whether a path is the pages'.
    func isFor(_ path: String) -> Bool {
        path == self.path || path.utf8.starts(with: "\(self.path)/".utf8)
    }
}
