import Foundation

/// Tells how far a copy has come by looking at the size of its file, since the engine that makes
/// it says nothing before it is done.
struct GrowthWatch {
    private let file: URL
    private let total: Int
    private let report: @Sendable (MaintenanceProgress) -> Void

    private static let interval = Duration.milliseconds(100)

    /// - Parameters:
    ///   - file: The file that grows.
    ///   - total: The bytes it is expected to get at most.
    ///   - report: Called with the bytes so far and `total`.
    init(
        _ file: URL, total: Int, report: @escaping @Sendable (MaintenanceProgress) -> Void
    ) {
        self.file = file
        self.total = total
        self.report = report
    }

    /// Runs a closure and tells meanwhile how large the file is, and all of it at the end.
    func during<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let watch = Task { [file, total, report] in
            while (try? await Task.sleep(for: Self.interval)) != nil {
                let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
                let size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
                report(MaintenanceProgress(completed: min(size, total), total: total))
            }
        }
        defer { watch.cancel() }
        let value = try await body()
        watch.cancel()
        await watch.value
        report(MaintenanceProgress(completed: total, total: total))
        return value
    }
}
