import Settle

extension JSONPatch {
    /// Why a patch does not fit a document.
    struct Misfit: Error, Sendable, Equatable {
        /// The number of the change, from 0.
        var place: Int
        /// A clause about it.
        var reason: String
    }

    /// The document after all changes.
    ///
    /// Copies may make a document grow by ``growthMax`` bytes at most, since a copy of a copy of a
    /// copy soon fills any memory.
    ///
    /// - Throws: ``Misfit`` for a place that does not exist, a test that fails, and a document that
    ///   would become too large or too deep.
    func applied(to document: JSONValue) throws(Misfit) -> JSONValue {
        var document = document
        var growth = 0
        var work = 0
        for (place, change) in changes.enumerated() {
            work += Self.work(change, on: document)
            guard work <= Self.workMax else {
                throw Misfit(
                    place: place, reason: "the patch takes too much work; send the whole item")
            }
            do {
                try Self.apply(change, to: &document, growth: &growth)
            } catch {
                throw Misfit(place: place, reason: error.reason)
            }
        }
        return document
    }

    /// How much a document may grow by copies, in bytes.
    static let growthMax = 1 << 20

    /// How many elements and members may be looked at for one patch; writers of the table wait
    /// meanwhile.
    static let workMax = 2_000_000

    /// How many elements and members lie beside what a change concerns, all of which are copied, and
    /// in what is moved further down, whose depth is taken.
    private static func work(_ change: Change, on document: JSONValue) -> Int {
        switch change {
        case .add(let pointer, _), .remove(let pointer), .replace(let pointer, _),
            .test(let pointer, _):
            return breadth(along: pointer, in: document)
        case .copy(let from, let to):
            return breadth(along: from, in: document) + breadth(along: to, in: document)
        case .move(let from, let to):
            let work = breadth(along: from, in: document) + breadth(along: to, in: document)
            guard leadsDown(from, to), let value = try? value(at: from, in: document) else {
                return work
            }
            return work + count(value, limit: workMax)
        }
    }

    /// Whether what is moved lies deeper afterwards.
    private static func leadsDown(_ from: JSONPointer, _ to: JSONPointer) -> Bool {
        to.tokens.count > from.tokens.count
    }

    private static func breadth(along pointer: JSONPointer, in document: JSONValue) -> Int {
        var (value, breadth) = (document, 1)
        for token in pointer.tokens + [""] {
            switch value {
            case .object(let members):
                breadth += members.count
                guard let member = members[token] else { return breadth }
                value = member
            case .array(let elements):
                breadth += elements.count
                guard let place = JSONPointer.place(token, below: elements.count) else {
                    return breadth
                }
                value = elements[place]
            default: return breadth
            }
        }
        return breadth
    }

    private struct Fault: Error {
        var reason: String
    }

    private static let missing = Fault(reason: "there is nothing at its place")

    private static func apply(
        _ change: Change, to document: inout JSONValue, growth: inout Int
    ) throws(Fault) {
        switch change {
        case .add(let pointer, let value):
            try add(value, at: pointer.tokens[...], to: &document, depth: depth(value))
        case .remove(let pointer): _ = try remove(at: pointer.tokens[...], from: &document)
        case .replace(let pointer, let value):
            guard !pointer.tokens.isEmpty else {
                document = value
                return
            }
            _ = try self.value(at: pointer, in: document)
            try replace(at: pointer.tokens[...], in: &document, with: value, depth: depth(value))
        case .move(let from, let to):
            let value = try self.value(at: from, in: document)
            guard from != to else { return }
            _ = try remove(at: from.tokens[...], from: &document)
            // Higher up it is no deeper than it was.
            let depth = leadsDown(from, to) ? depth(value) : 0
            try add(value, at: to.tokens[...], to: &document, depth: depth)
        case .copy(let from, let to):
            let value = try self.value(at: from, in: document)
            growth += size(value, limit: growthMax - growth)
            guard growth <= growthMax else {
                throw Fault(reason: "the item would grow too large")
            }
            try add(value, at: to.tokens[...], to: &document, depth: depth(value))
        case .test(let pointer, let value):
            guard isEqual(try self.value(at: pointer, in: document), value) else {
                throw Fault(reason: "the value is another")
            }
        }
    }

    private static func value(
        at pointer: JSONPointer, in document: JSONValue
    ) throws(Fault) -> JSONValue {
        var value = document
        for token in pointer.tokens {
            switch value {
            case .object(let members):
                guard let member = members[token] else { throw missing }
                value = member
            case .array(let elements):
                guard let place = JSONPointer.place(token, below: elements.count) else {
                    throw missing
                }
                value = elements[place]
            default: throw missing
            }
        }
        return value
    }

    private static func add(
        _ value: JSONValue, at tokens: ArraySlice<String>, to document: inout JSONValue,
        depth: Int
    ) throws(Fault) {
        guard let token = tokens.first else {
            document = value
            return
        }
        try checkDepth(tokens.count + depth)
        let rest = tokens.dropFirst()
        switch document {
        case .object(var members):
            if rest.isEmpty {
                members[token] = value
            } else {
                guard var member = members[token] else { throw missing }
                try add(value, at: rest, to: &member, depth: depth)
                members[token] = member
            }
            document = .object(members)
        case .array(var elements):
            if rest.isEmpty {
                let place =
                    token == "-"
                    ? elements.count : JSONPointer.place(token, below: elements.count + 1)
                guard let place else { throw missing }
                elements.insert(value, at: place)
            } else {
                guard let place = JSONPointer.place(token, below: elements.count) else {
                    throw missing
                }
                try add(value, at: rest, to: &elements[place], depth: depth)
            }
            document = .array(elements)
        default: throw missing
        }
    }

    private static func replace(
        at tokens: ArraySlice<String>, in document: inout JSONValue, with value: JSONValue,
        depth: Int
    ) throws(Fault) {
        guard let token = tokens.first else {
            document = value
            return
        }
        try checkDepth(tokens.count + depth)
        switch document {
        case .object(var members):
            guard var member = members[token] else { throw missing }
            try replace(at: tokens.dropFirst(), in: &member, with: value, depth: depth)
            members[token] = member
            document = .object(members)
        case .array(var elements):
            guard let place = JSONPointer.place(token, below: elements.count) else {
                throw missing
            }
            try replace(at: tokens.dropFirst(), in: &elements[place], with: value, depth: depth)
            document = .array(elements)
        default: throw missing
        }
    }

    private static func remove(
        at tokens: ArraySlice<String>, from document: inout JSONValue
    ) throws(Fault) -> JSONValue {
        guard let token = tokens.first else {
            defer { document = .null }
            return document
        }
        let rest = tokens.dropFirst()
        switch document {
        case .object(var members):
            guard var member = members[token] else { throw missing }
            let removed: JSONValue
            if rest.isEmpty {
                removed = member
                members[token] = nil
            } else {
                removed = try remove(at: rest, from: &member)
                members[token] = member
            }
            document = .object(members)
            return removed
        case .array(var elements):
            guard let place = JSONPointer.place(token, below: elements.count) else {
                throw missing
            }
            let removed =
                rest.isEmpty
                ? elements.remove(at: place) : try remove(at: rest, from: &elements[place])
            document = .array(elements)
            return removed
        default: throw missing
        }
    }

    /// As deep as a body may be.
    private static func checkDepth(_ depth: Int) throws(Fault) {
        guard depth <= ItemBody.limits.depthMax else {
            throw Fault(reason: "the item would become too deep")
        }
    }
}
