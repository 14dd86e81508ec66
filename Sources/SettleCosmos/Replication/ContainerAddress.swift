import Foundation
import SettleSync
import SettleTableProtocol

/// Where a collection is: the account, the database and the collection.
struct ContainerAddress: Sendable, Hashable {
    let account: Cosmos.Account
    /// The collection by ids.
    let link: Cosmos.Link
    /// The address as a URL.
    let url: URL

    /// The address as text; it never holds credentials.
    var identifier: String { "\(account)\(link.path)" }

    /// The most bytes that the name of a remote may have.
    private static let identifierSizeMax = 255

    /// A collection by its ids.
    ///
    /// - Throws: ``SettleSync/ReplicationError`` with `misconfigured` when an id cannot be one, or the address is too long.
    init(
        _ account: Cosmos.Account, _ databaseId: String, _ collectionId: String
    ) throws(ReplicationError) {
        for (what, id) in [("database", databaseId), ("collection", collectionId)] {
            let isDots = id == "." || id == ".."
            if let fault = Cosmos.IdentifierRule.fault(of: id) ?? (isDots ? "is '\(id)'" : nil) {
                throw ReplicationError(
                    .misconfigured, "No \(what) can have the id that was given: it \(fault).")
            }
        }
        self.account = account
        link = .collection(collectionId, inDatabase: databaseId)
        let text = "\(account)\(link.path)"
        guard text.utf8.count <= Self.identifierSizeMax, let url = URL(string: text) else {
            throw ReplicationError(
                .misconfigured,
                "The address of the collection has \(text.utf8.count) bytes, and a remote's may have "
                    + "\(Self.identifierSizeMax).")
        }
        self.url = url
    }

    /// Reads a URL: `http(s)://HOST[:PORT]/dbs/DATABASE/colls/COLLECTION`.
    ///
    /// - Throws: ``SettleSync/ReplicationError`` with `misconfigured`, saying what to write instead.
    init(_ url: URL) throws(ReplicationError) {
        let wanted =
            "Write http(s)://HOST[:PORT]/dbs/DATABASE/colls/COLLECTION, for example "
            + "https://contoso.documents.azure.com/dbs/crm/colls/people, without a key or anything behind it."
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            throw ReplicationError(.misconfigured, "The address cannot be read. \(wanted)")
        }
        var segments = parts.percentEncodedPath
            .split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if segments.last == "" { segments.removeLast() }
        let names = segments.map { String($0).removingPercentEncoding ?? "" }
        guard names.count == 4, names[0] == "dbs", names[2] == "colls" else {
            throw ReplicationError(.misconfigured, "The address names no collection. \(wanted)")
        }
        parts.percentEncodedPath = ""
        let account: Cosmos.Account
        do throws(Cosmos.ClientError) {
            guard let base = parts.url else {
                throw Cosmos.ClientError(.configureError, "The address cannot be read.")
            }
            account = try Cosmos.Account(at: base)
        } catch {
            throw ReplicationError(.misconfigured, "The address is no account's. \(wanted)")
        }
        try self.init(account, names[1], names[3])
    }
}
