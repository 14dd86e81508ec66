public import Foundation
import Settle

extension Cosmos {
    /// Where and how a client keeps resources on this device.
    public struct CacheConfiguration: Sendable {
        /// The folder that holds the caches, one for each account; nil for a folder `Cosmos` beside Settle's own
        /// databases.
        public var folder: URL?
        /// The most bytes of resources; nil for as many as there are.
        ///
        /// Beyond it the documents and attachments that were not used for longest are removed, and never one with a
        /// write that was not sent yet.
        public var sizeMax: Int?
        /// How long a get of a document or another resource asks no one after the service has sent it; nil to ask at
        /// every get.
        ///
        /// ``Client/setCacheLifetime(_:forCollection:inDatabase:)`` and ``RequestOptions/cacheLifetime`` come before
        /// it. The time is counted in this process: after a start everything is asked for once.
        public var lifetime: Duration?
        /// Whether attachments are kept, and may be written offline.
        public var keepsAttachments: Bool
        /// Encrypts what is kept; nil to keep it as it is.
        public var encryptor: (any ResourceEncryptor)?
        /// How long to wait before queued writes are tried again; twice as long after each failure.
        public var retryWait: Duration
        /// The longest such wait.
        public var retryWaitMax: Duration

        /// A configuration.
        ///
        /// - Precondition: Sizes and durations are not negative.
        public init(
            folder: URL? = nil, sizeMax: Int? = nil, lifetime: Duration? = nil,
            keepsAttachments: Bool = true, encryptor: (any ResourceEncryptor)? = nil,
            retryWait: Duration = .seconds(1), retryWaitMax: Duration = .seconds(300)
        ) {
            precondition(
                sizeMax ?? 0 >= 0 && lifetime ?? .zero >= .zero && retryWait >= .zero
                    && retryWaitMax >= retryWait, "Sizes and durations are not negative.")
            self.folder = folder
            self.sizeMax = sizeMax
            self.lifetime = lifetime
            self.keepsAttachments = keepsAttachments
            self.encryptor = encryptor
            self.retryWait = retryWait
            self.retryWaitMax = retryWaitMax
        }

        /// The folder of an account's cache.
        func folder(of account: Account) -> URL {
            let base =
                folder
                ?? Settle.Database.Configuration.defaultLocation()
                .appendingPathComponent("Cosmos", isDirectory: true)
            let name = String(
                account.name.map { $0.isLetter || $0.isNumber || ".-".contains($0) ? $0 : "_" })
            return base.appendingPathComponent(name, isDirectory: true)
        }
    }
}
