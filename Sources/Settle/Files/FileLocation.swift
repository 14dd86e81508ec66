package import Foundation

/// What a URL says about a place in the file system.
package enum FileLocation {
    /// Refuses a URL that does not name a file or directory of this machine.
    ///
    /// - Throws: ``DatabaseError`` with `invalidFileLocation`.
    static func check(_ url: URL) throws(DatabaseError) {
        guard let fault = fault(of: url) else { return }
        throw DatabaseError(
            .invalidFileLocation,
            "'\(text(of: url))' \(fault). Use a file URL with a whole path, as "
                + "URL(fileURLWithPath:) makes it.")
    }

    /// Why a URL does not name a file or directory of this machine, as what follows its text; nil when
    /// it does.
    package static func fault(of url: URL) -> String? {
        guard url.isFileURL else {
            return url.scheme == nil ? "has no scheme" : "is not the URL of a file"
        }
        if let host = url.host, !host.isEmpty, host.lowercased() != "localhost" {
            return "names a file of the server '\(host)'"
        }
        if url.query != nil || url.fragment != nil {
            return "has a part after its path; '?' and '#' in names are written %3F and %23"
        }
        // What cannot be decoded is an empty path.
        guard url.absoluteURL.path.hasPrefix("/") else { return "has no path from the root" }
        let encoded = url.absoluteURL.path(percentEncoded: true).uppercased()
        if encoded.contains("%2F") || encoded.contains("%00") {
            return "has a name with a slash or a NUL"
        }
        return nil
    }

    /// A URL without what may be secret in it.
    package static func text(of url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return url.scheme.map { "\($0):" } ?? ""
        }
        parts.user = nil
        parts.password = nil
        parts.query = nil
        parts.fragment = nil
        return parts.string ?? ""
    }
}
