import Foundation

/// Where and with what it is measured: what must stand beside figures.
enum Surroundings {
    /// A few lines for the head of the table.
    static func text(_ bench: Bench, folder: URL) throws -> String {
        let documents = bench.documents
        let mean = documents.byteCount / max(1, documents.count)
        return """
            Settle beside its peers, \(Date().formatted(.iso8601))
            documents    \(documents.count) of \(mean) bytes of JSON on average, amounts \
            \(documents.scanSums.amounts)
            repetitions  \(bench.size.repetitions) (\(bench.size.durableRepetitions) where every \
            insert is flushed), engines in turn; a row is the middle ratio, with its two figures
            versions     Swift \(swiftVersion()), LMDB \(FloorPeer.version), SQLite \
            \(try GRDBPeer.sqliteVersion()), GRDB \(GRDBPeer.version)
            machine      \(ProcessInfo.processInfo.activeProcessorCount) processors, load \
            \(load()), \(fileSystem(of: folder)) at \(folder.path)
            flushes      for each commit; for each insert in single-durable-16, where commits are \
            shared

            """
    }

    /// A sentence for file systems that keep nothing; nil for others.
    static func warning(folder: URL) -> String? {
        guard ["tmpfs", "ramfs"].contains(fileSystem(of: folder)) else { return nil }
        return "\(folder.path) lies in memory, where a flush costs nothing: give a folder on a "
            + "disk with --folder, or do not believe the durable cases."
    }

    private static func load() -> String {
        var averages = [0.0, 0, 0]
        guard getloadavg(&averages, 3) == 3 else { return "unknown" }
        return averages.map { String(format: "%.2f", $0) }.joined(separator: " ")
    }

    /// The kind of file system, as the system calls it.
    private static func fileSystem(of folder: URL) -> String {
        let path = folder.resolvingSymlinksInPath().path + "/"
        guard let mounts = try? String(contentsOfFile: "/proc/mounts", encoding: .utf8) else {
            return "file system unknown"
        }
        let kinds = mounts.split(separator: "\n").compactMap { line -> (Int, String)? in
            let fields = line.split(separator: " ")
            guard fields.count > 2 else { return nil }
            let place = fields[1] == "/" ? "/" : fields[1] + "/"
            return path.hasPrefix(place) ? (place.count, String(fields[2])) : nil
        }
        return kinds.max { $0.0 < $1.0 }?.1 ?? "file system unknown"
    }

    /// What the compiler in the path says; it is the one that `swift run` took.
    private static func swiftVersion() -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "--version"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil,
            let data = try? output.fileHandleForReading.readToEnd()
        else { return "unknown" }
        process.waitUntilExit()
        let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let place = words.firstIndex(of: "version").map { $0 + 1 }
        return place.flatMap { $0 < words.count ? String(words[$0]) : nil } ?? "unknown"
    }
}
