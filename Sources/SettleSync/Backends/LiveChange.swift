/// What a remote said to one who waited for a change.
public struct LiveChange: Sendable, Hashable {
    /// Whether something changed; false when nothing did for as long as the remote cares to wait.
    public var isChanged: Bool
    /// Up to where that is known, in the back-end's own words.
    public var cursor: String

    /// An answer.
    public init(isChanged: Bool, cursor: String) {
        self.isChanged = isChanged
        self.cursor = cursor
    }
}
