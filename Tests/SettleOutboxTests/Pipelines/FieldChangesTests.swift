import Settle
import SettleOutbox
import TestSupport
import Testing

@Suite(.serialized) struct `Changes of fields` {
    private static let values: [JSONValue?] = [nil, .integer(1), .integer(2)]

    private func document(_ value: JSONValue?) -> Document {
        var document = Document(id: "a")
        document[json: "n"] = value
        return document
    }

    @Test func `are made where nothing else was, and left where it was, for all values`() {
        for before in Self.values {
            for after in Self.values {
                for there in Self.values {
                    let changes = FieldChanges(from: document(before), to: document(after))
                    #expect(changes.isEmpty == (before == after))
                    var merged = document(there)
                    let conflicts = changes.apply(to: &merged)
                    let place = "\(String(describing: [before, after, there]))"
                    if before == after {
                        #expect(merged == document(there), "\(place)")
                        #expect(conflicts.isEmpty, "\(place)")
                    } else if there == before || there == after {
                        #expect(merged == document(after), "\(place)")
                        #expect(conflicts.isEmpty, "\(place)")
                    } else {
                        #expect(merged == document(there), "\(place)")
                        #expect(conflicts == ["n"], "\(place)")
                    }
                }
            }
        }
    }

    @Test func `are those from the first to the last when they follow each other`() {
        for first in Self.values {
            for second in Self.values {
                for third in Self.values {
                    let one = FieldChanges(from: document(first), to: document(second))
                    let two = FieldChanges(from: document(second), to: document(third))
                    let both = FieldChanges(from: document(first), to: document(third))
                    #expect(one.followed(by: two) == both)
                }
            }
        }
    }
}
