extension Cosmos {
    /// Which ids a resource may be created with.
    enum IdentifierRule {
        /// The most bytes of an id.
        static let lengthMax = 255

        /// Why no resource can be created with an id; nil when one can.
        ///
        /// What the service has under an odd id can still be read and deleted, so this is not asked then.
        ///
        /// - Returns: A phrase that continues "The id …".
        static func fault(of id: String) -> String? {
            if id.isEmpty { return "is empty" }
            if id.utf8.count > lengthMax {
                return "has \(id.utf8.count) bytes, and \(lengthMax) are allowed"
            }
            for scalar in id.unicodeScalars {
                switch scalar {
                case "/", "\\", "?", "#": return "has the character '\(scalar)'"
                case _ where scalar.properties.isWhitespace: return "has a space or a line end"
                case _ where scalar.properties.generalCategory == .control:
                    return "has a control character"
                default: continue
                }
            }
            return nil
        }

        /// Refuses an id that no resource can be created with.
        ///
        /// - Throws: ``ClientError`` with `invalidId`.
        static func check(_ id: String, of type: ResourceType) throws(ClientError) {
            guard let fault = fault(of: id) else { return }
            throw ClientError(
                .invalidId,
                "A \(type.noun) cannot be created: its id \(fault). Use 1 to \(lengthMax) bytes "
                    + "without spaces and without / \\ ? #.")
        }
    }
}
