import Foundation
import Settle
import Testing

/// Which members key paths find.
@Suite struct `Members of key paths` {
    private func keys<Model: DocumentModel>(
        _ paths: PartialKeyPath<Model>...
    ) -> [[String]]? {
        Database.Index.keyPaths(Model.self, name: "i", keys: paths).declaration?.keys
    }

    struct Marked: DocumentModel {
        static let documentType = "marked"
        enum Kind: String, Codable, Sendable { case marked }
        struct Mark: Codable, Sendable { var kind = Kind.marked }
        struct Place: Codable, Sendable {
            var kind = Kind.marked
            var town: String?
        }

        var id: String
        var type = Kind.marked
        var mark = Mark()
        var customer: String
        var place: Place?
    }

    @Test func `are told from properties without content at the same place`() {
        #expect(
            keys(\Marked.customer, \.type, \.mark, \.mark.kind)
                == [["customer"], ["type"], ["mark"], ["mark", "kind"]])
        #expect(
            keys(\Marked.place, \.place?.kind, \.place?.town, \.id)
                == [["place"], ["place", "kind"], ["place", "town"], ["id"]])
    }

    struct Base: Codable, Sendable { var number: Int }

    /// Is decoded by other keys first.
    struct Derived: DocumentModel {
        static let documentType = "derived"
        enum CodingKeys: String, CodingKey { case id, customer }

        var id: String
        var base: Base
        var customer: String

        init(from decoder: any Decoder) throws {
            base = try Base(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(String.self, forKey: .id)
            customer = try container.decode(String.self, forKey: .customer)
        }

        func encode(to encoder: any Encoder) throws {
            try base.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(customer, forKey: .customer)
        }
    }

    @Test func `are found where others are decoded first`() {
        #expect(keys(\Derived.customer) == [["customer"]])
    }

    /// Is decoded by two containers, of which only the second has the member.
    struct Split: DocumentModel {
        static let documentType = "split"
        enum CodingKeys: String, CodingKey { case id }
        enum OtherKeys: String, CodingKey { case customer }

        var id: String
        var customer: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let others = try decoder.container(keyedBy: OtherKeys.self)
            id = try container.decode(String.self, forKey: .id)
            customer = try others.decodeIfPresent(String.self, forKey: .customer)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            var others = encoder.container(keyedBy: OtherKeys.self)
            try others.encodeIfPresent(customer, forKey: .customer)
        }
    }

    @Test func `are found in a second container`() {
        #expect(keys(\Split.customer) == [["customer"]])
    }

    /// Has a name for every member, and an `init(from:)` that must not be run for them.
    struct Named: DocumentModel {
        static let documentType = "named"
        static let memberNames = ["customer": "customer"]
        enum CodingKeys: String, CodingKey {
            case id = "number"
        }

        var id: String
        var customer: String

        init(from decoder: any Decoder) throws {
            fatalError("Nobody decodes this model.")
        }

        func encode(to encoder: any Encoder) throws {}
    }

    @Test func `are what the model says, and the identifier is id`() {
        #expect(keys(\Named.customer, \.id) == [["customer"], ["id"]])
    }

    #if os(Linux) || os(macOS)
        struct Swapped: DocumentModel {
            static let documentType = "swapped"
            enum CodingKeys: String, CodingKey {
                case id, address
                case title = "name"
                case name = "label"
            }
            struct Address: Codable, Sendable {
                enum CodingKeys: String, CodingKey { case place = "town" }
                var place: String
            }

            var id: String
            var title: String
            var name: String
            var address: Address?
        }

        @Test func `are not those of another property`() async {
            await #expect(processExitsWith: .failure) {
                _ = Database.Index.keyPaths(Swapped.self, name: "i", keys: [\.name])
            }
        }

        @Test func `of a property must be told, too, when they have another name`() async {
            await #expect(processExitsWith: .failure) {
                _ = Database.Index.keyPaths(Swapped.self, name: "i", keys: [\.address?.place])
            }
        }

        struct Twice: DocumentModel {
            static let documentType = "twice"
            enum Kind: String, Codable, Sendable { case one }

            var id: String
            var first = Kind.one
            var second = Kind.one
        }

        @Test func `are not guessed between two properties that are the same`() async {
            await #expect(processExitsWith: .failure) {
                _ = Database.Index.keyPaths(Twice.self, name: "i", keys: [\.second])
            }
        }

        @Test func `with an impossible condition make no index`() async {
            await #expect(processExitsWith: .failure) {
                _ = Database.Index.keyPaths(
                    Priced.self, name: "i", keys: [\.id], filter: Priced.less(\.price, 9))
            }
        }

        struct Priced: DocumentModel {
            static let documentType = "priced"
            var id: String
            var price: Decimal

            static func less<Value: Encodable>(
                _ path: KeyPath<Priced, Value>, _ value: Value
            ) -> ModelFilter<Priced> { path < value }
        }
    #endif
}
