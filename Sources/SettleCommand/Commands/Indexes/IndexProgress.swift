import Settle

/// Shows how far the building of an index is.
enum IndexProgress {
    /// What is told of the progress.
    typealias Report = @Sendable (MaintenanceProgress) -> Void

    /// Runs what may take long because rows have to be made, and shows how far it is.
    ///
    /// - Throws: What `work` throws; `CancellationError` when the command is interrupted.
    static func shown(
        _ work: @escaping @Sendable (_ report: @escaping Report) async throws -> Void
    ) async throws {
        let progress = Progress("Indexing", counting: "documents")
        defer { progress.end() }
        try await Interruption.waiting { try await work { progress.update($0) } }
    }
}
