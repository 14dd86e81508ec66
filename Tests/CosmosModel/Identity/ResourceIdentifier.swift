/// The `_rid` of a resource: its ancestors' bytes, and then its own.
///
/// Shape: 4 bytes a database; 4 more a collection (top bit set) or a user (top bit clear); 8 more a
/// document, or what else a collection or a user has (the last byte tells the kind); 4 more an
/// attachment. An offer has 3. Text: base64 with `-` for `/`.
package struct ResourceIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The bytes.
    package let bytes: [UInt8]

    /// An identifier of these bytes.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The identifier of a text, or nil when it is none.
    package init?(text: String) {
        guard let bytes = Base64.decode(text.replacing("-", with: "/")),
            [3, 4, 8, 16, 20].contains(bytes.count)
        else { return nil }
        self.bytes = bytes
    }

    /// The text of it.
    package var description: String { Base64.encode(bytes).replacing("/", with: "-") }

    /// The identifier of the resource that this one is in; nil for databases and offers.
    package var parent: ResourceIdentifier? {
        switch bytes.count {
        case 20: ResourceIdentifier(bytes: Array(bytes.prefix(16)))
        case 16: ResourceIdentifier(bytes: Array(bytes.prefix(8)))
        case 8: ResourceIdentifier(bytes: Array(bytes.prefix(4)))
        default: nil
        }
    }

    /// A new identifier for a resource.
    ///
    /// - Parameters:
    ///   - kind: What the resource is.
    ///   - parent: What it is in.
    ///   - number: A number that no other resource of the account has.
    ///   - random: Where the other bits come from.
    package init(
        of kind: ResourceKind, in parent: ResourceIdentifier?, number: UInt64,
        random: inout ModelGenerator
    ) {
        var own: [UInt8]
        switch kind {
        case .databases, .attachments:
            own = Self.bytes(of: UInt32(truncatingIfNeeded: random.next() << 24 | number))
        case .collections:
            own = Self.bytes(of: UInt32(truncatingIfNeeded: random.next() << 24 | number))
            own[0] |= 0x80
        case .users:
            own = Self.bytes(of: UInt32(truncatingIfNeeded: random.next() << 24 | number))
            own[0] &= 0x7F
        case .offers:
            own = Array(Self.bytes(of: UInt32(truncatingIfNeeded: number)).suffix(3))
        default:
            own = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            own[7] = kind.childTag << 4
        }
        bytes = (parent?.bytes ?? []) + own
    }

    private static func bytes(of word: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) }
    }
}
