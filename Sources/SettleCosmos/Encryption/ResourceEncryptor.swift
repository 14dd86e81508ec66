public import Foundation

extension Cosmos {
    /// Encrypts what a client keeps on this device, by a key of the app's.
    ///
    /// The bodies of resources, the bytes of attachments, stored results of queries and queued writes pass through
    /// it. What stays readable: which resources there are (ids, the identifiers of the service, partition keys),
    /// their etags, how large they are, and when they were written.
    ///
    /// Called from several threads at once, for each resource that is read or written.
    public protocol ResourceEncryptor: Sendable {
        /// Encrypts.
        ///
        /// - Parameter data: The bytes.
        /// - Returns: What is stored; the same bytes need not give the same result.
        /// - Throws: Anything; nothing is written then.
        func encrypt(_ data: Data) throws -> Data

        /// Decrypts what ``encrypt(_:)`` gave.
        ///
        /// - Throws: Anything, when the bytes are damaged or the key is another one; what is stored stays.
        func decrypt(_ data: Data) throws -> Data
    }
}
