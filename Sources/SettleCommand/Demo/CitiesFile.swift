import Foundation

/// Where the demo's documents are.
enum CitiesFile {
    /// The path of the file to import.
    ///
    /// - Parameter given: What `--cities` named; nil looks into the package this was built from.
    /// - Returns: The path of a file.
    /// - Throws: ``CommandFailure`` when it is not there.
    static func path(given: String?) throws -> String {
        if let given { return given }
        let path = packageRoot(of: #filePath)
            .appendingPathComponent("Fixtures/Documents/cities.ndjson").path
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                "The demo's cities are not at \(path). They lie in the source package under "
                    + "Fixtures/Documents/cities.ndjson; name the file with --cities.")
        }
        return path
    }

    /// The folder of Package.swift, four steps above this file.
    private static func packageRoot(of file: String) -> URL {
        var url = URL(fileURLWithPath: file)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url
    }
}
