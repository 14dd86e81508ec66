import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Settle

/// How far the build of an index has come, as server-sent events, until it is over.
struct BuildStream: Sendable {
    private let request: PageRequest
    private let name: String
    private let lease: StreamLease

    /// How often it is looked how far the build is.
    private static let beat = Duration.milliseconds(200)

    /// A stream of the index in the address.
    ///
    /// - Throws: ``PageProblem`` 400 when none is named.
    init(_ request: PageRequest, _ lease: StreamLease) throws(PageProblem) {
        self.request = request
        self.lease = lease
        name = try request.required("name")
    }

    /// The response.
    var response: Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                let wakes = Wakes(request.database.commitSignals(), every: Self.beat)
                defer { wakes.end() }
                var last = ""
                do {
                    for await _ in wakes.stream.cancelOnGracefulShutdown() {
                        guard lease.isValid() else { break }
                        let (event, isLast) = try event()
                        if event != last { try await writer.write(ByteBuffer(string: event)) }
                        last = event
                        if isLast { break }
                    }
                } catch let error as DatabaseError where error.code == .databaseClosed {
                    // Nothing more comes, and nothing is wrong.
                }
                try await writer.finish(nil)
            })
    }

    private func event() throws -> (text: String, isLast: Bool) {
        let status = try request.database.indexStatuses().first { $0.name == name }
        if let progress = IndexProgress(of: name, status, request) {
            let members: [String: JSONValue] = [
                "completed": .integer(Int64(progress.completed)),
                "total": .integer(Int64(progress.total)), "text": .string(progress.text),
            ]
            return ("event: progress\ndata: \(JSONValue.object(members).jsonText)\n\n", false)
        }
        let failure = request.jobs.failure(of: IndexListPage.jobName(name, request.database))
        let text =
            if let failure {
                "It could not be built: \(VisibleText.beginning(of: failure))"
            } else if let status, status.isBuilt {
                "Built, with \(Amounts.count(status.rowCount, "row"))."
            } else {
                "There is no build."
            }
        return ("event: end\ndata: \(JSONValue.object(["text": .string(text)]).jsonText)\n\n", true)
    }
}
