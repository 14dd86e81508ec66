/// The numbers of the replicator, each with its unit and reason.
enum SyncTuning {
    /// Items asked for in a pull: few enough that a broken page costs little, and within the 1000
    /// that the table servers allow.
    static let pageSizeDefault = 500
    /// Pages of a pull that came and are not stored: one that is being stored, one whose items are being made, and one
    /// that came meanwhile, so that neither the remote nor the disk is waited for.
    static let heldPageCountMax = 3
    /// The bytes of contents of attachments that a batch keeps in memory until its documents are stored, in one commit; what
    /// is more is stored before them, in commits of its own.
    static let heldContentSizeMax = 8 << 20
    /// The longest of such contents, in bytes: longer ones come piece by piece.
    static let heldContentLengthMax = 1 << 20
    /// Pages in a row with nothing but known revisions after which a pull by revisions keeps where it is: a pull that
    /// breaks reads no more of them again, and a commit here and two requests are little beside so many.
    static let knownPageCountMax = 16
    /// Requests in flight while pushing.
    static let concurrentRequestsDefault = 8
    /// Tries after the first in a one-shot replication, counted anew whenever something got
    /// through.
    static let retryLimitDefault = 3
    /// How long a repeating replication waits for its next poll when nothing happens here: asking costs one small
    /// request.
    static let pollIntervalDefault: Duration = .seconds(30)
    /// Poll intervals after which a remote that is listened to is asked all the same: rarely enough
    /// to cost nothing, often enough that a change nobody announced is not missed for long.
    static let listeningIntervalCount = 20
    /// The shortest time in which a remote may say that nothing changed; a sooner answer is no
    /// waiting, and would be asked for again and again without a pause.
    static let listeningDurationMin: Duration = .seconds(1)
    /// The first pause after listening failed: a remote whose line was cut is back at once, as a rule.
    static let listeningPauseFirst: Duration = .seconds(1)
    /// How often that pause is doubled, at most: every 64 s costs a remote that is away little.
    static let listeningPauseDoublingMax = 6
    /// How often in a row a change may be announced that no pull shows, before it is listened again after
    /// a pause only.
    static let fruitlessCountMax = 3
    /// The first wait after a failure; doubled with each one that follows.
    static let backoffFirst: Duration = .milliseconds(500)
    /// The longest wait between two tries.
    static let backoffMax: Duration = .seconds(120)
    /// Operations taken out of the queue in one transaction, and so frozen until they are
    /// answered: enough to share a flush, few enough that edits seldom queue behind.
    static let claimCountMax = 256
    /// The bytes of members after which a claim ends: little memory for large documents, and no limit for
    /// small ones.
    static let claimSizeMax = 4 << 20
    /// The operations, and the bytes of their members, after which nothing more is claimed before some of
    /// them are done: more than fit into all requests in flight, and few enough to be recognised after a crash.
    static let claimedCountMax = 1_536
    static let claimedSizeMax = 16 << 20
    /// Operations taken out of the queue in one transaction when they are sent one at a time: after
    /// a conflict those behind it go back, and are taken out again.
    static let orderedClaimCountMax = 32
    /// Answers that share a transaction, and so a flush, while there is more to send; few enough that
    /// little has to be sent and recognised again after a crash.
    static let storingCountMin = 32
    /// Changes that are read at a time when the push queue catches up.
    static let catchUpCountMax = 1_000
    /// Documents purged in one transaction: the writer is free for others in between.
    static let purgeCountMax = 1_000
    /// How often one conflict is given to its handler in a row when the document keeps changing
    /// here or there.
    static let resolutionCountMax = 8
    /// Cycles in which the remote failed on one and the same operation, while it answered
    /// others, before that operation is set aside.
    static let serverFailureCountMax = 5
    /// How often an insert is tried that meets an item which the server does not show, before it is
    /// set aside: more than once, since the item may have been removed between the two answers.
    static let hiddenItemCountMax = 3
    /// How often an item is looked up while it lacks something that was sent: more than once, since a
    /// server that does not know its new columns yet may know them a moment later.
    static let lookUpCountMax = 2
    /// Names of members that are remembered to be left out by a server; more are looked up again.
    static let omittedNameCountMax = 1_000
    /// The longest name of a remote, in bytes of UTF-8: what the database keeps as an origin.
    static let identifierLengthMax = 255
}
