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
                return [.success(try await send(claimed[0]))]
            }
            let results = try await send(claimed.map(\.operation))
            guard results.count == claimed.count else {
                throw ReplicationError(
                    .protocolViolation,
                    "The back-end gave \(results.count) results for \(claimed.count) operations.")
            }
            return zip(results, claimed).map { result, claimed in
                result.map { $0.describingAttachments(claimed.describesAttachments) }
            }
        } catch {
            return claimed.map { _ in .failure(error) }
        }
    }

    /// Carries out an operation after the content of its attachments has been brought there.
    ///
    /// Content that is not here is left out: the remote has it, or refuses the operation.
    private func send(
        _ claimed: ClaimedOperation
    ) async throws(ReplicationError) -> RemoteOutcome {
        let (operation, attachments) = (claimed.operation, claimed.attachments)
        if let rejection = try await upload(attachments) { return rejection }
        var outcome = try await send(operation)
        if case .rejected = outcome, !attachments.isEmpty {
            // The remote may have forgotten the content since, when it was started anew.
            if let rejection = try await upload(attachments) { return rejection }
            outcome = try await send(operation)
        }
        return outcome.describingAttachments(claimed.describesAttachments)
    }

    /// Brings content to the remote; what becomes of the operation when it takes one not.
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
