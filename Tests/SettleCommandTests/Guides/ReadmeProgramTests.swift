import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `README's program` {
    @Test(.timeLimit(.minutes(60))) func `does what its comments say`() async throws {
        try await withScratchDirectory("readme") { scratch in
            let folder = scratch.url
            let (seen, prices) = AsyncStream<Double?>.makeStream()

            // README begins
            let byColour = Database.Index(
                name: "byColour", version: "1",
                map: { document, addIndexRow in
                    guard document.metaData.type == "fruit" else { return }
                    addIndexRow([document["colour"], document["name"]], document["price"])
                },
                reduce: { _, values, _ in
                    values.compactMap { ($0 as? NSNumber)?.doubleValue }.reduce(0, +)
                })
            let configuration = Database.OpenDatabaseConfiguration(
                name: "orchard", fileLocation: folder, indexes: [byColour])
            let database = try await Database.openOrCreate(configuration)

            let apple: Document = [
                "id": "apple", "type": "fruit", "colour": "red", "name": "Apple", "price": 3,
            ]
            var stored = try await database.add(apple)
            let red = QueryByKeyRange(
                startKey: ["red"], endKey: ["red", [:] as [String: Any]] as [Any])
            let observer = database.observeQuery(on: "byColour", with: red) { result in
                prices.yield(result.first?.value as? Double)  // 3.0, and soon 4.0
            }
            stored["price"] = 4
            try await database.update(stored)
            // README ends

            var last: Double?
            for await price in seen {
                last = price
                if price == 4 { break }
            }
            #expect(last == 4)
            if let observer { database.removeObserver(observer) }
            await database.close()
        }
    }
}
