import SettleTableProtocol
import Testing

@Suite struct `Bodies of several parts` {
    private func parts(_ text: String, _ type: String = "multipart/mixed; boundary=b")
        -> [Multipart.Part]?
    {
        Multipart.parts(of: Array(text.utf8)[...], type: type)
    }

    @Test func `are read with their heads`() throws {
        let found = try #require(
            parts(
                "before\r\n--b\r\nContent-Type: text/plain\r\nX-Y:  z \r\n\r\none\r\n--b\r\n\r\n\r\n--b\r\n\r\n"
                    + "--a\r\n\r\n--b--after"))
        #expect(
            found.map { String(decoding: $0.content, as: UTF8.self) } == ["one", "", "--a\r\n"])
        #expect(found.map(\.headers) == [["content-type": "text/plain", "x-y": "z"], [:], [:]])
    }

    @Test func `may have parts in their parts`() throws {
        let inner = "--i\r\n\r\nx\r\n--i--"
        let outer =
            "--b\r\nContent-Type: Multipart/Related; Boundary=\"i\"\r\n\r\n\(inner)\r\n--b--"
        let found = try #require(parts(outer))
        #expect(found.first?.parts?.map { Array($0.content) } == [Array("x".utf8)])
    }

    @Test(arguments: [
        "", "--b", "--b\r\n", "--b\r\n\r\nx", "--b\r\nno colon\r\n\r\nx\r\n--b--",
        "--c\r\n\r\nx\r\n--c--",
    ])
    func `are not read when they are malformed`(_ text: String) {
        #expect(parts(text) == nil)
    }

    @Test(arguments: ["text/plain", "multipart/mixed", "multipart/mixed; boundary=\"\""])
    func `are not read without a boundary`(_ type: String) {
        #expect(parts("--b\r\n\r\nx\r\n--b--", type) == nil)
    }

    @Test(arguments: [
        "a b.png", "ä\"\\;=", "", "x\ny", "\u{301}", "x\u{301};\u{301}=\u{301}\\\u{301}\"\u{301}",
    ])
    func `have names in quotes`(_ name: String) {
        let header = "attachment; other=1; filename=\(Multipart.quoted(name)); last=2"
        #expect(Multipart.parameter("filename", of: header) == name.replacing("\n", with: "_"))
        #expect(Multipart.parameter("last", of: header) == "2")
        #expect(Multipart.parameter("missing", of: header) == nil)
    }

    @Test func `are read with accents behind marks`() throws {
        let found = try #require(
            parts("--b\r\nX:\u{301}\r\nY: a \u{301} \r\n\r\none\r\n--b--"))
        #expect(found.map(\.headers) == [["x": "\u{301}", "y": "a \u{301}"]])
        let header = "attachment;filename=\u{301}a;\u{301}b=1;c=\"\u{301}\""
        #expect(Multipart.parameter("filename", of: header) == "\u{301}a")
        #expect(Multipart.parameter("c", of: header) == "\u{301}")
    }

    @Test func `have boundaries of their own`() {
        let boundaries = (0..<20).map { _ in Multipart.newBoundary() }
        #expect(Set(boundaries).count == 20 && boundaries.allSatisfy { $0.utf8.count == 32 })
    }
}
