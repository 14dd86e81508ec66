import SettleDocuments

extension Database {
    /// How an index orders strings.
    ///
    /// The order of the kinds of values is the same in both: null, false, true, numbers, strings,
    /// arrays, objects.
    public enum IndexCollation: String, Sendable, CaseIterable {
        /// By the Unicode root collation, as CouchDB does: a, A, aa, b.
        ///
        /// Strings that the collation holds equal are one key.
        case unicode
        /// By their UTF-8 bytes, which is faster: A, a, aa, b.
        case raw

        var strings: Collator.Strings {
            switch self {
            case .unicode: .unicode
            case .raw: .raw
            }
        }

        init(_ strings: Collator.Strings) {
            self =
                switch strings {
                case .unicode: .unicode
                case .raw: .raw
                }
        }
    }
}
