import ArgumentParser
import Foundation
import Testing

@testable import SettleCommand

@Suite(.serialized) struct `Arguments of the outbox` {
    private let id = "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED"

    @Test(arguments: [4, 7, 8, 9, 13, 14, 35])
    func `name an operation by the beginning of its identifier`(length: Int) throws {
        let uuid = try #require(UUID(uuidString: id))
        let other = try #require(UUID(uuidString: id.replacing("1B9", with: "1B8")))
        for text in [String(id.prefix(length)), id.prefix(length).lowercased()] {
            let argument = try OperationArgument(parsing: text)
            #expect(argument.id == nil && argument.text == text)
            #expect(argument.begins(uuid) && !argument.begins(other), "\(text)")
        }
    }

    @Test func `name an operation by its whole identifier`() throws {
        let uuid = try #require(UUID(uuidString: id))
        for text in [id, id.lowercased(), id.replacing("-", with: "")] {
            let argument = try OperationArgument(parsing: text)
            #expect(argument.id == uuid && argument.begins(uuid), "\(text)")
        }
    }

    @Test(arguments: [
        "", "1B9", "1-B-9", "1B9G", "----", "１２３４", "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED0",
    ])
    func `that begin no identifier are refused`(text: String) {
        #expect(throws: ValidationError.self) { try OperationArgument(parsing: text) }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:10Z", 10), ("1970-01-01T01:00:00.5+01:00", 0.5), ("1970-01-02", 86_400),
    ])
    func `hold a date`(text: String, seconds: Double) throws {
        #expect(try DateArgument(parsing: text).date == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: ["", "tomorrow", "2026-13-01", "2026-02-30", "24.12.2026", "2h", "2026-12"])
    func `that are no date are refused`(text: String) {
        #expect(throws: ValidationError.self) { try DateArgument(parsing: text) }
    }

    @Test func `a date is written as it is read`() throws {
        let text = "2026-12-24T18:00:00.000Z"
        #expect(DateArgument.text(of: try DateArgument(parsing: text).date) == text)
    }
}
