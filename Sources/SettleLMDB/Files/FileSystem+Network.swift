#if canImport(Darwin)
    import Darwin
#else
    import CLMDB
    import Glibc
#endif

extension FileSystem {
    /// The name of a file system on which locks and shared maps cannot be relied on.
    ///
    /// On Linux the kinds are told by the magic numbers of statfs(2):
    /// - nfs, smb, cifs, afs, coda, ncp, ceph, lustre, gpfs: maps of two machines are not kept
    ///   equal, byte-range locks may be local, and a lost server turns a read into SIGBUS.
    /// - 9p: maps are private to a client unless mounted so; locks depend on the server.
    /// - ocfs2, gfs2: cluster file systems; a process mutex in a shared map does not reach the
    ///   other node.
    /// - fuse: sshfs, rclone, gcsfuse and shared folders of virtual machines are all FUSE and
    ///   cannot be told from a local one by number, so all are refused.
    ///
    /// - Parameter type: The field `f_type`.
    /// - Returns: The name, or nil for a file system taken to be local.
    static func networkName(ofType type: UInt32) -> String? {
        switch type {
        case 0x6969: "nfs"
        case 0x517B: "smb"
        case 0xFF53_4D42, 0xFE53_4D42: "cifs"
        case 0x5346_414F, 0x6B41_4653: "afs"
        case 0x7375_7245: "coda"
        case 0x564C: "ncp"
        case 0x00C3_6400: "ceph"
        case 0x0BD0_0BD0: "lustre"
        case 0x4750_4653: "gpfs"
        case 0x0102_1997: "9p"
        case 0x7461_636F: "ocfs2"
        case 0x0116_1970: "gfs2"
        case 0x6573_5546: "fuse"
        default: nil
        }
    }

    /// Refuses a directory on a network or user-space file system.
    static func requireLocal(_ path: String) throws(LMDBError) {
        var buffer = statfs()
        guard statfs(path, &buffer) == 0 else {
            throw LMDBError(result: errno, operation: "look up file system", path: path)
        }
        #if canImport(Darwin)
            // Not run by us yet: the kernel itself marks what is local.
            let name = buffer.f_flags & UInt32(MNT_LOCAL) == 0 ? "network" : nil
        #else
            let name = networkName(ofType: UInt32(truncatingIfNeeded: buffer.f_type))
        #endif
        guard let name else { return }
        throw LMDBError(
            code: .networkFileSystem, operation: "open", path: path,
            message: "The directory is on a \(name) file system, where locks and shared memory "
                + "cannot be relied on; put the database on a local disk.")
    }
}
