/// Which names an attachment may have: those that a path of a URL can carry.
package enum AttachmentName {
    private static let bytesMax = 1000

    /// Checks a name that came in a path or a body.
    ///
    /// - Throws: ``TableFault`` with the rule.
    package static func check(_ name: String) throws(TableFault) {
        guard (1...bytesMax).contains(name.utf8.count), name != ".", name != "..",
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw TableFault(
                "The name of an attachment has 1 to \(bytesMax) bytes and no control characters, "
                    + "and is not '.' or '..'.")
        }
    }
}
