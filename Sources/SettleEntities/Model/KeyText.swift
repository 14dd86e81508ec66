import Foundation

extension String {
    /// The text as the key of a property: in the composed form (NFC), so that each key has one spelling.
    ///
    /// Keys are members of JSON objects and looked up by their bytes, while strings, and objects in memory, take canonically
    /// equivalent names for one.
    ///
    /// > Source: Unicode Standard Annex #15.
    ///
    /// - Complexity: O(n); nothing is copied where the text is ASCII.
    var asKey: String {
        isASCIIOnly ? self : precomposedStringWithCanonicalMapping
    }

    /// Whether there is only one spelling of the text.
    var isASCIIOnly: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
