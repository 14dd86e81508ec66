import Foundation

/// Where a platform keeps the data of applications.
enum PlatformLocation {
    /// The default directory for databases.
    static var applicationData: URL {
        #if canImport(Darwin)
            // Not run by us yet: Settle is built and tested on Linux.
            let directory =
                FileManager.default.urls(
                    for: .applicationSupportDirectory, in: .userDomainMask
                ).first ?? URL(fileURLWithPath: NSHomeDirectory())
        #else
            let environment = ProcessInfo.processInfo.environment
            let directory =
                environment["XDG_DATA_HOME"].flatMap { path in
                    // The XDG specification has relative paths ignored.
                    path.hasPrefix("/") ? URL(fileURLWithPath: path) : nil
                }
                ?? URL(fileURLWithPath: NSHomeDirectory())
                .appendingPathComponent(".local/share", isDirectory: true)
        #endif
        return directory.appendingPathComponent("Settle", isDirectory: true)
    }
}
