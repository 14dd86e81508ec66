extension Stored: CustomStringConvertible {
    /// The model, its identifier and the revision that was read, cut after 400 characters.
    public var description: String {
        "'\(id)' \(revision ?? "not saved") \(String(describing: model).shortened)"
    }
}
