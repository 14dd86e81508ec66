import SettleSync

/// Progress lines for a replication: one while it sends, one while it receives.
final class ReplicationProgress: Sendable {
    private let sending = Progress("Sending", counting: "documents")
    private let receiving = Progress("Receiving", counting: "documents")

    /// Draws what an event says.
    func show(_ event: ReplicationEvent) {
        switch event {
        case .sending(let sent, let total):
            sending.update(sent, fraction: Double(sent) / Double(max(total, 1)))
        case .receiving(let received, let total):
            receiving.update(received, fraction: Double(received) / Double(max(total, 1)))
        default: break
        }
    }

    /// Takes the lines away.
    func end() {
        sending.end()
        receiving.end()
    }
}
