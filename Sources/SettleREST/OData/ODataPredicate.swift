import SettleOData
public import SettleSync

/// A condition on the rows of a table, which the server decides.
///
/// Built from columns, values and operators, and written as an OData text for either version of
/// the language:
///
/// ```swift
/// let predicate: ODataPredicate =
///     .field("population") > 1000 && .field("country") == "DE" || .field("name").startsWith("Gar")
/// try predicate.text(for: .v3)
/// // population gt 1000 and country eq 'DE' or startswith(name,'Gar')
/// ```
///
/// Building never fails. What cannot be written is found out when the text is asked for: a column
/// whose name has characters that mean something else in a filter, a number that is none. Nothing
/// that is put in as a name or a value can end up as another part of the text.
///
/// The columns are those of the table, under the names that they have on the server. A member of a
/// document whose name is like that of a system column travels under another one: `version` as
/// `_version`, for example, and `.field("version")` is the column of the table.
///
/// > Source: OData 3.0 and 4.01, "URL Conventions"; the dialects that the servers of Azure Mobile
/// > Apps and Datasync really take.
public struct ODataPredicate: Sendable, Hashable {
    let node: ODataNode

    init(_ node: ODataNode) {
        self.node = node
    }

    /// A condition in the server's own words, for what a user writes, or what has no operator here.
    ///
    /// It is sent as it is to servers of either version; names and values in it are not looked at. Other
    /// conditions may be joined to it.
    ///
    /// - Parameter text: The condition: `population gt 1000`. One that is empty, or whose parentheses
    ///   or quotation marks are not closed, is found out when the text is asked for.
    public init(verbatim text: String) {
        self.init(.verbatim(text))
    }

    /// The condition as text, not yet encoded for a URL.
    ///
    /// - Parameter version: The version of the language that the server reads.
    /// - Returns: The text, with parentheses only where they are needed.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when a column's name is not
    ///   made of letters, digits, `_`, `@` and `-` or would be read as a word or a value of the language; a
    ///   number is infinite or none; a text is no time; a value has no literal in this version;
    ///   a condition in the server's words is empty or not closed; or the condition is nested more
    ///   than 100 levels deep.
    public func text(for version: ODataVersion) throws(ReplicationError) -> String {
        try node.text(for: version)
    }

    /// A column, to begin a condition with; see ``ODataOperand/field(_:)``.
    public static func field(_ path: String) -> ODataExpression {
        ODataExpression(.path(ODataExpression.names(of: path)))
    }

    /// A value in the place of a column, to begin a condition with.
    public static func value(_ value: some ODataOperand) -> ODataExpression {
        value.odata
    }

    /// Both conditions.
    public static func && (left: ODataPredicate, right: ODataPredicate) -> ODataPredicate {
        ODataPredicate(.conjunction([left.node, right.node]))
    }

    /// At least one of both conditions.
    public static func || (left: ODataPredicate, right: ODataPredicate) -> ODataPredicate {
        ODataPredicate(.disjunction([left.node, right.node]))
    }

    /// Not the condition.
    public static prefix func ! (predicate: ODataPredicate) -> ODataPredicate {
        .not(predicate)
    }

    /// Not the condition.
    public static func not(_ predicate: ODataPredicate) -> ODataPredicate {
        ODataPredicate(.not(predicate.node))
    }
}
