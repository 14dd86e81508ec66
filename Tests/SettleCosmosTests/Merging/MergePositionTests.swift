import Settle
import Testing

@testable import SettleCosmos

@Suite struct `Positions of merged queries` {
    @Test func `are read as earlier releases wrote them`() throws {
        let text =
            #"q1:{"given":3,"left":4,"parts":[{"after":"x","given":["a","a"],"keys":[[17],[],[null]],"#
            + #""range":"0"},{"range":"1"}],"seen":["AA=="],"skip":2}"#
        let position = try Cosmos.MergePosition(text)
        #expect(position.text == text)
        var expected = Cosmos.MergePosition(parts: [
            .init(
                rangeId: "0", continuation: "x", lastKeys: [17, nil, .null], givenIds: ["a", "a"]),
            .init(rangeId: "1"),
        ])
        expected.skippedCount = 2
        expected.leftCount = 4
        expected.givenCount = 3
        expected.seen = ["AA=="]
        #expect(position == expected)
    }

    @Test(arguments: ["", "q1", "q2:{}", "q1:{", "q1:[]", #"q1:{"parts":[{"after":"x"}]}"#])
    func `are not read of anything else`(text: String) {
        #expect(throws: Cosmos.ClientError.self) { try Cosmos.MergePosition(text) }
    }
}
