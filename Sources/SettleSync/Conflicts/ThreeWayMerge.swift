import Settle

/// Merges two descendants of one document, member by member.
enum ThreeWayMerge {
    /// Which side has its way where both changed one member.
    enum Preference: Sendable {
        case local, server
    }

    /// The members of the merged document.
    ///
    /// - Parameters:
    ///   - base: The members both come from; empty when there is no common document.
    ///   - local: The members here.
    ///   - server: The members on the far side.
    ///   - preference: The side that wins where both changed one member differently.
    /// - Returns: Each member as the side that changed it has it.
    static func members(
        base: [String: JSONValue], local: [String: JSONValue], server: [String: JSONValue],
        preferring preference: Preference
    ) -> [String: JSONValue] {
        var merged: [String: JSONValue] = [:]
        for name in Set(base.keys).union(local.keys).union(server.keys) {
            let (before, here, there) = (base[name], local[name], server[name])
            if here == there || there == before {
                merged[name] = here
            } else if here == before {
                merged[name] = there
            } else {
                merged[name] = preference == .local ? here : there
            }
        }
        return merged
    }

    /// What a conflict becomes.
    static func resolution(of conflict: ReplicationConflict) -> ConflictResolution {
        switch (conflict.local, conflict.server) {
        case (let local?, let server?):
            let members = members(
                base: conflict.base?.members ?? [:], local: local.members,
                server: server.members, preferring: conflict.isLocalLater ? .local : .server)
            return .use(Document(id: conflict.documentId, members: members))
        case (.some, nil): return .useLocal
        case (nil, _): return .useServer
        }
    }
}
