import HTTPTypes
import SettleDocuments
import SettleREST
import SettleSync
import Synchronization

/// What a test does to the way between a client and the model.
final class TestLine: Sendable {
    private struct State {
        var isDown = false
        var hidesDocumentsOfBatches = false
    }

    private let state = Mutex(State())

    /// Whether no connection comes about, so that nothing is sent.
    var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// Whether the results of batches come without the documents.
    var hidesDocumentsOfBatches: Bool {
        get { state.withLock { $0.hidesDocumentsOfBatches } }
        set { state.withLock { $0.hidesDocumentsOfBatches = newValue } }
    }

    func checkConnection() throws(ReplicationError) {
        if isDown {
            throw ReplicationError.noAnswer(
                .refused, host: "contoso", cause: CancellationError())
        }
    }

    /// The response to a request as it comes through.
    func changed(_ response: FullHTTPResponse, to request: HTTPRequest) -> FullHTTPResponse {
        let isBatch = HTTPField.Name("x-ms-cosmos-is-batch-request").map {
            request.headerFields[$0] != nil
        }
        guard isBatch == true, hidesDocumentsOfBatches,
            let results = (try? JSONText.value(from: response.body))?.arrayValue
        else { return response }
        let shown = results.map { result -> JSONValue in
            var result = result
            result["resourceBody"] = nil
            return result
        }
        return FullHTTPResponse(head: response.head, body: JSONText.text(of: .array(shown)))
    }
}
