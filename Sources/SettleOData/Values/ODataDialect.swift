/// Which version of OData a text is written in.
///
/// Each dialect also takes the words of the other; they differ only where one text means two
/// things:
///
/// | | version 3 | version 4 |
/// | --- | --- | --- |
/// | `round(2.5)` | 3, halves away from zero | 2, halves to the even neighbour |
/// | `abcdef01-2345-6789-abcd-ef0123456789` | a member | a guid |
///
/// > Source: OData version 3.0, "URI Conventions"; OData version 4.01, Part 2. Rounding: what the
/// > servers of the table protocol of version 2 and of Microsoft's later ones answer.
package enum ODataDialect: Sendable, Hashable, CaseIterable {
    /// Spoken by clients of the table protocol of versions 1 and 2.
    case version3
    /// Spoken by clients of the table protocol of version 3.
    case version4
}
