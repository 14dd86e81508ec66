// What a failure says of the request that met it.

extension Cosmos.ClientError {
    /// Whether it is certain that the request was not carried out: nothing was sent, or the service has refused it.
    var leavesNothing: Bool {
        if followsDoubt { return false }
        if isUnsent { return true }
        if let statusCode { return (400..<500).contains(statusCode) && kind != .requestTimeout }
        return kind == .permissionError || kind == .configureError
    }

    /// Whether the collection may be another one than the one that was seen under its name: a replica that never gets
    /// as far as the session, or a name that stands for nothing any more.
    var mayMeanAnotherCollection: Bool {
        (kind == .notFound && subStatus == 1002) || (kind == .gone && subStatus == 1000)
    }

    /// Whether the service refuses it for a reason that has nothing to do with what is written, and may go away: a token
    /// that is expired or does not cover it, clocks that differ, a region that takes no writes, a quota or a partition
    /// that is full (403), a lock (423).
    var isAboutAccess: Bool {
        kind == .forbidden || (kind == .entityTooLarge && statusCode == 403)
    }

    /// Whether there is no such resource: not when a replica only lags behind the session.
    var isAbsence: Bool { kind == .notFound && subStatus != 1002 }
}
