internal import CPQ

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// What a transaction may do and see.
package enum PQTransactionKind: Sendable {
    /// One state of the database, the same for all its statements; nothing can be written
    /// (`REPEATABLE READ READ ONLY`).
    case read
    /// Each statement sees what was committed before it (`READ COMMITTED`).
    case write
}

extension PQConnection {
    /// Runs statements as one: all of them are stored, or none.
    ///
    /// A write that gave way in a conflict (states 40001 and 40P01) is run again from its
    /// beginning, five times at most.
    ///
    /// - Parameters:
    ///   - kind: What it may do and see.
    ///   - body: The statements. It may run more than once, so it changes nothing but the database.
    /// - Returns: What `body` returned, once it is committed.
    /// - Throws: ``PQError`` with `commitUnknown` when the connection ended in `COMMIT`,
    ///   `connectionLost` when it ended before, `statement` for what PostgreSQL refuses; what
    ///   `body` throws, after which nothing is stored.
    @discardableResult
    package func transaction<R>(
        _ kind: PQTransactionKind, _ body: () throws -> R
    ) throws -> R {
        precondition(!isInTransaction, "A transaction cannot begin in another.")
        var attempt = 1
        while true {
            do {
                return try transactionOnce(kind, body)
            } catch let error as PQError where error.isConflict && attempt < 5 {
                // Those who collided must not begin again in step.
                usleep(UInt32.random(in: 0...5_000) << UInt32(attempt))
                attempt += 1
            }
        }
    }

    private func transactionOnce<R>(
        _ kind: PQTransactionKind, _ body: () throws -> R
    ) throws -> R {
        switch kind {
        case .read: try execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        case .write: try execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        }
        isInTransaction = true
        defer { isInTransaction = false }
        let value: R
        do {
            value = try body()
        } catch {
            // A connection that cannot even do this is not used again; what it did is undone.
            if !isBroken { try? execute("ROLLBACK") }
            throw error
        }
        try commit(kind)
        return value
    }

    private func commit(_ kind: PQTransactionKind) throws(PQError) {
        let answer = PQexec(handle, "COMMIT")
        guard let answer else { throw .commitUnknown }
        let result = PQResult(answer)
        // Its last use by name may come before the last use of what it frees.
        defer { withExtendedLifetime(result) {} }
        guard PQresultStatus(answer) == PGRES_COMMAND_OK else {
            let error = PQError(answer: answer, isConnectionLost: isBroken)
            throw error.code == .connectionLost && kind == .write ? .commitUnknown : error
        }
        // COMMIT of a transaction in which a statement failed says "ROLLBACK" and no error.
        let tag = PQcmdStatus(answer).map { String(cString: $0) }
        guard tag == "COMMIT" else {
            throw PQError(
                code: .statement,
                message: "PostgreSQL undid a transaction in which a statement had failed.")
        }
    }
}
