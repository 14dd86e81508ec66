import SettleDocuments

/// The members of a line but for those of its document, taken out one after the other.
struct ExportMembers {
    private var members: [String: JSONValue]

    init(_ members: [String: JSONValue]) {
        self.members = members
    }

    /// The greatest sequence that is read: every reader of JSON has the integers up to here exactly.
    static let sequenceMax: Int64 = 1 << 53

    func has(_ name: String) -> Bool { members[name] != nil }

    /// A member that may be missing.
    mutating func optional(_ name: String) -> JSONValue? {
        members.removeValue(forKey: name)
    }

    mutating func integer(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(ExportFault) -> Int64 {
        guard case .integer(let number)? = optional(name), range.contains(number) else {
            throw ExportFault(
                "The member '\(name)' is a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound).")
        }
        return number
    }

    mutating func count(_ name: String) throws(ExportFault) -> Int {
        Int(try integer(name, in: 0...Self.sequenceMax))
    }

    mutating func sequence(_ name: String, from least: Int64) throws(ExportFault) -> UInt64 {
        UInt64(try integer(name, in: least...Self.sequenceMax))
    }

    mutating func text(_ name: String) throws(ExportFault) -> String {
        guard let text = try optionalText(name) else {
            throw ExportFault("The member '\(name)' is missing. Export again.")
        }
        return text
    }

    mutating func optionalText(_ name: String) throws(ExportFault) -> String? {
        guard let value = optional(name) else { return nil }
        guard case .string(let text) = value else {
            throw ExportFault("The member '\(name)' is a string.")
        }
        return text
    }

    mutating func digest(_ name: String) throws(ExportFault) -> ContentDigest {
        guard let digest = ContentDigest(try text(name)) else {
            throw ExportFault(
                "The member '\(name)' is a SHA-256: 64 hexadecimal digits in lower case.")
        }
        return digest
    }

    mutating func date(_ name: String) throws(ExportFault) -> Timestamp {
        guard let date = try optionalDate(name) else {
            throw ExportFault("The member '\(name)' is missing. Export again.")
        }
        return date
    }

    mutating func optionalDate(_ name: String) throws(ExportFault) -> Timestamp? {
        guard let value = optional(name) else { return nil }
        guard let moment = ExportDate.moment(of: value) else {
            throw ExportFault(
                "The member '\(name)' is a date such as \"2026-11-21T03:04:05.123456Z\", or "
                    + "microseconds since 1970.")
        }
        return moment
    }

    /// True or false; a missing member is false.
    mutating func flag(_ name: String) throws(ExportFault) -> Bool {
        switch optional(name) {
        case nil: return false
        case .bool(let flag)?: return flag
        default: throw ExportFault("The member '\(name)' is true or false.")
        }
    }

    mutating func array(_ name: String) throws(ExportFault) -> [JSONValue] {
        switch optional(name) {
        case nil: return []
        case .array(let elements)?: return elements
        default: throw ExportFault("The member '\(name)' is an array.")
        }
    }

    /// Refuses members that nobody took: format 1 has no others.
    func finish() throws(ExportFault) {
        guard members.isEmpty else {
            throw ExportFault(
                "The line has a member that is not of this format. A document's own members stand "
                    + "in the member 'members'.")
        }
    }
}
