import Foundation
import Settle
import SettleOutbox

/// Write the invoice of a visit.
struct WriteInvoice: OutboxOperation {
    static let operationName = "write-invoice"
    var visitId: String
    var path: String { "\(visitId).json" }
}

/// The cloud of another vendor. This one is a folder, and cannot be reached at first.
actor InvoiceCloud {
    struct Unreachable: Error {}

    private let folder: URL
    private(set) var storedCount = 0
    private var isReachable = false

    init(folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func connect() { isReachable = true }

    func put(_ file: Data, to path: String) throws {
        guard isReachable else { throw Unreachable() }
        try file.write(to: folder.appendingPathComponent(path), options: .atomic)
        storedCount += 1
    }

    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
}

/// Invoices of visits, sent to a cloud when it can be reached.
struct InvoiceWriter: PipelineDelegate {
    let database: Database
    let cloud: InvoiceCloud

    func open() async throws -> Outbox {
        let pipeline = PipelineConfiguration(
            retries: RetryPolicy(first: 0.05, longest: 0.2), delegate: self)
        return try await database.openOutbox(
            OutboxConfiguration(operations: [WriteInvoice.self], pipelines: [pipeline]))
    }

    /// Has an invoice written for each visit that is done and has none.
    func request() async throws {
        try await database.write { transaction in
            let finished = try transaction.fetchAll(
                Visit.self, where: \.status == .done && \.invoice == nil)
            for visit in finished {
                let operation = WriteInvoice(visitId: visit.id)
                try transaction.outbox.add(operation, about: [visit.id])
            }
        }
    }

    func start(
        _ operation: QueuedOperation, in pipeline: Pipeline
    ) async throws -> OperationOutcome {
        guard let write = try operation.operation(as: WriteInvoice.self),
            let visit = try await database.fetch(Visit.self, id: write.visitId)
        else { return .skipped() }
        let invoice = ["customer": visit.customer, "minutes": "\(visit.minutes ?? 0)"]
        try await cloud.put(JSONEncoder().encode(invoice), to: write.path)
        return .completed { transaction in
            try transaction.update(Visit.self, id: write.visitId) { $0.invoice = write.path }
        }
    }
}
