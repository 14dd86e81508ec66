public import SettleDocuments

/// The name of a member that is read from many documents in place.
///
/// It remembers where the last document had the member. Documents of one kind mostly have the same
/// members, and then finding one takes one comparison, where a `String` takes a search. Make it
/// once, before the walk:
///
/// ```swift
/// let amount = MemberName("amount")
/// let total = try database.read { snapshot in
///     var total: Int64 = 0
///     try snapshot.forEachView { view in
///         total += try view.integer(amount) ?? 0
///         return true
///     }
///     return total
/// }
/// ```
///
/// What is found is the same as with a `String`. Any number of threads may use one at once. Cost: two
/// allocations to make it, none to use it.
public struct MemberName: Sendable {
    let prepared: PreparedName

    /// A name, compared by its UTF-8 bytes.
    public init(_ name: String) {
        prepared = PreparedName(name)
    }
}

extension DocumentView {
    /// The string of that name; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func string(_ name: MemberName) throws -> String? {
        try translating { () throws(PackedError) in try packed.member(name.prepared)?.string }
    }

    /// The integer of that name; nil when it is absent or something else.
    ///
    /// A double that is a whole number counts.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func integer(_ name: MemberName) throws -> Int64? {
        try translating { () throws(PackedError) in try packed.member(name.prepared)?.integer }
    }

    /// The number of that name; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func double(_ name: MemberName) throws -> Double? {
        try translating { () throws(PackedError) in try packed.member(name.prepared)?.double }
    }

    /// The boolean of that name; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func bool(_ name: MemberName) throws -> Bool? {
        try translating { () throws(PackedError) in try packed.member(name.prepared)?.bool }
    }

    /// The value of that name as a tree; nil when it is absent.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func json(_ name: MemberName) throws -> JSONValue? {
        try translating { () throws(PackedError) in try packed.member(name.prepared)?.value() }
    }

    /// The member of that name in place; nil when it is absent.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    @_lifetime(copy self)
    public func member(_ name: MemberName) throws -> ValueView? {
        do throws(PackedError) {
            guard let member = try packed.member(name.prepared) else { return nil }
            return ValueView(member)
        } catch {
            throw DatabaseError(error, documentId: try? id)
        }
    }
}

extension ValueView {
    /// The member of an object; nil when it is absent.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    @_lifetime(copy self)
    public func member(_ name: MemberName) throws -> ValueView? {
        do throws(PackedError) {
            guard let member = try packed.member(name.prepared) else { return nil }
            return ValueView(member)
        } catch {
            throw DatabaseError(error, documentId: nil)
        }
    }
}
