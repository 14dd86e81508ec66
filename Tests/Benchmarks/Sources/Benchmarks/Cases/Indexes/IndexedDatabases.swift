import Foundation

/// Filled engines that several cases ask, made when the first one does.
final class IndexedDatabases {
    private let scratch: ScratchFolder
    private var filled: [Int: IndexedPeers] = [:]

    init(in scratch: ScratchFolder) {
        self.scratch = scratch
    }

    /// The engines with the first documents of the generator.
    ///
    /// They are shared: who changes them changes them back.
    func peers(_ count: Int) async throws -> IndexedPeers {
        if let peers = filled[count] { return peers }
        let folder = scratch.url.appendingPathComponent("indexed-\(count)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let peers = try await IndexedPeers(count, in: folder)
        filled[count] = peers
        return peers
    }

    func close() async throws {
        for peers in filled.values { try await peers.close() }
        filled = [:]
    }
}
