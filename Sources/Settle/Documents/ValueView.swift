public import SettleDocuments

/// A JSON value in place, in the database: zero-copy.
///
/// It is good inside the closure it was handed to, and the compiler sees to it. Nothing is made of it
/// but what is asked for. Every accessor gives nil when the value is something else, and throws
/// ``DatabaseError`` with `corrupted` at damage.
public struct ValueView: ~Escapable {
    private let view: PackedView

    @_lifetime(copy view)
    init(_ view: PackedView) {
        self.view = view
    }

    /// The value as the layer below reads it.
    var packed: PackedView {
        @_lifetime(copy self) get { view }
    }

    /// The string.
    public var string: String? {
        get throws { try Self.translating { () throws(PackedError) in try view.string } }
    }

    /// The integer; a double that is a whole number counts.
    public var integer: Int64? {
        get throws { try Self.translating { () throws(PackedError) in try view.integer } }
    }

    /// The number, rounded to a double.
    public var double: Double? {
        get throws { try Self.translating { () throws(PackedError) in try view.double } }
    }

    /// The boolean.
    public var bool: Bool? {
        get throws { try Self.translating { () throws(PackedError) in try view.bool } }
    }

    /// Whether it is null.
    public var isNull: Bool {
        get throws { try Self.translating { () throws(PackedError) in try view.isNull } }
    }

    /// The whole value as a tree.
    public var json: JSONValue {
        get throws { try Self.translating { () throws(PackedError) in try view.value() } }
    }

    /// The number of elements of an array.
    ///
    /// - Complexity: O(n) for n elements.
    public var elementCount: Int? {
        get throws { try Self.translating { () throws(PackedError) in try view.elementCount } }
    }

    /// The element of an array at a place, from 0; nil when there are fewer.
    ///
    /// - Complexity: O(n) for an element at place n.
    @_lifetime(copy self)
    public func element(_ place: Int) throws -> ValueView? {
        do throws(PackedError) {
            guard let element = try view.element(place) else { return nil }
            return ValueView(element)
        } catch {
            throw DatabaseError(error, documentId: nil)
        }
    }

    /// The member of an object; nil when it is absent.
    ///
    /// Names are compared by their UTF-8 bytes.
    ///
    /// - Complexity: O(log n) for n members.
    @_lifetime(copy self)
    public func member(_ name: String) throws -> ValueView? {
        do throws(PackedError) {
            guard let member = try view.member(name) else { return nil }
            return ValueView(member)
        } catch {
            throw DatabaseError(error, documentId: nil)
        }
    }

    private static func translating<Value>(
        _ body: () throws(PackedError) -> Value
    ) throws(DatabaseError) -> Value {
        do throws(PackedError) {
            return try body()
        } catch {
            throw DatabaseError(error, documentId: nil)
        }
    }
}
