import Foundation

/// A program or library that was built beside these tests.
enum BuiltFile {
    struct NotBuilt: Error, CustomStringConvertible {
        let description: String
    }

    /// The program that writes and is killed.
    static func child() throws -> URL { try find("StoreChild") }

    static func find(_ name: String) throws -> URL {
        let folders = ([Bundle.main.executablePath ?? ""] + CommandLine.arguments).map { path in
            // On Apple systems the tests are in a bundle, three folders below the products.
            let end = path.range(of: ".xctest")?.upperBound ?? path.endIndex
            return URL(fileURLWithPath: String(path[..<end])).deletingLastPathComponent()
        }
        let places = folders.map { $0.appendingPathComponent(name) }
        for place in places where FileManager.default.fileExists(atPath: place.path) {
            return place
        }
        throw NotBuilt(description: "\(name) was not built; looked at \(places.map(\.path)).")
    }
}
