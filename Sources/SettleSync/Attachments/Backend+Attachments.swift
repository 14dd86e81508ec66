import Settle

extension Backend {
    /// Carries out operations of one claim; those with attachments come alone.
    ///
    /// - Returns: One result for each.
    func send(
        _ claimed: [ClaimedOperation]
    ) async -> [Result<RemoteOutcome, ReplicationError>] {
        do throws(ReplicationError) {
            if claimed.count == 1 {
                let (operation, attachments) = (claimed[0].operation, claimed[0].attachments)
                return [.success(try await send(operation, with: attachments))]
            }
            let results = try await send(claimed.map(\.operation))
            guard results.count == claimed.count else {
                throw ReplicationError(
                    .protocolViolation,
                    "The back-end gave \(results.count) results for \(claimed.count) operations.")
            }
            return results.map { $0.map { $0.describingAttachments(carriesAttachments) } }
        } catch {
            return claimed.map { _ in .failure(error) }
        }
    }

    /// Carries out an operation after the content of its attachments has been brought there.
    ///
    /// Content that is not here is left out: the far side has it, or refuses the operation.
    func send(
        _ operation: RemoteOperation, with attachments: [DocumentAttachment]
    ) async throws(ReplicationError) -> RemoteOutcome {
        if let refusal = try await upload(attachments) { return refusal }
        var outcome = try await send(operation)
        if case .rejected = outcome, !attachments.isEmpty {
            // The far side may have forgotten the content since, when it was started anew.
            if let refusal = try await upload(attachments) { return refusal }
            outcome = try await send(operation)
        }
        return outcome.describingAttachments(carriesAttachments)
    }

    /// Brings content to the far side; what becomes of the operation when it takes one not.
    private func upload(
        _ attachments: [DocumentAttachment]
    ) async throws(ReplicationError) -> RemoteOutcome? {
        for attachment in attachments {
            guard (try? attachment.isContentAvailable) == true else { continue }
            switch try await upload(attachment) {
            case .stored: continue
            case .rejected(let reason):
                return .rejected(
                    reason: "Its attachment '\(attachment.name)' is refused: \(reason)")
            }
        }
        return nil
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

// Where attachments are carried, an item without the member has none; where they are not, what a
// far side describes is not ours to change, and is not seen.

extension RemoteItem {
    fileprivate func describingAttachments(_ isTrue: Bool) -> RemoteItem {
        let isDescribed = AttachmentMember.attachments(in: members) != nil
        guard isTrue ? members[AttachmentMember.name] == nil : isDescribed else { return self }
        var item = self
        item.members[AttachmentMember.name] = isTrue ? [:] : nil
        return item
    }
}

extension PullPage {
    fileprivate func describingAttachments(_ isTrue: Bool) -> PullPage {
        var page = self
        page.items = items.map { $0.describingAttachments(isTrue) }
        return page
    }
}

extension RemoteOutcome {
    fileprivate func describingAttachments(_ isTrue: Bool) -> RemoteOutcome {
        switch self {
        case .stored(let item): .stored(item.describingAttachments(isTrue))
        case .conflict(let item?): .conflict(item.describingAttachments(isTrue))
        case .deleted, .conflict(nil), .rejected: self
        }
    }
}
