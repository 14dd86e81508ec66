#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What processes say to each other about a data file that they have open.
///
/// Each marks bytes far behind the end of any file with read locks of its descriptor, which end
/// with it. `Docs/Formats/LMDB.md` lists the bytes.
extension FileLock {
    /// How a process uses a data file.
    enum Use: Int64 {
        /// It may commit.
        case writing = 0
        /// It reads, and says in lock.mdb which pages it needs.
        case reading
        /// It reads, and nothing in lock.mdb keeps its pages from being used again.
        case readingWithoutLocks
        /// It has found the file as its commit log says, or has brought it there.
        case recovered
    }

    /// Tells the others how this process uses the file.
    ///
    /// - Returns: Whether the system has such locks.
    func announce(_ use: Use) -> Bool {
        #if canImport(Darwin)
            return true
        #else
            return mark(Self.place(of: use))
        #endif
    }

    /// Whether another process uses the file in a way.
    ///
    /// On Apple systems, whose locks of descriptors are not used here, it is not known which: of
    /// any other process that has the file open it is said that it writes. **That branch has never
    /// been run.**
    func isAnnounced(_ use: Use) -> Bool {
        #if canImport(Darwin)
            guard use == .writing || use == .recovered else { return false }
            defer { takeShared() }
            return !takeAlone()
        #else
            return isMarked(from: Self.place(of: use), count: 1)
        #endif
    }

    /// Whether the file is open elsewhere, with a mark of any use; false where the system cannot tell.
    func isUsedElsewhere() -> Bool {
        #if canImport(Darwin)
            return false
        #else
            return isMarked(from: Self.place(of: .writing), count: 4)
        #endif
    }

    /// Takes the marks back, also from a process that was forked meanwhile.
    func withdraw() {
        #if !canImport(Darwin)
            var range = flock()
            range.l_type = Int16(F_UNLCK)
            range.l_whence = Int16(SEEK_SET)
            range.l_start = Self.base
            _ = fcntl(descriptor, Self.setLock, &range)
        #endif
    }

    /// Whether a process of another namespace of process numbers has the file open.
    ///
    /// Each opener marks the byte of its namespace's number; any other byte that is marked is a
    /// foreigner's.
    ///
    /// - Parameter namespace: The number of this process' namespace.
    /// - Returns: Whether there is one; false where the system cannot tell.
    func meetsForeigner(of namespace: UInt32) -> Bool {
        #if canImport(Darwin)
            return false
        #else
            let own = Self.base + off_t(namespace)
            guard mark(own) else { return false }
            return isMarked(from: Self.base, count: off_t(namespace))
                || isMarked(from: own + 1, count: off_t(UInt32.max - namespace))
        #endif
    }

    #if !canImport(Darwin)
        private static let base = off_t(1) << 61
        // The locks of descriptors, of which Swift's Glibc module leaves out the names.
        private static let getLock: Int32 = 36
        private static let setLock: Int32 = 37

        /// Behind the bytes of the namespaces.
        private static func place(of use: Use) -> off_t { base + (1 << 33) + off_t(use.rawValue) }

        private func mark(_ offset: off_t) -> Bool {
            var range = flock()
            range.l_type = Int16(F_RDLCK)
            range.l_whence = Int16(SEEK_SET)
            range.l_start = offset
            range.l_len = 1
            return fcntl(descriptor, Self.setLock, &range) == 0
        }

        private func isMarked(from offset: off_t, count: off_t) -> Bool {
            // A length of zero would reach to the end of everything.
            guard count > 0 else { return false }
            var range = flock()
            range.l_type = Int16(F_WRLCK)
            range.l_whence = Int16(SEEK_SET)
            range.l_start = offset
            range.l_len = count
            guard fcntl(descriptor, Self.getLock, &range) == 0 else { return false }
            return range.l_type != Int16(F_UNLCK)
        }
    #endif
}
