import SettleDocuments
import SettleIndexing

/// A row of an index in place, in the database: zero-copy.
///
/// For reading many rows, or few in little time, without a value for each key and value. A view is
/// good inside the closure it was handed to, and the compiler sees to it.
public struct QueryRowView: ~Escapable {
    private let index: String
    private let rowKey: Span<UInt8>
    private let emitted: Span<UInt8>
    private let stored: Span<UInt8>

    /// Whether the key is that of the row before, byte by byte, so that it need not be read again.
    public let repeatsKey: Bool

    @_lifetime(copy rowKey, copy emitted, copy stored)
    init(
        of index: String, rowKey: Span<UInt8>, emitted: Span<UInt8>, stored: Span<UInt8>,
        repeatsKey: Bool
    ) {
        self.index = index
        self.rowKey = rowKey
        self.emitted = emitted
        self.stored = stored
        self.repeatsKey = repeatsKey
    }

    /// The document the row was made for.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    /// - Complexity: The bytes of the row's key; the string is made at each call.
    public var documentId: String {
        get throws {
            guard let parts = IndexRowKey.parts(of: rowKey),
                let text = String(validating: rowKey, in: parts.id)
            else {
                throw damage
            }
            return text
        }
    }

    /// The key as it was emitted.
    public var key: ValueView {
        @_lifetime(copy self)
        get { ValueView(PackedView(emitted)) }
    }

    /// Appends the key as JSON text.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`; what was appended until then stays.
    package func appendKeyJSON(to text: inout [UInt8]) throws {
        try append(emitted, to: &text)
    }

    /// Appends the value as JSON text, `null` for none.
    ///
    /// - Throws: As ``appendKeyJSON(to:)``.
    package func appendValueJSON(to text: inout [UInt8]) throws {
        if stored.isEmpty { text += Array("null".utf8) } else { try append(stored, to: &text) }
    }

    private func append(_ packed: Span<UInt8>, to text: inout [UInt8]) throws {
        do {
            try JSONText.text(of: packed, in: 0..<packed.count, to: &text)
        } catch {
            throw damage
        }
    }

    private var damage: DatabaseError {
        DatabaseError(IndexError.corrupted(place: "rows of index '\(index)'"))
    }

    /// The value; null for none.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    package var valueJSON: JSONValue {
        get throws {
            if stored.isEmpty { return .null }
            do {
                return try PackedForm.value(of: stored, in: 0..<stored.count)
            } catch {
                throw damage
            }
        }
    }

    /// The value as it was emitted; nil when the map gave none.
    public var value: ValueView? {
        @_lifetime(copy self)
        get { stored.isEmpty ? nil : ValueView(PackedView(stored)) }
    }
}
