internal import CPQ

/// A connection to PostgreSQL.
///
/// Belongs to one thread, which its calls block until PostgreSQL has answered. Connections of a
/// ``PQPool`` are only seen in the bodies that it runs.
package final class PQConnection {
    let handle: OpaquePointer
    /// The names under which the server has prepared a statement for parameters of some types.
    private var prepared: [StatementKey: String] = [:]
    private var preparedCount = 0
    /// Whether a transaction is under way that ``transaction(_:_:)`` began.
    var isInTransaction = false
    /// Whether who waits for what is done here has given up; no statement is begun then.
    var isCancelled: (() -> Bool)?

    private struct StatementKey: Hashable {
        var text: String
        var types: [UInt32]
    }

    /// How many statements stay prepared; more begin anew.
    private static let preparedMax = 200

    /// Connects, blocking the thread.
    ///
    /// - Throws: ``PQError`` with `cannotConnect`, or `statement` when the settings of the session
    ///   are refused.
    package init(_ endpoint: PQEndpoint) throws(PQError) {
        handle = try endpoint.connect()
        // What a client of this process does must be the same whatever the server's defaults are.
        let fixed = [
            "statement_timeout": String(endpoint.statementMilliseconds),
            // A process that hangs in a transaction gives its locks up, as one that runs too long does.
            "idle_in_transaction_session_timeout": String(endpoint.statementMilliseconds),
            "default_transaction_isolation": "read committed",
            "default_transaction_read_only": "off", "DateStyle": "ISO",
        ]
        let settings = fixed.merging(endpoint.settings) { $1 }.sorted { $0.key < $1.key }
        try run(
            "SELECT set_config(name, value, false) FROM unnest($1, $2) AS settings(name, value)",
            .texts(settings.map(\.key)), .texts(settings.map(\.value)))
    }

    deinit {
        PQfinish(handle)
    }

    /// Whether the connection has ended, as far as is known without asking.
    package var isBroken: Bool { PQstatus(handle) != CONNECTION_OK }

    /// The version of the server: 150007 for 15.7.
    package var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// The number of the server's process for this connection, as `pg_stat_activity` has it.
    package var processNumber: Int32 { PQbackendPID(handle) }

    /// Runs a statement.
    ///
    /// The statement is prepared at its first use and stays so.
    ///
    /// - Parameters:
    ///   - statement: One statement, which stands in the program as it is: nothing that came from
    ///     elsewhere belongs in it.
    ///   - parameters: The values of `$1`, `$2`, …
    /// - Returns: Its rows, all of them.
    /// - Throws: ``PQError`` with `statement` and its state, or `connectionLost`. Parameters that are
    ///   too large together for a message are refused with `programLimitExceeded` and not sent.
    @discardableResult
    package func run(
        _ statement: StaticString, _ parameters: PQValue...
    ) throws(PQError) -> PQResult {
        try run(statement, parameters)
    }

    /// Runs a statement with a list of parameters; see ``run(_:_:)-(_,PQValue...)``.
    @discardableResult
    package func run(
        _ statement: StaticString, _ parameters: [PQValue]
    ) throws(PQError) -> PQResult {
        if isCancelled?() == true { throw .cancelled }
        let values = try ParameterBytes(parameters)
        let name = try preparedName(of: "\(statement)", types: values.typeNumbers)
        let answer = values.withPointers { count, pointers, lengths, formats in
            PQexecPrepared(handle, name, count, pointers, lengths, formats, 1)
        }
        return try checked(answer)
    }

    /// Runs statements without parameters, as a schema is made of.
    ///
    /// - Parameter statements: One or more, with `;` in between.
    /// - Throws: ``PQError`` with `statement` and its state, or `connectionLost`.
    package func runAll(_ statements: StaticString) throws(PQError) {
        try execute("\(statements)")
    }

    /// Runs a statement that this module has put together itself.
    func execute(_ text: String) throws(PQError) {
        try checked(PQexec(handle, text))
    }

    /// Whether a job left the connection as it found it: alive, and in no transaction.
    var isReusable: Bool {
        !isBroken && PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    /// Whether the connection, which nobody uses, has been ended from the other side.
    func isEndedWhileIdle() -> Bool {
        guard !isBroken else { return true }
        // What there is to read may be a notice, or the reason and then the end.
        while SocketWait.isReadable(PQsocket(handle)) {
            if PQconsumeInput(handle) == 0 || isBroken { return true }
        }
        return false
    }

    private func preparedName(of text: String, types: [UInt32]) throws(PQError) -> String {
        let key = StatementKey(text: text, types: types)
        if let name = prepared[key] { return name }
        if prepared.count >= Self.preparedMax {
            try execute("DEALLOCATE ALL")
            prepared = [:]
        }
        preparedCount += 1
        let name = "settle_\(preparedCount)"
        try checked(PQprepare(handle, name, text, Int32(types.count), types))
        prepared[key] = name
        return name
    }

    /// The answer when it is one of success.
    @discardableResult
    func checked(_ answer: OpaquePointer?) throws(PQError) -> PQResult {
        guard let answer else { throw PQError(answer: nil, isConnectionLost: true) }
        let result = PQResult(answer)
        // Its last use by name may come before the last use of what it frees.
        defer { withExtendedLifetime(result) {} }
        switch PQresultStatus(answer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return result
        default:
            throw PQError(answer: answer, isConnectionLost: isBroken)
        }
    }
}

extension ParameterBytes {
    /// The parameters as libpq wants them.
    fileprivate func withPointers<R>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> R
    ) -> R {
        // What is larger was refused.
        let lengths = ranges.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: ranges.count)
        return bytes.withUnsafeBytes { bytes in
            let pointers = ranges.map { range in
                range.flatMap { range in
                    bytes.baseAddress.map {
                        ($0 + range.lowerBound).assumingMemoryBound(to: CChar.self)
                    }
                }
            }
            return pointers.withUnsafeBufferPointer { pointers in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(
                            Int32(ranges.count), pointers.baseAddress, lengths.baseAddress,
                            formats.baseAddress)
                    }
                }
            }
        }
    }
}
