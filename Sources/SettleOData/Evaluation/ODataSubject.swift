/// What a filter is asked about.
package protocol ODataSubject {
    /// The value a path of members leads to, null when there is none.
    ///
    /// - Parameter path: At least one name.
    /// - Returns: The value.
    func value(at path: [String]) -> ODataValue
}
