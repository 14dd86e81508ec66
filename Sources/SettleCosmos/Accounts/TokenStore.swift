public import Foundation
import Settle
import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Keeps the tokens of permissions between runs of the app; the app chooses where.
    ///
    /// Called by one task at a time for each account. What it is given is secret.
    public protocol TokenStore: Sendable {
        /// What was saved for an account; nil for nothing.
        ///
        /// - Parameter account: The host of the account, with its port where it is not the usual one.
        /// - Returns: What was saved.
        /// - Throws: Anything; the client goes on without what was saved.
        func tokens(forAccount account: String) async throws -> Data?

        /// Saves in place of what was saved; nil removes it.
        ///
        /// - Throws: Anything; the client goes on, and asks the provider again in the next run.
        func save(_ tokens: Data?, forAccount account: String) async throws
    }

    /// Keeps tokens as long as the process runs.
    public final class MemoryTokenStore: TokenStore {
        private let tokens = Lock<[String: Data]>([:])

        /// An empty store.
        public init() {}

        /// What was saved for an account.
        public func tokens(forAccount account: String) -> Data? {
            tokens.withLock { $0[account] }
        }

        /// Saves in place of what was saved.
        public func save(_ tokens: Data?, forAccount account: String) {
            self.tokens.withLock { $0[account] = tokens }
        }
    }

    /// Keeps tokens in a file that only its owner can read (mode 0600).
    ///
    /// They are not encrypted: where there is a keychain, use `KeychainTokenStore`.
    public struct FileTokenStore: TokenStore {
        private let url: URL

        /// A store in a file.
        ///
        /// - Parameter url: The file, which is made when something is saved; its folder must exist. It holds the
        ///   tokens of all accounts.
        public init(at url: URL) { self.url = url }

        /// What was saved for an account.
        ///
        /// - Throws: When the file cannot be read, or is none of this store.
        public func tokens(forAccount account: String) throws -> Data? {
            try contents()[account]
        }

        /// Saves in place of what was saved; the file is replaced as a whole.
        ///
        /// - Throws: When the file cannot be written, or there is another one in its place, which is left as it is.
        public func save(_ tokens: Data?, forAccount account: String) throws {
            var contents = try contents()
            contents[account] = tokens
            let file = try ReplacedFile(url, mode: 0o600)
            do {
                try file.write([UInt8](JSONEncoder().encode(contents)))
                try file.finish()
            } catch {
                file.abandon()
                throw error
            }
        }

        private func contents() throws -> [String: Data] {
            guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
            return try JSONDecoder().decode([String: Data].self, from: Data(contentsOf: url))
        }
    }
}
