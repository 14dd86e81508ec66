/// A whole document of the set as a Swift value.
struct OrderRecord: Codable, Sendable {
    struct Address: Codable, Sendable {
        let city: String
        let zip: String
    }

    let type: String
    let name: String
    let createdAt: String
    let amount: Int
    let tags: [String]
    let address: Address
}
