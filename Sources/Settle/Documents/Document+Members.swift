public import Foundation
public import SettleDocuments

extension Document: ExpressibleByDictionaryLiteral {
    /// A document from a literal.
    ///
    /// The member `"id"` sets the identifier; without it the identifier comes from ``idFactory``.
    /// Of a name that stands twice the last one counts.
    public init(dictionaryLiteral elements: (String, Any?)...) {
        self.init(elements)
    }

    /// A document from a dictionary of values that JSON can express, or dates.
    public init(_ dictionary: [String: Any]) {
        self.init(dictionary.map { ($0.key, $0.value) })
    }

    /// A document from JSON members.
    public init(_ members: [String: JSONValue]) {
        self.init(members.map { ($0.key, $0.value as Any) })
    }

    private init(_ elements: [(String, Any?)]) {
        let hasId = elements.contains { $0.0 == Document.idMember }
        self.init(id: hasId ? "" : Document.idFactory())
        for (name, value) in elements { self[name] = value }
    }
}

extension Document {
    /// The member with a name as an untyped value; nil when there is none.
    ///
    /// Reads `NSNull` for null, `Bool`, `Int`, `Double`, `String`, `[Any]`, `[String: Any]`, and
    /// `Date` for a string that ``dateFormatter`` understands. Takes those, other integer types,
    /// `Float`, `UUID`, `URL`, ``/SettleDocuments/JSONValue``, another document, which becomes an object of its
    /// members and its `"id"`, and whatever can encode itself or has a raw value (`Decimal`, `Data`,
    /// enumerations, structs), in the form in which ``init(encoding:)`` writes it; nil removes the member.
    /// Anything else is refused when the document is saved, with an error that names the member.
    public subscript(name: String) -> Any? {
        get { untyped(name) }
        set {
            do {
                self[json: name] = try DynamicValue.json(newValue)
            } catch let error as DynamicValue.Unsupported {
                reject(name, error.reason)
            } catch {
                reject(name, "a value that cannot be stored")
            }
        }
    }

    /// Every member but the identifier, as untyped values.
    public var properties: [String: Any] {
        json.mapValues { DynamicValue.any($0, dates: Document.dateFormatter) }
    }

    /// The names of the members but the identifier, sorted.
    public var keys: [String] { json.keys.sorted() }

    /// The number of members but the identifier.
    public var count: Int { json.count }

    /// The member as a string, also when it looks like a date; nil when it is not a string.
    public func string(_ name: String) -> String? {
        if case .string(let text)? = self[json: name] { text } else { nil }
    }

    /// The member as an integer; nil when it is not one.
    public func integer(_ name: String) -> Int? {
        if case .integer(let number)? = self[json: name] { Int(number) } else { nil }
    }

    /// The member as a double, also when it is stored as an integer; nil when it is no number.
    public func double(_ name: String) -> Double? {
        switch self[json: name] {
        case .double(let number)?: number
        case .integer(let number)?: Double(number)
        default: nil
        }
    }

    /// The member as a boolean; nil when it is not one.
    public func bool(_ name: String) -> Bool? {
        if case .bool(let flag)? = self[json: name] { flag } else { nil }
    }

    /// The member as a date; nil when it is not a string that ``dateFormatter`` understands.
    public func date(_ name: String) -> Date? {
        string(name).flatMap { Document.dateFormatter.date(from: $0) }
    }
}

extension Document {
    /// A member as a type that can decode and encode itself, as in ``decode(_:)``.
    ///
    /// `Double` takes every number, `Int` every whole one, `Date` the text that ``dateFormatter`` writes.
    /// Reading gives nil when there is no such member, or it is null or something else. Setting nil removes
    /// the member; a value that cannot be encoded, a number that is not finite for example, is refused
    /// when the document is saved, with an error that names the member.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - type: The type.
    public subscript<Value: Codable>(name: String, as type: Value.Type) -> Value? {
        get {
            guard let value = self[json: name], !value.isNull else { return nil }
            return try? value.decode(type)
        }
        set {
            guard let newValue else { return self[json: name] = nil }
            do {
                self[json: name] =
                    try PackedValue(encoding: newValue, leaves: DocumentCodingLeaves()).value()
            } catch {
                reject(name, "a \(type) that cannot be encoded")
            }
        }
    }
}
