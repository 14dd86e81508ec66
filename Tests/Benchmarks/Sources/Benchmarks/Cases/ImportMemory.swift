import Foundation

/// The memory that an import takes at most, of many documents beside a tenth of them.
///
/// Each import runs in a process of its own, which has nothing else in its memory.
enum ImportMemory: BenchmarkCase {
    static let name = "import-memory"
    static let summary = "peak memory of an import, ten times the documents"

    private static let small = "small"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let counts = bench.size.importCounts
        return try await bench.scratch.withFolder { folder in
            let smallFile = folder.appendingPathComponent("small.ndjson")
            let largeFile = folder.appendingPathComponent("large.ndjson")
            let smallSums = try write(counts.small, to: smallFile)
            let largeSums = try write(counts.large, to: largeFile)
            var resident: [String: Int] = [:]
            func peak(_ file: URL, _ sums: FieldSums, _ name: String) async throws -> Outcome {
                let peak = try await bench.scratch.withFolder { folder in
                    try ImportProcess.run(file: file, folder: folder, expecting: sums)
                }
                resident[name] = peak.resident
                return Outcome(value: Double(peak.anonymous))
            }
            let contest = try await Contest(
                [
                    Contender(name: SettlePeer.name) {
                        try await peak(largeFile, largeSums, SettlePeer.name)
                    },
                    Contender(name: small) { try await peak(smallFile, smallSums, small) },
                ], repetitions: bench.size.importRepetitions)
            let mapped = [SettlePeer.name, small].map { (resident[$0] ?? 0) >> 20 }
            return [
                Comparison(
                    name, peer: "self", unit: "bytes", isHigherBetter: false,
                    // The same, but for what the allocator keeps.
                    target: .atMost(1.1), settle: contest[SettlePeer.name], peer: contest[small],
                    remark: "\(counts.large) documents beside \(counts.small); with the cached "
                        + "pages of the file \(mapped[0]) MiB beside \(mapped[1]) MiB")
            ]
        }
    }

    /// Writes the first documents of the generator, and tells what is in them.
    private static func write(_ count: Int, to file: URL) throws -> FieldSums {
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw BenchmarkError("The file \(file.path) cannot be made.")
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var generator = DocumentGenerator()
        var sums = FieldSums()
        var lines = Data()
        for number in 0..<count {
            let document = generator.document(number)
            sums.addScanned(document.facts)
            lines += document.text
            lines.append(UInt8(ascii: "\n"))
            if lines.count > 1 << 20 {
                try handle.write(contentsOf: lines)
                lines.removeAll(keepingCapacity: true)
            }
        }
        try handle.write(contentsOf: lines)
        return sums
    }
}
