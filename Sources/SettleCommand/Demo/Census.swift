import Settle

/// The demo's index, and what its rows should say, counted from the documents one by one.
struct Census {
    /// The index: `[continent, country, name] -> population`, with the sum of any range.
    static let index = Database.Index.keyPaths(
        name: "population", keys: [["continent"], ["country"], ["name"]],
        value: ["population"], reduce: .sum)

    /// How many documents there are.
    private(set) var cityCount = 0
    /// The cities of each continent.
    private(set) var cityCountByContinent: [String: Int] = [:]
    /// The people of each continent.
    private(set) var byContinent: [String: Int64] = [:]
    /// The people of each country of each continent.
    private(set) var byCountry: [[String]: Int64] = [:]

    /// Counts the documents of a database, without any index.
    ///
    /// - Throws: What the database throws.
    init(of database: Database) throws {
        try database.read { snapshot in
            try snapshot.forEachDocument { document in
                add(document)
                return true
            }
        }
    }

    private mutating func add(_ document: Document) {
        cityCount += 1
        guard let continent = document.string("continent"),
            let country = document.string("country"), let people = document.integer("population")
        else { return }
        cityCountByContinent[continent, default: 0] += 1
        byContinent[continent, default: 0] += Int64(people)
        byCountry[[continent, country], default: 0] += Int64(people)
    }
}
