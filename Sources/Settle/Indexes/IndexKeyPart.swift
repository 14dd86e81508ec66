public import Foundation
public import SettleDocuments

/// What a row's key, or a part of it, or its value can be.
///
/// Strings, numbers, booleans, dates, UUIDs, JSON values, optionals and arrays of them. An enumeration
/// with raw values becomes one by naming the protocol; another type by handing itself on:
///
/// ```swift
/// extension Money: IndexKeyPart {
///     func pack(into packer: inout IndexPacker) throws -> Bool {
///         cents.pack(into: &packer)
///     }
/// }
/// ```
public protocol IndexKeyPart {
    /// Packs the value.
    ///
    /// - Returns: False when it is absent and nothing was packed.
    /// - Throws: An error when JSON cannot express it; the document then has no rows.
    func pack(into packer: inout IndexPacker) throws -> Bool
}

extension IndexKeyPart where Self: RawRepresentable, RawValue: IndexKeyPart {
    /// Packs the raw value.
    public func pack(into packer: inout IndexPacker) throws -> Bool {
        try rawValue.pack(into: &packer)
    }
}

extension String: IndexKeyPart {
    /// Packs the text.
    public func pack(into packer: inout IndexPacker) throws -> Bool {
        try packer.pack(self)
        return true
    }
}

extension Bool: IndexKeyPart {
    /// Packs `true` or `false`.
    public func pack(into packer: inout IndexPacker) -> Bool {
        packer.pack(self)
        return true
    }
}

extension Int: IndexKeyPart {
    /// Packs the number.
    public func pack(into packer: inout IndexPacker) -> Bool {
        packer.pack(Int64(self))
        return true
    }
}

extension Int64: IndexKeyPart {
    /// Packs the number.
    public func pack(into packer: inout IndexPacker) -> Bool {
        packer.pack(self)
        return true
    }
}

extension Double: IndexKeyPart {
    /// Packs the number.
    ///
    /// - Throws: An error when it is NaN or infinite.
    public func pack(into packer: inout IndexPacker) throws -> Bool {
        try packer.pack(self)
        return true
    }
}

extension Date: IndexKeyPart {
    /// Packs the string that ``Document/dateFormatter`` makes of the date, as documents hold it.
    public func pack(into packer: inout IndexPacker) throws -> Bool {
        try packer.pack(Document.dateFormatter.string(from: self))
        return true
    }
}

extension UUID: IndexKeyPart {
    /// Packs the string of the UUID, upper case.
    public func pack(into packer: inout IndexPacker) throws -> Bool {
        try packer.pack(uuidString)
        return true
    }
}

extension JSONValue: IndexKeyPart {
    /// Packs the value; null is a value.
    ///
    /// - Throws: An error when it has a number that is NaN or infinite, or is nested too deep.
    public func pack(into packer: inout IndexPacker) throws -> Bool {
        try packer.pack(self)
        return true
    }
}

extension Optional: IndexKeyPart where Wrapped: IndexKeyPart {
    /// Packs the value, if there is one.
    public func pack(into packer: inout IndexPacker) throws -> Bool {
        try self?.pack(into: &packer) ?? false
    }
}

extension Array: IndexKeyPart where Element: IndexKeyPart {
    /// Packs the elements, null for absent ones.
    public func pack(into packer: inout IndexPacker) throws -> Bool {
        let start = packer.openArray()
        for element in self where try !element.pack(into: &packer) { packer.packNull() }
        try packer.closeArray(start)
        return true
    }
}
