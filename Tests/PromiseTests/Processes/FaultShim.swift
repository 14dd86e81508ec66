#if os(Linux)
    import Foundation
    import TestSupport

    /// The library that lets system calls fail, and records
    /// others, compiled once from `Tests/FaultShim`.
    ///
    /// The package manager builds a library that can be loaded for a product alone, and a product
    /// would be offered to everybody who depends on the package.
    enum FaultShim {
        /// Why there is no library.
        struct NotCompiled: Error, CustomStringConvertible {
            let description: String
        }

        private static let compiled = Result { try compile() }

        /// Where the library lies, beside the tests.
        ///
        /// - Throws: ``NotCompiled`` when there is no C compiler or it fails.
        static func library() throws -> URL { try compiled.get() }

        private static func compile() throws -> URL {
            let sources = ["FaultShim.c", "Recorder.c"].map {
                Fixture.packageRoot.appendingPathComponent("Tests/FaultShim/\($0)").path
            }
            let folder = try BuiltFile.child().deletingLastPathComponent()
            let library = folder.appendingPathComponent("libFaultShim.so")
            // Moved when it is complete: another process may have it loaded.
            let part = folder.appendingPathComponent("libFaultShim-\(UUID().uuidString).so")
            defer { try? FileManager.default.removeItem(at: part) }
            let ending = try ChildProcess.run(
                try compiler(),
                ["-shared", "-fPIC", "-O1", "-Wall", "-Werror"] + sources
                    + ["-ldl", "-pthread", "-o", part.path])
            guard ending == .exited(0) else {
                throw NotCompiled(
                    description: "\(sources) were not compiled: \(ending); the compiler's words "
                        + "stand above.")
            }
            try Data(contentsOf: part).write(to: library, options: .atomic)
            return library
        }

        /// The first C compiler in the path; Swift's toolchain brings clang along.
        private static func compiler() throws -> URL {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
            for name in ["clang", "cc"] {
                for folder in path.split(separator: ":") {
                    let file = "\(folder)/\(name)"
                    if FileManager.default.isExecutableFile(atPath: file) {
                        return URL(fileURLWithPath: file)
                    }
                }
            }
            throw NotCompiled(description: "Neither clang nor cc is in the path \(path).")
        }
    }
#endif
