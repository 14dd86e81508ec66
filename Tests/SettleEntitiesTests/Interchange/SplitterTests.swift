import Settle
import TestSupport
import Testing

@testable import SettleEntities

@Suite struct `Finding the entities in a text` {
    private static let text = """
        {"x": "entities", "y": {"entities": [1]}, "entities" : [ {"a": "]}\\\\\\"[{"} ,\n{"b": [1, {"c": {}}]},{}],
        "z": [{"entities": []}]}
        """

    @Test func `gives the same whatever the pieces are`() throws {
        let bytes = Array(Self.text.utf8)
        for length in 1...bytes.count {
            var splitter = InterchangeSplitter()
            var found: [String] = []
            for start in stride(from: 0, to: bytes.count, by: length) {
                try splitter.take(Array(bytes[start..<min(start + length, bytes.count)])) {
                    text, offset in
                    #expect(Array(bytes[offset...].prefix(text.count)) == text)
                    found.append(String(decoding: text, as: UTF8.self))
                }
            }
            try splitter.finish()
            #expect(found == ["{\"a\": \"]}\\\\\\\"[{\"}", "{\"b\": [1, {\"c\": {}}]}", "{}"])
        }
    }

    @Test func `accepts a text with any byte changed only if it is an interchange`() throws {
        let bytes = Array("{\"e\":1,\"entities\":[{\"a\":\"b\"},{}]}".utf8)
        for place in bytes.indices {
            for byte in "{}[]\",: x1\\".utf8 {
                var changed = bytes
                changed[place] = byte
                var splitter = InterchangeSplitter()
                var elements: [[UInt8]] = []
                let isAccepted: Bool
                do {
                    try splitter.take(changed) { text, _ in elements.append(text) }
                    try splitter.finish()
                    isAccepted = elements.allSatisfy {
                        (try? JSONValue(jsonText: String(decoding: $0, as: UTF8.self))) != nil
                    }
                } catch {
                    isAccepted = false
                }
                let json = try? JSONValue(jsonText: String(decoding: changed, as: UTF8.self))
                let list = json?["entities"]?.arrayValue
                let isInterchange = list.map { $0.allSatisfy { $0.objectValue != nil } } ?? false
                #expect(isAccepted == isInterchange, "\(String(decoding: changed, as: UTF8.self))")
            }
        }
    }
}
