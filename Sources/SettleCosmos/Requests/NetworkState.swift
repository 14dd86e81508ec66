import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Whether there is a network, as far as the app says so.
    final class NetworkState: Sendable {
        private let state = Lock(true)

        var isAvailable: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// Stands before the service, and sends nothing while the app says that there is no network.
    struct NetworkGate: OperationHandler {
        let service: any OperationHandler
        let network: NetworkState

        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            guard network.isAvailable else {
                var error = ClientError(
                    .unreachable,
                    "There is no network to \(operation.subject); the app says so by isNetworkAvailable."
                )
                error.isUnsent = true
                throw error
            }
            return try await service.perform(operation)
        }
    }
}
