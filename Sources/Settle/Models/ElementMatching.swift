import SettleDocuments

/// Which stored elements of an array a model shows, and where.
///
/// A model may write the elements in another order than that in which they are stored, as a set does, or
/// pass over some. So they are recognised by their content.
struct ElementMatching {
    /// What an element is recognised by: its `id`, or else all of it.
    private enum ElementKey: Hashable {
        case id(JSONValue)
        case whole(JSONValue)

        init(_ element: JSONValue) {
            if let id = element["id"], !id.isNull {
                self = .id(id)
            } else {
                self = .whole(element)
            }
        }
    }

    private let stored: [JSONValue]
    private let before: [JSONValue]
    /// The place of the stored element that each one of `before` shows; nil for none.
    private var partners: [Int?]
    /// The places of stored elements that the model does not show.
    private var unshown: [Int] = []

    /// Finds out what the model shows.
    ///
    /// Nil when the numbers differ and something cannot be recognised.
    ///
    /// - Parameters:
    ///   - stored: The elements as they are stored.
    ///   - before: What the model made of them.
    /// - Complexity: O(n) where the order is the same, or elements are equal or have an `id`; otherwise
    ///   O(n²).
    init?(stored: [JSONValue], before: [JSONValue]) {
        (self.stored, self.before) = (stored, before)
        partners = before.indices.map { $0 }
        if stored.count == before.count, zip(stored, before).allSatisfy({ $0.shows($1) }) { return }
        var free: [ElementKey: [Int]] = [:]
        for (place, element) in stored.enumerated().reversed() {
            free[ElementKey(element), default: []].append(place)
        }
        var isFree = Array(repeating: true, count: stored.count)
        partners = before.map { element in
            let place =
                free[ElementKey(element)]?.popLast()
                ?? stored.indices.first { isFree[$0] && stored[$0].shows(element) }
            guard let place, isFree[place] else { return nil }
            isFree[place] = false
            return place
        }
        if !partners.contains(nil) {
            unshown = stored.indices.filter { isFree[$0] }
            return
        }
        guard stored.count == before.count else { return nil }
        // What is written in another form than it is stored, such as a date, is where it was, as long as
        // nothing else has moved. Simple values that nothing tells apart are not paired.
        let isInOrder = partners.enumerated().allSatisfy { $1 == nil || $0 == $1 }
        let isKnown = partners.contains { $0 != nil }
        for (place, element) in before.enumerated() where isInOrder && partners[place] == nil {
            if isKnown || element.objectValue != nil { partners[place] = place }
        }
    }

    /// The elements of the changed array: those that were there keep what the model does not know of
    /// them, and those that it does not show stay behind their predecessors.
    ///
    /// - Parameters:
    ///   - after: What the model writes now.
    ///   - change: Changes a stored element, given what the model made of it and what it writes now.
    /// - Returns: The elements.
    /// - Throws: What `change` throws.
    func elements(
        _ after: [JSONValue],
        _ change: (_ stored: JSONValue, _ before: JSONValue, _ after: JSONValue) throws -> JSONValue
    ) rethrows -> [JSONValue] {
        // The places of the elements with one key, the last first.
        var places: [ElementKey: [Int]] = [:]
        for (place, element) in before.enumerated().reversed() {
            places[ElementKey(element), default: []].append(place)
        }
        var elements: [(partner: Int?, element: JSONValue)] = try after.map { element in
            guard let place = places[ElementKey(element)]?.popLast(), let partner = partners[place]
            else { return (nil, element) }
            return (partner, try change(stored[partner], before[place], element))
        }
        for place in unshown {
            let predecessor = elements.indices.filter {
                elements[$0].partner.map { $0 < place } ?? false
            }
            .max { elements[$0].partner ?? 0 < elements[$1].partner ?? 0 }
            elements.insert((place, stored[place]), at: predecessor.map { $0 + 1 } ?? 0)
        }
        return elements.map(\.element)
    }
}

extension JSONValue {
    /// Whether a stored value is what a model made of it, which may not know all of an object.
    fileprivate func shows(_ made: JSONValue) -> Bool {
        switch (self, made) {
        case (.integer(let number), .double(let double)),
            (.double(let double), .integer(let number)):
            return Double(number) == double
        case (.object(let members), .object(let others)):
            if let id = others["id"], !id.isNull, let own = members["id"] { return own == id }
            return others.allSatisfy { name, value in
                members[name].map { $0.shows(value) } ?? value.isNull
            }
        case (.array(let elements), .array(let others)):
            return elements.count == others.count
                && zip(elements, others).allSatisfy { $0.shows($1) }
        default:
            return self == made
        }
    }
}
