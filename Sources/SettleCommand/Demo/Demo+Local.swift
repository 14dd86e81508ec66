import Settle

/// What client A does by itself: open, import, query, observe.
extension Demo {
    /// Opens client A's database, which is not there before.
    func openClientA() async throws -> Database {
        var opened: Database?
        try await story.step("Client A opens a database by configuration.") {
            let early = try await Database.open(with: configuration("client-a"))
            try story.expect(early == nil, "A database was there before it was made.")
            let database = try await Database.open(with: configuration("client-a"), create: true)
            let again = try await Database.open(with: configuration("client-a"))
            try story.expect(
                database != nil && database === again,
                "Two equal configurations gave two database objects.")
            opened = database
            try story.note("index \"population\": [continent, country, name] -> population, _sum")
            return "1 database with \(Quantity.count(opened?.indexNames.count ?? 0, "index")),"
        }
        guard let opened else { preconditionFailure("A step that does not throw was done.") }
        return opened
    }

    /// Imports the cities and counts them one by one.
    func importCities(into a: Database) async throws -> Census {
        var census: Census?
        try await story.step("Client A imports the cities.") {
            let source = try ImportSource(path: citiesPath)
            let progress = Progress("Importing", counting: "cities")
            defer { progress.end() }
            let counts = try await Importer(into: a).run(source.next) { counts, bytesRead in
                progress.update(
                    counts.stored, fraction: source.size.map { Double(bytesRead) / Double($0) })
            }
            let counted = try Census(of: a)
            try story.expect(try a.totalDocumentCount, toBe: counts.added, "documents")
            try story.expect(counted.cityCount, toBe: counts.added, "cities counted one by one")
            try story.expect(
                counted.byCountry[[Self.continent, Self.country]] != nil,
                "The demo needs cities of \(Self.country) in \(Self.continent); this file has none."
            )
            census = counted
            return "\(Quantity.count(counts.added, "document")) stored,"
        }
        guard let census else { preconditionFailure("A step that does not throw was done.") }
        return census
    }

    /// Prints the population by continent.
    func showContinents(of a: Database, _ census: Census) async throws {
        try await story.step("Population by continent: the index, summed up by group level 1.") {
            let rows = try await groups(of: a, level: 1)
            var table = TextTable([.left("continent"), .right("people")])
            for row in rows {
                guard let name = row.keyJSON[0]?.stringValue,
                    let people = row.valueJSON.integerValue
                else {
                    throw DemoStory.UnmetExpectation(sentence: "A group has no name or no sum.")
                }
                table.add([name, Quantity.number(people)])
                try story.expect(
                    people == census.byContinent[name],
                    "The index has \(Quantity.number(people)) people in \(name), the documents "
                        + "have \(Quantity.number(census.byContinent[name] ?? 0)).")
            }
            try story.expect(rows.count, toBe: census.byContinent.count, "continents")
            for line in table.lines() { try story.note(line) }
            return "\(Quantity.count(rows.count, "group")), each as counted one by one,"
        }
    }

    /// Prints the ten largest countries.
    func showCountries(of a: Database, _ census: Census) async throws {
        try await story.step("The ten largest countries: the same index by group level 2.") {
            let rows = try await groups(of: a, level: 2)
            var table = TextTable([.left("country"), .left("continent"), .right("people")])
            let found = rows.map { row in
                let key = row.keyJSON.arrayValue?.compactMap(\.stringValue) ?? []
                return (key: key, people: row.valueJSON.integerValue ?? -1)
            }
            for (key, people) in found {
                try story.expect(
                    census.byCountry[key] == people,
                    "The index and the documents do not agree on the people of \(key).")
            }
            try story.expect(found.count, toBe: census.byCountry.count, "countries")
            for (key, people) in found.sorted(by: { $0.people > $1.people }).prefix(10) {
                table.add([key[1], key[0], Quantity.number(people)])
            }
            for line in table.lines() { try story.note(line) }
            return "\(Quantity.count(rows.count, "group")), each as counted one by one,"
        }
    }

    /// Observes the population of one country.
    func observeCountry(
        of a: Database, _ census: Census, with watch: QueryWatch
    ) async throws -> QueryObserver {
        var observer: QueryObserver?
        try await story.step("Client A observes a query: the people of \(Self.country).") {
            observer = a.observeQuery(on: Census.index.name, with: countryTotal) { result in
                watch.take(result)
            }
            let people = census.byCountry[[Self.continent, Self.country]] ?? 0
            try story.expect(observer != nil, "The index that was to be observed is not there.")
            try story.expect(
                await watch.wait(for: people),
                "The first result of the observed query is not \(Quantity.number(people)).")
            return "1 result, \(Quantity.number(people)) people,"
        }
        guard let observer else { preconditionFailure("A step that does not throw was done.") }
        return observer
    }

    private func groups(of database: Database, level: UInt) async throws -> [QueryResultRow] {
        var range = QueryByKeyRange()
        range.groupLevel = level
        return try await database.runQuery(on: Census.index.name, with: range).rows
    }

    /// The sum over the cities of the country.
    private var countryTotal: QueryByKeyRange {
        var range = countryRange
        range.reduce = true
        return range
    }

    /// The rows of the country: an object stands after every string.
    var countryRange: QueryByKeyRange {
        var range = QueryByKeyRange(
            startKey: [Self.continent, Self.country],
            endKey: [Self.continent, Self.country, [String: Any]()] as [Any])
        range.reduce = false
        return range
    }
}
