import Dispatch
import Settle

extension ReplicationCenter {
    /// Tells the streams and the status delegate.
    func report(
        _ event: ReplicationEvent, of configuration: ReplicationConfiguration,
        with remote: String?, in database: Database
    ) {
        publish(ReplicationReport(remote: remote, details: configuration, event: event))
        guard statusDelegate != nil else { return }
        // The delegate is looked up when its turn comes, so that one that is gone is not called.
        delegateQueue.async { [self] in
            guard let delegate = statusDelegate else { return }
            switch event {
            case .sending(let sent, let total):
                delegate.database(
                    database, replicationIsSending: configuration, sent: sent, totalToSend: total)
            case .receiving(let received, let total):
                delegate.database(
                    database, replicationIsReceiving: configuration, received: received,
                    totalToReceive: total)
            case .completed:
                delegate.database(database, replicationDidComplete: configuration)
            case .failed(let error):
                delegate.database(database, replicationFailed: configuration, error: error)
            case .started, .conflict, .conflictHandlerFailed, .rejected, .setAside, .stopped:
                break
            }
        }
    }
}

extension RunningReplication {
    /// Asks the filter delegate on its queue; nil when there is none.
    var filter: PushQueue.Filter? {
        guard center.filterDelegate != nil else { return nil }
        return { [center, database, configuration] documents in
            await withCheckedContinuation { continuation in
                center.delegateQueue.async {
                    let delegate = center.filterDelegate
                    let answers = documents.map { document in
                        delegate?.database(
                            database, shouldSendDocument: document,
                            filterParameters: configuration.filterParameters) ?? true
                    }
                    continuation.resume(returning: answers)
                }
            }
        }
    }
}
