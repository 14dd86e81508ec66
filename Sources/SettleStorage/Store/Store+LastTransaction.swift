import SettleLMDB

extension Store {
    /// The number of the last commit to the file, whichever process made it.
    ///
    /// For those who look again and again whether there is something new: it differs from the
    /// number before when there may be. Costs a lock and some reads of memory, and waits for
    /// nobody.
    ///
    /// - Returns: The number; nil when it cannot be known at the moment.
    /// - Throws: ``StorageError/engine(_:message:)`` when the store cannot be read.
    package func lastTransaction() throws -> UInt64? {
        try StorageError.translating { try environment.lastTransaction() }
    }
}
