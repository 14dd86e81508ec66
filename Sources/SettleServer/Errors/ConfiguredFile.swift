import Foundation
import Settle

/// Files that a configuration names.
enum ConfiguredFile {
    /// Refuses a URL that names no file of this machine, before anything is read from it.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - what: What it should be, as the beginning of a sentence.
    /// - Throws: ``ServerError`` with `invalidConfiguration`, without what may be secret in the URL.
    static func check(_ url: URL, is what: String) throws(ServerError) {
        guard let fault = FileLocation.fault(of: url) else { return }
        throw ServerError(
            .invalidConfiguration,
            "\(what) '\(FileLocation.text(of: url))' \(fault); give the URL of a file on this machine, "
                + "as URL(fileURLWithPath:) makes it.")
    }
}
