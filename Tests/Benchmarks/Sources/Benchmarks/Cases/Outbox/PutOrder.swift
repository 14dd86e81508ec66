import SettleOutbox

/// The operation that is queued: what an app stores to upload a document later.
struct PutOrder: OutboxOperation {
    static let operationName = "put-order"

    /// Where it goes.
    var path: String

    /// The operation about a document.
    init(_ identifier: String) {
        path = "/orders/\(identifier)"
    }
}
