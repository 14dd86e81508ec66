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
        return try await send(operation)
    }
}
