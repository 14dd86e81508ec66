package import Foundation

/// The files under `Fixtures`, found from where this source file lies.
package enum Fixture {
    /// The folder that holds `Package.swift`.
    package static let packageRoot: URL = root(ofPackageWith: #filePath)

    /// The address of a fixture, named by its path below `Fixtures`.
    ///
    /// - Parameter path: For example `Documents/cities.ndjson`.
    /// - Returns: A file address; whether the file is there is not looked at.
    package static func url(_ path: String) -> URL {
        packageRoot.appendingPathComponent("Fixtures").appendingPathComponent(path)
    }

    /// The bytes of a fixture.
    ///
    /// - Throws: What Foundation throws when the file is not there or cannot be read.
    package static func data(_ path: String) throws -> Data {
        try Data(contentsOf: url(path), options: .mappedIfSafe)
    }

    /// The lines of a fixture that are not empty, without their ends.
    ///
    /// - Throws: What Foundation throws when the file is not there or cannot be read.
    package static func lines(_ path: String) throws -> [Data] {
        try data(path).split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    /// Three folders above a file in `Tests/<Target>` stands the package.
    private static func root(ofPackageWith file: String) -> URL {
        URL(fileURLWithPath: file)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }
}
