/// What the engine's version says about where it may be used.
struct EngineVersion: Comparable {
    let major: Int
    let minor: Int
    let patch: Int

    /// The first that splits pages of 16 KiB rightly.
    ///
    /// Before it, long keys could end in `MDB_PAGE_FULL` there. Source: ITS#9806 in LMDB's list of
    /// changes.
    static let largePages = EngineVersion(major: 0, minor: 9, patch: 30)

    static func < (left: EngineVersion, right: EngineVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// Whether this version may write files of such pages.
    func canWrite(pageSizeBytes: Int) -> Bool {
        pageSizeBytes <= 4_096 || self >= Self.largePages
    }
}
