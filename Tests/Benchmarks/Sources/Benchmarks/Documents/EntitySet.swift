import Foundation

/// Entities of seven properties, one in ten of which is changed five times afterwards.
struct EntitySet: Sendable {
    /// One entity as it was first.
    struct Person: Sendable {
        let id: String
        let name: String
        let email: String
        let city: String
        let age: Int
        let height: Double
        let isActive: Bool
        let born: Date
    }

    let people: [Person]

    /// When the entities are added, and how much later each change is.
    static let start = Date(timeIntervalSince1970: 1_767_225_600)
    static let changeInterval: TimeInterval = 3_600
    static let changeCount = 5
    static let type = "person"

    init(count: Int) {
        people = (0..<count).map { number in
            let spread = (number &* 7_919) % 1_000_003
            return Person(
                id: "person-\(spread)-\(number)", name: "Person \(number)",
                email: "person.\(number)@example.org", city: "City \(number % 500)",
                age: 18 + number % 70, height: 1.5 + Double(number % 50) / 100,
                isActive: number % 3 == 0,
                born: Self.start.addingTimeInterval(-86_400 * Double(6_000 + number % 20_000)))
        }
    }

    /// The places of those that are changed.
    var changed: [Int] { Array(stride(from: 0, to: people.count, by: 10)) }

    /// The city after a number of changes.
    static func city(of number: Int, after changes: Int) -> String {
        changes == 0 ? "City \(number % 500)" : "City \(number % 500), moved \(changes) times"
    }

    static func date(ofChange change: Int) -> Date {
        start.addingTimeInterval(changeInterval * Double(change))
    }

    /// Places in an order that jumps about.
    func picks(_ count: Int) -> [Int] {
        (0..<count).map { ($0 &* 48_271) % people.count }
    }

    /// What reading entities gathers: the ages, and the bytes of the texts.
    func sums(_ picks: [Int], changes: Int) -> FieldSums {
        picks.reduce(into: FieldSums()) { sums, pick in
            let person = people[pick]
            sums.count += 1
            sums.amounts += person.age
            let city = Self.city(of: pick, after: pick % 10 == 0 ? changes : 0)
            sums.textBytes += person.name.utf8.count + city.utf8.count
        }
    }
}
