import SettleDocuments
import Testing

@testable import SettleIndexing

@Suite struct `Built-in reduce functions` {
    private let values: [JSONValue?] = [3, -1, .double(2.5), 10]

    @Test(arguments: [
        (BuiltInReducer.sum, JSONValue.double(14.5)), (.count, 4), (.min, -1), (.max, 10),
    ])
    func `give the plain result`(function: BuiltInReducer, expected: JSONValue) throws {
        #expect(try function.reduce(values) == expected)
    }

    @Test func `give the statistics that CouchDB gives`() throws {
        #expect(
            try BuiltInReducer.stats.reduce([1, 2, 3])
                == ["sum": 6, "count": 3, "min": 1, "max": 3, "sumsqr": 14])
    }

    @Test(arguments: BuiltInReducer.allCases)
    func `agree with themselves however the rows are cut`(function: BuiltInReducer) throws {
        let numbers: [JSONValue?] = (0..<8).map { .integer(Int64($0 * $0 - 9)) }
        let whole = try function.reduce(numbers)
        for first in 1..<7 {
            for second in (first + 1)..<8 {
                let parts = [numbers[..<first], numbers[first..<second], numbers[second...]]
                let partials = try parts.map { try function.reduce(Array($0)) }
                #expect(try function.rereduce(partials) == whole, "cut at \(first), \(second)")
            }
        }
    }

    @Test func `keep integers exact and go over to doubles only where they must`() throws {
        let large = Int64.max - 1
        #expect(try BuiltInReducer.sum.reduce([.integer(large), 1]) == .integer(Int64.max))
        #expect(
            try BuiltInReducer.sum.reduce([.integer(Int64.max), 1])
                == .double(Double(Int64.max) + 1))
        #expect(
            try BuiltInReducer.max.reduce([.double(9_007_199_254_740_992), 9_007_199_254_740_993])
                == 9_007_199_254_740_993)
    }

    @Test func `add arrays element by element`() throws {
        #expect(try BuiltInReducer.sum.reduce([[1, 2], [10], 5]) == [16, 2])
    }

    @Test(arguments: BuiltInReducer.allCases)
    func `pass over rows without a value, all but the count`(function: BuiltInReducer) throws {
        let some = try function.reduce([nil, 4, nil])
        #expect(try some == (function == .count ? 3 : function.reduce([4])))
        let none = try function.reduce([nil, nil])
        let expected: JSONValue =
            switch function {
            case .count: 2
            case .sum: 0
            default: .null
            }
        #expect(none == expected)
        #expect(
            try function.rereduce([none, some])
                == (function == .count ? 5 : some))
    }

    @Test(arguments: [BuiltInReducer.sum, .stats, .min, .max])
    func `refuse what is not a number`(function: BuiltInReducer) {
        for value in ["a", true, .null, [:]] as [JSONValue?] {
            #expect(throws: IndexError.self) { try function.reduce([1, value]) }
        }
    }
}
