import HTTPTypes
import Settle

/// Which ids an item may have.
///
/// Any id that a Settle document may have and a URL can carry: 1 to 255 bytes of UTF-8, not
/// beginning with `_`, no control characters, not `.` or `..`, which clients resolve away, and not
/// `changes`, where the changes of the table are.
/// The old servers also forbade `" + ? / \` and the backtick; here they only have to be
/// percent-encoded in the path.
enum ItemIdentifier {
    /// Checks an id that came in a path or a body.
    ///
    /// - Throws: ``Problem`` 400 saying what is wrong with it.
    static func check(_ id: String) throws(Problem) {
        if let fault = fault(of: id) {
            throw Problem(.badRequest, "The id cannot be used: \(fault).")
        }
    }

    private static func fault(of id: String) -> String? {
        if id.isEmpty { return "it is empty" }
        if id.utf8.count > 255 { return "it has more than 255 bytes" }
        if id.hasPrefix("_") { return "it begins with '_'" }
        if id == "." || id == ".." { return "'.' and '..' mean directories in a URL" }
        if id == "changes" { return "the changes of the table have this path" }
        if id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "it has control characters"
        }
        return nil
    }
}
