/// What the index `[type, address.city] -> amount` holds, by what the generator knows.
struct PlaceAmounts: Sendable {
    /// The values of each key, in the order of the documents' identifiers.
    private var amounts: [Place: [Int]] = [:]

    /// How the rows of one key follow each other.
    enum Order {
        /// By the identifiers of the documents, as in Settle.
        case identifiers
        /// By the values, as in an SQLite index that has the value as its last column.
        case amounts
    }

    init() {}

    init(_ documents: DocumentSet) {
        add(documents)
    }

    /// Adds documents that come after those before.
    mutating func add(_ documents: DocumentSet) {
        for facts in documents.facts { amounts[facts.place, default: []].append(facts.amount) }
    }

    /// The keys, each once, in their order.
    var places: [Place] { amounts.keys.sorted() }

    /// The number of rows.
    var count: Int { amounts.values.reduce(0) { $0 + $1.count } }

    /// The sum of all values.
    var total: Int { amounts.keys.reduce(0) { $0 + sum(of: $1) } }

    /// From the key a quarter of the way up to, not including, the one at three quarters.
    var middleHalf: Range<Place> {
        let places = places
        return places[places.count / 4]..<places[places.count * 3 / 4]
    }

    /// The number of rows of each type.
    var typeCounts: [String: Int] {
        amounts.reduce(into: [:]) { $0[$1.key.type, default: 0] += $1.value.count }
    }

    /// The sum of the values of some keys.
    func total(of range: Range<Place>) -> Int {
        amounts.keys.reduce(0) { range.contains($1) ? $0 + sum(of: $1) : $0 }
    }

    /// A row for each type, with the sum of its values.
    var typeGroups: AnswerSums {
        let sums = amounts.keys.reduce(into: [:]) { $0[$1.type, default: 0] += sum(of: $1) }
        return sums.sorted { $0.key < $1.key }.reduce(into: AnswerSums()) {
            $0.add(amount: $1.value, keyBytes: $1.key.utf8.count)
        }
    }

    /// A row for each of some keys, in their order, with the sum of its values.
    func groups(of places: [Place]) -> AnswerSums {
        places.reduce(into: AnswerSums()) {
            $0.add(amount: sum(of: $1), keyBytes: $1.keyBytes)
        }
    }

    /// The rows of some keys, in their order.
    func rows(of places: [Place], _ order: Order = .identifiers) -> AnswerSums {
        places.reduce(into: AnswerSums()) { sums, place in
            for amount in values(of: place, order) {
                sums.add(amount: amount, keyBytes: place.keyBytes)
            }
        }
    }

    /// The first rows from a key on, of its type alone.
    ///
    /// With the identifiers of the documents the texts of each row are longer by that many bytes.
    func page(
        from start: Place, rowLimit: Int, _ order: Order, identifierBytes: Int = 0
    ) -> AnswerSums {
        var sums = AnswerSums()
        for place in places where place.type == start.type && place >= start {
            for amount in values(of: place, order) {
                if sums.count == rowLimit { return sums }
                sums.add(amount: amount, keyBytes: place.keyBytes + identifierBytes)
            }
        }
        return sums
    }

    private func values(of place: Place, _ order: Order) -> [Int] {
        let values = amounts[place] ?? []
        return order == .amounts ? values.sorted() : values
    }

    private func sum(of place: Place) -> Int { amounts[place]?.reduce(0, +) ?? 0 }
}

extension Place {
    fileprivate var keyBytes: Int { type.utf8.count + city.utf8.count }
}
