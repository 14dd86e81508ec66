package import Foundation

/// What an inspector is let in to by where it is under a path of a server, and not at a port of its own.
struct Mount: Sendable {
    /// The path, such as `/inspector`.
    let path: String
    /// How long a session lasts at most, whatever the token says.
    static let sessionMax: TimeInterval = 12 * 3_600
}

/// What the server says of a token.
package enum PageGrant: Sendable {
    /// Its bearer may look at the pages, until the token ends.
    case granted(until: Date?)
    /// It is not good, or does not claim that; the reason is for people.
    case refused(String)
}
