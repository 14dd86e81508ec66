import Settle

extension Backend {
    /// Carries out an operation after the content of its attachments has been brought there.
    ///
    /// Content that is not here is left out: the far side has it, or refuses the operation.
    func send(
        _ operation: RemoteOperation, with attachments: [DocumentAttachment]
    ) async throws(ReplicationError) -> RemoteOutcome {
        for attachment in attachments {
            let isAvailable: Bool
            do {
                isAvailable = try attachment.isContentAvailable
            } catch {
                throw ReplicationError(unexpected: error)
            }
            guard isAvailable else { continue }
            switch try await upload(attachment) {
            case .stored: continue
            case .rejected(let reason):
                return .rejected(
                    reason: "Its attachment '\(attachment.name)' is refused: \(reason)")
            }
        }
        return try await send(operation).describingAttachments(carriesAttachments)
    }

    /// A page whose items all describe their attachments, where items have any.
    func page(
        of query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> PullPage {
        try await pull(
            query, after: token, itemCountMax: itemCountMax, isFirstPage: isFirstPage
        ).describingAttachments(carriesAttachments)
    }

    /// A page of a listing whose items all describe their attachments, where items have any.
    func listedPage(
        of query: PullQuery, after token: PullToken?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage? {
        try await list(query, after: token, itemCountMax: itemCountMax)?
            .describingAttachments(carriesAttachments)
    }
}

// An item without the member has no attachments; one that says so is told from one of a far side
// that has none at all.

extension RemoteItem {
    fileprivate func describingAttachments() -> RemoteItem {
        guard members[AttachmentMember.name] == nil else { return self }
        var item = self
        item.members[AttachmentMember.name] = [:]
        return item
    }
}

extension PullPage {
    fileprivate func describingAttachments(_ isTrue: Bool) -> PullPage {
        guard isTrue else { return self }
        var page = self
        page.items = items.map { $0.describingAttachments() }
        return page
    }
}

extension RemoteOutcome {
    fileprivate func describingAttachments(_ isTrue: Bool) -> RemoteOutcome {
        guard isTrue else { return self }
        return switch self {
        case .stored(let item): .stored(item.describingAttachments())
        case .conflict(let item?): .conflict(item.describingAttachments())
        case .deleted, .conflict(nil), .rejected: self
        }
    }
}
