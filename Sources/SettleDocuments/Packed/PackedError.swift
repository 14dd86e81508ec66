/// Why a value cannot be packed, or why stored bytes are no packed value.
package struct PackedError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of mistake.
    package enum Reason: Sendable, Hashable {
        /// The bytes end, or the room a container gives its content ends, inside a value.
        case truncated
        /// Something follows the value inside the room that should hold it alone.
        case trailingBytes
        /// The first byte of a value is not one the format knows.
        case unknownTag
        /// The value is legible but not written in the one way the format allows.
        case notCanonical
        /// The bytes of a string are not UTF-8.
        case invalidUTF8
        /// A member's name is no string.
        case nameIsNoString
        /// The names of an object's members do not ascend.
        case namesOutOfOrder
        /// Two names of one object are canonically equivalent in Unicode.
        case duplicateName
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep
        /// The packed form would have more bytes than the limit.
        case tooLarge
        /// A double is NaN or infinite, which JSON cannot say.
        case notFinite
    }

    /// The kind of mistake.
    package let reason: Reason

    /// Where in the packed bytes it was noticed; 0 when a value was being packed.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int = 0) {
        self.reason = reason
        self.offset = offset
    }

    /// A sentence that says what is wrong; it quotes nothing of the document.
    package var description: String {
        switch reason {
        case .truncated: "The packed document is cut short at byte \(offset)."
        case .trailingBytes: "The packed document has stray bytes at byte \(offset)."
        case .unknownTag: "The packed document has an unknown tag at byte \(offset)."
        case .notCanonical:
            "The packed document has a value that is not in canonical form at byte \(offset)."
        case .invalidUTF8: "The packed document has a string that is not UTF-8 at byte \(offset)."
        case .nameIsNoString:
            "The packed document has a member whose name is no string at byte \(offset)."
        case .namesOutOfOrder:
            "The packed document has members out of order at byte \(offset)."
        case .duplicateName:
            "An object has two members whose names are canonically equivalent in Unicode; "
                + "rename one of them."
        case .tooDeep: "Arrays and objects are nested deeper than the limit; flatten the document."
        case .tooLarge: "The document has more bytes than the limit; split it into several."
        case .notFinite:
            "A number is NaN or infinite, which JSON cannot say; use null or a string instead."
        }
    }
}
