import Settle

/// Merges two descendants of one document, member by member.
package enum ThreeWayMerge {
    /// Which side has its way where both changed one member.
    package enum Preference: Sendable {
        case local, server
    }

    /// The members of the merged document.
    ///
    /// - Parameters:
    ///   - base: The members both come from; empty when there is no common document.
    ///   - local: The members here.
    ///   - server: The members on the remote.
    ///   - preference: The side that wins where both changed one member differently.
    /// - Returns: Each member as the side that changed it has it.
    package static func members(
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

    private static func attachments(_ members: [String: JSONValue]) -> [String: JSONValue] {
        guard case .object(let attachments)? = members[AttachmentMember.name] else { return [:] }
        return attachments
    }

    /// What a conflict becomes.
    static func resolution(of conflict: ReplicationConflict) -> ConflictResolution {
        switch (conflict.local, conflict.server) {
        case (let local?, let server?):
            let carries = conflict.seen.carriesAttachments
            let preference: Preference = conflict.isLocalLater ? .local : .server
            let base = conflict.base?.members(withAttachments: carries) ?? [:]
            var (here, there) = (
                local.members(withAttachments: carries), server.members(withAttachments: carries)
            )
            var merged = members(base: base, local: here, server: there, preferring: preference)
            if carries {
                // Each attachment by itself, so that two added on two devices are both kept.
                (here, there) = (attachments(here), attachments(there))
                merged[AttachmentMember.name] = .object(
                    members(
                        base: attachments(base), local: here, server: there,
                        preferring: preference))
            }
            var document = Document(id: conflict.documentId, members: merged)
            // The content of what is here need not be fetched.
            document.attachments = document.attachments.map { attachment in
                local.attachments.first { $0 == attachment } ?? attachment
            }
            return .use(document)
        case (.some, nil): return .useLocal
        case (nil, _): return .useServer
        }
    }
}
