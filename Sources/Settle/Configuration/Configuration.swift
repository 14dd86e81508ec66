public import Foundation

extension Database {
    /// Which database is meant: its name and the directory it lies in.
    ///
    /// Two configurations with the same name and location are equal, and all databases opened
    /// with equal configurations are the same object.
    // Unchecked because an open class cannot be checked. Every stored property, here and in
    // OpenDatabaseConfiguration, is a constant of a Sendable type; a subclass that adds others
    // must keep to that.
    open class Configuration: @unchecked Sendable, Hashable {
        /// The name: lower-case letters, digits, and `_ $ ( ) + - /`, starting with a letter, at
        /// most 200 characters.
        public let name: String
        /// The directory that holds the database: a file URL, of this machine.
        ///
        /// It may hold others too. Opening a database at any other URL throws ``DatabaseError`` with
        /// `invalidFileLocation`.
        public let fileLocation: URL

        /// A configuration.
        ///
        /// - Parameters:
        ///   - name: The name; nil for ``defaultDatabaseName()``.
        ///   - fileLocation: The directory, as a file URL; nil for ``defaultLocation()``.
        public init(name: String? = nil, fileLocation: URL? = nil) {
            self.name = name ?? Self.defaultDatabaseName()
            self.fileLocation = fileLocation ?? Self.defaultLocation()
            key = DatabaseKey(name: self.name, location: self.fileLocation)
        }

        /// The name used when none is given: `pm`, as the Predix SDK has it.
        ///
        /// Override it to have another default.
        open class func defaultDatabaseName() -> String { "pm" }

        /// The directory used when none is given: a directory `Settle` in Application Support on
        /// Apple systems, in `$XDG_DATA_HOME` (else `~/.local/share`) on Linux.
        ///
        /// Override it to have another default.
        open class func defaultLocation() -> URL { PlatformLocation.applicationData }

        /// True when name and location are the same.
        public static func == (left: Configuration, right: Configuration) -> Bool {
            left.key == right.key
        }

        /// Feeds name and location into the hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(key)
        }

        /// What tells databases apart: symbolic links do not count.
        ///
        /// Worked out once, so that a configuration stays the same whatever becomes of the links.
        let key: DatabaseKey
    }

    /// Which database to open, and how.
    ///
    /// ```swift
    /// let reference = Database.OpenDatabaseConfiguration(
    ///     name: "cities", fileLocation: bundle, isReadOnly: true)
    /// let lookup = try await Database.open(with: reference)
    /// ```
    open class OpenDatabaseConfiguration: Configuration, @unchecked Sendable {
        /// The indexes the database has from the start.
        public let indexes: [any Indexer]
        /// Where completion handlers, change handlers, and delegates are called.
        public let completionQueue: DispatchQueue
        /// When a commit counts as stored.
        public let durability: Durability
        /// Where the dates of the documents come from.
        public let now: @Sendable () -> Date
        /// What the wait for the next expiration, and between looks for commits of other processes,
        /// is measured by.
        public let clock: any Clock<Duration>
        /// How often live change feeds and observers look for commits of other processes: the longest
        /// that such a commit stays unseen.
        ///
        /// Looked for only while somebody waits for changes or observes, at the cost of a lock and some reads
        /// of memory. Commits of this process are seen at once whatever this is.
        public let foreignCommitInterval: Duration
        /// True to open the database for reading only: where it lies in an application, on read-only
        /// media, or in a directory of another user.
        ///
        /// Writes throw ``DatabaseError`` with `readOnly` then, and so do queries on an index that
        /// is behind the documents. Documents do not expire. The data file is never changed.
        ///
        /// Where `lock.mdb` may not be written, the database is read without locks, which excludes
        /// processes that write it: opening throws ``DatabaseError`` with `databaseInUse` while one
        /// has it open, and a process that opens it for writing waits up to 5 seconds and then
        /// throws the same, until this one has closed it.
        public let isReadOnly: Bool

        /// A database to begin with: the folder that holds it, such as `cities.settle`; nil to begin
        /// with an empty one.
        ///
        /// When there is no database yet and one is to be made, this one is copied: documents,
        /// revisions, attachments, indexes and what is known of a server. A crash leaves the whole
        /// copy or none. It is read only, and may lie where nothing can be written. Later opens do
        /// not look at it. With ``isReadOnly`` nothing is copied.
        public let prebuilt: URL?

        /// Whether commits go through a log, and for how long one may be there without a flush.
        public let commitLog: CommitLog

        /// A configuration, with the ``CommitLog`` as it is by default.
        ///
        /// - Parameters:
        ///   - name: The name; nil for ``Database/Configuration/defaultDatabaseName()``.
        ///   - fileLocation: The directory, as a file URL; nil for
        ///     ``Database/Configuration/defaultLocation()``.
        ///   - indexes: The indexes the database has from the start.
        ///   - completionQueue: Where handlers and delegates are called; the main queue by default.
        ///   - durability: When a commit counts as stored.
        ///   - now: Where the dates of the documents come from.
        ///   - clock: What waits are measured by.
        ///   - foreignCommitInterval: How often to look for commits of other processes while somebody
        ///     waits for changes; more than zero.
        ///   - isReadOnly: True to open the database for reading only.
        ///   - prebuilt: The folder of a database to begin with; nil for an empty one.
        public required init(
            name: String? = nil, fileLocation: URL? = nil, indexes: [any Indexer] = [],
            completionQueue: DispatchQueue = .main, durability: Durability = .full,
            now: @escaping @Sendable () -> Date = { Date() },
            clock: any Clock<Duration> = ContinuousClock(),
            foreignCommitInterval: Duration = .milliseconds(100), isReadOnly: Bool = false,
            prebuilt: URL? = nil
        ) {
            precondition(
                foreignCommitInterval > .zero,
                "Between two looks for commits of other processes there must be some time.")
            self.indexes = indexes
            self.completionQueue = completionQueue
            self.durability = durability
            self.now = now
            self.clock = clock
            self.foreignCommitInterval = foreignCommitInterval
            self.isReadOnly = isReadOnly
            self.prebuilt = prebuilt
            commitLog = .standard
            super.init(name: name, fileLocation: fileLocation)
        }

        /// The configuration of another database, or the same, with another ``CommitLog``.
        ///
        /// - Parameters:
        ///   - other: Where everything else comes from.
        ///   - commitLog: Whether commits go through a log.
        public init(_ other: OpenDatabaseConfiguration, commitLog: CommitLog) {
            indexes = other.indexes
            completionQueue = other.completionQueue
            durability = other.durability
            now = other.now
            clock = other.clock
            foreignCommitInterval = other.foreignCommitInterval
            isReadOnly = other.isReadOnly
            prebuilt = other.prebuilt
            self.commitLog = commitLog
            super.init(name: other.name, fileLocation: other.fileLocation)
        }

        /// The configuration with every default; of a subclass, with that subclass's defaults.
        open class var `default`: OpenDatabaseConfiguration { Self() }
    }
}
