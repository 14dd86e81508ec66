import Foundation
import SettleDocuments

/// Translation between JSON values and the untyped values of the closures and subscripts.
enum DynamicValue {
    /// Why a value cannot be stored; a phrase that continues "holds …".
    struct Unsupported: Error {
        let reason: String
    }

    /// The untyped form of a value: `NSNull`, `Bool`, `Int`, `Double`, `String`, `[Any]`,
    /// `[String: Any]`, and, when a formatter is given, `Date` for the strings it understands.
    static func any(_ value: JSONValue, dates: (any DocumentDateFormatter)? = nil) -> Any {
        switch value {
        case .null: NSNull()
        case .bool(let flag): flag
        case .integer(let number): Int(number)
        case .double(let number): number
        case .string(let text): dates?.date(from: text) ?? text
        case .array(let elements): elements.map { any($0, dates: dates) }
        case .object(let members): members.mapValues { any($0, dates: dates) }
        }
    }

    /// The JSON form of an untyped value; nil for the absent value.
    ///
    /// - Throws: ``Unsupported`` for what JSON cannot express.
    static func json(_ any: Any?) throws -> JSONValue? {
        guard let any else { return nil }
        if let usual = try json(ofUsualType: any) { return usual }
        switch any {
        case let optional as any OptionalValue:
            return try json(optional.unwrapped)
        case let value as JSONValue:
            return value
        case is NSNull:
            return .null
        case let number as NSNumber where type(of: any) is NSNumber.Type:
            // Before the Swift types, whose casts also match any NSNumber that fits.
            return try json(number)
        case let flag as Bool:
            return .bool(flag)
        case let number as any BinaryInteger:
            guard let exact = Int64(exactly: number) else {
                throw Unsupported(
                    reason: "an integer beyond 64 bits; store it as a string or a double")
            }
            return .integer(exact)
        case let number as Double:
            return try json(finite: number)
        case let number as Float:
            return try json(finite: double(number))
        case let text as String:
            return .string(text)
        case let text as any StringProtocol:
            return .string(String(text))
        case let date as Date:
            guard let text = Document.text(of: date) else {
                throw Unsupported(reason: "a date outside the years 0000 through 9999")
            }
            return .string(text)
        case let identifier as UUID:
            return .string(identifier.uuidString)
        case let address as URL:
            return .string(address.absoluteString)
        case let document as Document:
            return .object(try document.jsonWithId())
        case let elements as [Any?]:
            return .array(try elements.map { try json($0) ?? .null })
        case let members as [AnyHashable: Any?]:
            return try json(members)
        case let value as any Encodable:
            return try json(encoding: value)
        case let value as any RawRepresentable:
            return try json(value.rawValue)
        default:
            throw Unsupported(
                reason: "a value of type \(type(of: any)), which JSON cannot express")
        }
    }

    /// The form in which a value is written as a member of a type that encodes itself.
    private static func json(encoding value: some Encodable) throws -> JSONValue {
        do {
            return try PackedValue(encoding: value, leaves: DocumentCodingLeaves()).value()
        } catch {
            throw Unsupported(
                reason: "a value of type \(type(of: value)) that cannot be encoded")
        }
    }

    /// The JSON form of a value of one of the usual types, and nil for all others.
    ///
    /// They are told apart by their identity, because a cast that fails takes longer than all of this.
    private static func json(ofUsualType any: Any) throws -> JSONValue? {
        let type = type(of: any)
        if type == String.self, let text = any as? String { return .string(text) }
        if type == Int.self, let number = any as? Int { return .integer(Int64(number)) }
        if type == [Any].self, let elements = any as? [Any] {
            return .array(try elements.map { try json($0) ?? .null })
        }
        if type == [String: Any].self, let members = any as? [String: Any] {
            return .object(try members.compactMapValues { try json($0) })
        }
        return nil
    }

    /// Why a number is refused.
    static let notFinite = "a number that is not finite, which JSON cannot express"

    private static func json(finite number: Double) throws -> JSONValue {
        guard number.isFinite else {
            throw Unsupported(reason: notFinite)
        }
        return .double(number)
    }

    private static func json(_ number: NSNumber) throws -> JSONValue {
        // The two booleans are single objects.
        if number === NSNumber(value: true) { return .bool(true) }
        if number === NSNumber(value: false) { return .bool(false) }
        // A decimal calls itself a double, and is exact.
        if number is NSDecimalNumber, let exact = Int64(exactly: number) { return .integer(exact) }
        if let isDouble = isDouble(number) {
            return try json(finite: isDouble ? number.doubleValue : double(number.floatValue))
        }
        guard let exact = Int64(exactly: number) else {
            throw Unsupported(
                reason: "an integer beyond 64 bits; store it as a string or a double")
        }
        return .integer(exact)
    }

    /// The shortest number that reads back as the same Float: 0.1, not 0.10000000149011612.
    private static func double(_ number: Float) -> Double {
        Double(number.description) ?? Double(number)
    }

    /// Whether a number was made from a `Double`, and not from a `Float`; nil when from neither.
    private static func isDouble(_ number: NSNumber) -> Bool? {
        // Foundation tells 5.0 from 5 in no other way than by this C string.
        switch UInt8(bitPattern: unsafe number.objCType.pointee) {
        case UInt8(ascii: "d"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    private static func json(_ members: [AnyHashable: Any?]) throws -> JSONValue {
        var object: [String: JSONValue] = [:]
        for (name, member) in members {
            guard let name = name.base as? String else {
                throw Unsupported(reason: "a dictionary whose keys are not strings")
            }
            if let value = try json(member) { object[name] = value }
        }
        return .object(object)
    }
}

/// An optional inside an `Any`, which a cast alone does not see through.
private protocol OptionalValue {
    var unwrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var unwrapped: Any? { self.map { $0 as Any } }
}
