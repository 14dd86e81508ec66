import HTTPTypes
import Settle
import SettleSync

extension AzureTablesBackend {
    /// Reads a list, and finds out on the way which dialect the server speaks.
    ///
    /// As long as that is not known, the same question is asked in one dialect after the other
    /// until an answer fits. Only reads are ever repeated like this.
    ///
    /// - Parameters:
    ///   - hint: What the server spoke in an earlier run; it may have been replaced since.
    ///   - query: What to ask for, in a dialect.
    /// - Returns: The dialect of the answer, and the answer. When none fits, the first answer that is
    ///   about something else than the dialect.
    /// - Throws: What the transport throws, and `query`.
    func get(
        hint: Dialect? = nil,
        _ query: (Dialect) throws(ReplicationError) -> [QueryParameter]
    ) async throws(ReplicationError) -> (Dialect, HTTPAnswer) {
        if let dialect = memory.dialect {
            return (dialect, try await exchange(dialect, .get, query: try query(dialect)))
        }
        var untried = Dialect.all
        if let hint, let index = untried.firstIndex(of: hint) {
            untried.insert(untried.remove(at: index), at: 0)
        }
        var first: (Dialect, HTTPAnswer)?
        while !untried.isEmpty {
            let dialect = untried.removeFirst()
            let answer = try await exchange(dialect, .get, query: try query(dialect))
            if first.map({ $0.1.isAboutVersion && !answer.isAboutVersion }) ?? true {
                first = (dialect, answer)
            }
            switch DialectFinding(answer, to: dialect) {
            case .fits:
                memory.keep(dialect)
                return (dialect, answer)
            case .another(let other):
                // What another was asked for in the wrong words may have been left out.
                untried.removeAll { $0 == other }
                untried.insert(other, at: 0)
            case .refused: continue
            case .unclear: return (dialect, answer)
            }
        }
        guard let first else { preconditionFailure("There is at least one dialect to try.") }
        return first
    }

    /// What to ask for when only the answer's form matters.
    static let leastRead = [
        QueryParameter("$top", "1"), QueryParameter("$select", TableColumns.id),
    ]

    /// The dialect to write in.
    ///
    /// A read comes before the first write of a back-end that does not know it yet, because a
    /// write in the wrong words might be half understood.
    ///
    /// - Returns: The dialect; ``Dialect/v2`` for a table that may be written to but not read.
    /// - Throws: ``SettleSync/ReplicationError`` when the read does not come through, or no answer
    ///   fits.
    func dialectForWriting() async throws(ReplicationError) -> Dialect {
        if let dialect = memory.dialect { return dialect }
        let (asked, answer) = try await get { _ in Self.leastRead }
        if let dialect = memory.dialect { return dialect }
        switch answer.status {
        case 200:
            // No list at all; whoever answered this is not the table.
            _ = try TablePage(answer, dialect: asked)
            throw ReplicationError(
                .protocolViolation, "The server's answer fits no generation of the protocol.")
        // What is said in the usual dialect about reading may not hold for writing.
        case 403, 404, 405, 410: if asked == .v2 && !answer.isWebPage { return .v2 }
        default: break
        }
        throw answer.failure("list the table")
    }
}

/// What an answer says about the dialect that the question was asked in.
enum DialectFinding: Sendable, Hashable {
    /// It is the server's.
    case fits
    /// The server speaks another.
    case another(AzureTablesBackend.Dialect)
    /// It is not the server's, or the question was wrong in it.
    case refused
    /// Nothing; the answer is about something else.
    case unclear

    /// Looks at an answer to a list.
    init(_ answer: HTTPAnswer, to dialect: AzureTablesBackend.Dialect) {
        let generation = Self.generation(answer)
        switch answer.status {
        case 200:
            guard let json = try? answer.json().value else {
                self = .unclear
                return
            }
            let isNew = json["items"]?.arrayValue != nil
            let isOld = json.arrayValue != nil || json["results"]?.arrayValue != nil
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
                self = generation == nil || answer.isAboutVersion ? .refused : .unclear
            }
        default: self = .unclear
        }
    }

    /// The generation that a server says it is of.
    private static func generation(_ answer: HTTPAnswer) -> AzureTablesBackend.Dialect? {
        guard let field = answer.response.headerFields[.serverVersion]?.lowercased() else {
            return nil
        }
        if field.hasPrefix("nodev1") { return .v1 }
        return field.hasPrefix("node-") || field.hasPrefix("net-") ? .v2 : nil
    }
}
