import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Dates in documents` {
    private struct Event: Codable, Equatable {
        var id = "b"
        var time: Date
    }

    /// The first and the last microsecond whose years have four digits, and what is beyond.
    private static let first = Date(timeIntervalSince1970: -62_167_219_200)
    private static let last = Date(timeIntervalSince1970: 253_402_300_799.999)

    @Test(arguments: [first, last, Date.distantPast, Date.distantFuture])
    func `are read as they were written in the years 0000 through 9999`(date: Date) async throws {
        try await withDatabase { database async throws in
            var document = Document(id: "a")
            document["time"] = date
            try await database.save(document)
            #expect(try await database.fetchDocument("a")?["time"] as? Date == date)
            try await database.save(try Document(encoding: Event(time: date)))
            let read = try await database.fetchDocument("b")
            #expect(try read?.decode(Event.self) == Event(time: date))
        }
    }

    @Test(arguments: [
        first.timeIntervalSince1970 - 0.001, last.timeIntervalSince1970 + 0.001, 1e15, -1e300,
        .infinity, -.infinity, .nan,
    ])
    func `that would not be read again are refused`(seconds: Double) async throws {
        let date = Date(timeIntervalSince1970: seconds)
        try await withDatabase { database async throws in
            var document = Document(id: "a")
            document["time"] = date
            let error = await #expect(throws: DatabaseError.self) {
                try await database.save(document)
            }
            #expect(error?.code == .invalidDocument)
            let refusal = #expect(throws: EncodingError.self) {
                try Document(encoding: Event(time: date))
            }
            #expect(refusal.map { "\($0)" }?.contains("Date") == true)
            #expect(try database.totalDocumentCount == 0)
        }
    }

    @Test func `of a document's end that are not a number are none`() async throws {
        try await withDatabase { database async throws in
            var document = Document(id: "a")
            document.metaData.expirationDate = Date(timeIntervalSince1970: .nan)
            let saved = try await database.save(document)
            #expect(saved.metaData.expirationDate == nil)
            try await database.setExpirationDate(
                Date(timeIntervalSince1970: .nan), ofDocumentWithId: "a")
            #expect(try database.statistics().nextExpirationDate == nil)
        }
    }

    @Test func `stand beside numbers that have the digits of a Float`() throws {
        var document = Document()
        document["float"] = Float(0.1)
        document["number"] = NSNumber(value: Float(0.1))
        #expect(document[json: "float"] == .double(0.1))
        #expect(document[json: "number"] == .double(0.1))
        #expect(document["float", as: Float.self] == 0.1)
        document["double"] = NSNumber(value: 0.1)
        #expect(document[json: "double"] == .double(0.1))
        document["none"] = Float.infinity
        #expect(document[json: "none"] == nil)
    }
}
