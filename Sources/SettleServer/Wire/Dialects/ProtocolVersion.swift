import HTTPTypes
import SettleTableProtocol

/// A version of the table protocol.
///
/// A request names it in `ZUMO-API-VERSION`, as a header or in the query. More may be added, so a
/// `switch` needs a default.
public struct ProtocolVersion: Sendable, Hashable, CustomStringConvertible {
    let version: TableVersion

    /// Azure Mobile Apps: `2.0.0`.
    public static let version2 = ProtocolVersion(version: .version2)
    /// Datasync, of Azure Mobile Apps 6 and of the Community Toolkit: `3.0.0`.
    public static let version3 = ProtocolVersion(version: .version3)

    /// All versions that the server speaks.
    public static let all = TableVersion.allCases.map { ProtocolVersion(version: $0) }

    /// The version as a request names it, `2.0.0` for example.
    public var description: String { version.text }

    private init(version: TableVersion) {
        self.version = version
    }

    /// Reads what a request names: `2.0.` or `3.0.` and a number; nil for anything else.
    init?(text: String) {
        guard let version = TableVersion(text: text.trimmingSpaces) else { return nil }
        self.version = version
    }
}

/// The version of a request, and whether the request named it.
struct RequestedVersion: Sendable, Equatable {
    var version: ProtocolVersion
    var isNamed: Bool

    /// Finds the version that a request is for.
    ///
    /// The header counts before the parameter; both names may be in any case.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request.
    ///   - query: Its parameters.
    ///   - versionWhenMissing: The version of a request that names none.
    /// - Throws: ``Problem`` 400 when there is none, or one that is not spoken here.
    init(
        headers: HTTPFields, query: RequestQuery, versionWhenMissing: ProtocolVersion?
    ) throws(Problem) {
        var text = headers[.zumoVersion]
        if text == nil { text = try query.value(.version) }
        if text == nil, let versionWhenMissing {
            version = versionWhenMissing
            isNamed = false
            return
        }
        guard let named = text.flatMap({ ProtocolVersion(text: $0) }) else {
            let versions = ProtocolVersion.all.map(\.description)
            throw Problem(
                .badRequest,
                "This server speaks the versions " + versions.joined(separator: " and ")
                    + " of the table protocol; send the header ZUMO-API-VERSION: "
                    + versions.joined(separator: " or ") + ".")
        }
        version = named
        isNamed = true
    }
}
