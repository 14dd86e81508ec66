import HTTPTypes
import Settle
import SettleSync
import SettleTableProtocol

extension AzureTablesBackend {
    /// Reads a list, and finds out on the way which dialect the server speaks.
    ///
    /// As long as that is not known, the same question is asked in one dialect after the other
    /// until a response fits. Only reads are ever repeated like this.
    ///
    /// - Parameters:
    ///   - hint: What the server spoke in an earlier run; it may have been replaced since.
    ///   - query: What to ask for, in a dialect.
    /// - Returns: The dialect of the response, and the response. When none fits, the first response that is
    ///   about something else than the dialect.
    /// - Throws: What the transport throws, and `query`.
    func get(
        hint: Dialect? = nil,
        _ query: (Dialect) throws(ReplicationError) -> [QueryParameter]
    ) async throws(ReplicationError) -> (Dialect, FullHTTPResponse) {
        if let dialect = memory.dialect {
            return (dialect, try await exchange(dialect, .get, query: try query(dialect)))
        }
        var untried = Dialect.all
        if let hint, let index = untried.firstIndex(of: hint) {
            untried.insert(untried.remove(at: index), at: 0)
        }
        var first: (Dialect, FullHTTPResponse)?
        while !untried.isEmpty {
            let dialect = untried.removeFirst()
            let response = try await exchange(dialect, .get, query: try query(dialect))
            if first.map({ $0.1.isAboutVersion && !response.isAboutVersion }) ?? true {
                first = (dialect, response)
            }
            switch DialectFinding(response, to: dialect) {
            case .fits:
                memory.keep(dialect)
                return (dialect, response)
            case .another(let other):
                // What another was asked for in the wrong words may have been left out.
                untried.removeAll { $0 == other }
                untried.insert(other, at: 0)
            case .refused: continue
            case .unclear: return (dialect, response)
            }
        }
        guard let first else { preconditionFailure("There is at least one dialect to try.") }
        return first
    }

    /// What to ask for when only the response's form matters.
    static let leastRead = [
        QueryParameter(.top, "1"), QueryParameter(.select, TableColumns.id),
    ]

    /// The dialect to write in.
    ///
    /// A read comes before the first write of a back-end that does not know it yet, because a
    /// write in the wrong words might be half understood.
    ///
    /// - Returns: The dialect; ``Dialect/v2`` for a table that may be written to but not read.
    /// - Throws: ``SettleSync/ReplicationError`` when the read does not come through, or no response
    ///   fits.
    func dialectForWriting() async throws(ReplicationError) -> Dialect {
        if let dialect = memory.dialect { return dialect }
        let (asked, response) = try await get { _ in Self.leastRead }
        if let dialect = memory.dialect { return dialect }
        switch response.status {
        case 200:
            // No list at all; whoever answered this is not the table.
            _ = try TablePage(response, dialect: asked)
            throw ReplicationError(
                .protocolViolation, "The server's answer fits no generation of the protocol.")
        // What is said in the usual dialect about reading may not hold for writing.
        case 403, 404, 405, 410: if asked == .v2 && !response.isWebPage { return .v2 }
        default: break
        }
        throw response.failure("list the table")
    }
}

/// What a response says about the dialect that the question was asked in.
enum DialectFinding: Sendable, Hashable {
    /// It is the server's.
    case fits
    /// The server speaks another.
    case another(AzureTablesBackend.Dialect)
    /// It is not the server's, or the question was wrong in it.
    case refused
    /// Nothing; the response is about something else.
    case unclear

    /// Looks at a response to a list.
    init(_ response: FullHTTPResponse, to dialect: AzureTablesBackend.Dialect) {
        let generation = Self.generation(response)
        switch response.status {
        case 200:
            guard let json = try? response.json().value else {
                self = .unclear
                return
            }
            let isNew = json["items"]?.arrayValue != nil
            let isOld = json.arrayValue != nil || json[PageMember.results]?.arrayValue != nil
            if isNew {
                self = dialect == .v3 ? .fits : .another(.v3)
            } else if isOld {
                // Some servers of the newest generation answer in the older words when asked so.
                self = dialect == .v3 ? .another(generation ?? .v2) : .fits
            } else {
                self = .unclear
            }
        case 400:
            if let generation, generation != dialect {
                self = .another(generation)
            } else {
                self = generation == nil || response.isAboutVersion ? .refused : .unclear
            }
        default: self = .unclear
        }
    }

    /// The generation that a server says it is of.
    private static func generation(_ response: FullHTTPResponse) -> AzureTablesBackend.Dialect? {
        guard let field = response.head.headerFields[.serverVersion]?.lowercased() else {
            return nil
        }
        if field.hasPrefix("nodev1") { return .v1 }
        return field.hasPrefix("node-") || field.hasPrefix("net-") ? .v2 : nil
    }
}
