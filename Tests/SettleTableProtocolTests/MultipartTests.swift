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

    @Test func `have boundaries of 70 bytes at most`() {
        for (length, isRead) in [(70, true), (71, false)] {
            let boundary = String(repeating: "b", count: length)
            let found = parts(
                "--\(boundary)\r\n\r\nx\r\n--\(boundary)--", "multipart/x; boundary=\(boundary)")
            #expect((found?.count == 1) == isRead)
        }
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

    /// Reads a body that comes in pieces that end at places.
    private func read(
        _ body: [UInt8], cutAt places: [Int], _ type: String = "multipart/mixed; boundary=b"
    ) throws -> [Multipart.Part]? {
        var reader = try #require(MultipartReader(type: type))
        var parts: [Multipart.Part] = []
        var (start, isOver) = (0, false)
        for place in places + [body.count] {
            reader.append(body[start..<place])
            start = place
            while let event = try reader.next() {
                #expect(!isOver)
                switch event {
                case .part(let headers): parts.append(Multipart.Part(headers: headers, content: []))
                case .content(let bytes): parts[parts.count - 1].content += bytes
                case .partEnd: break
                case .end: isOver = true
                }
            }
        }
        return isOver ? parts : nil
    }

    @Test func `are the same wherever they are cut`() throws {
        let body = Array(
            ("x\r\n--b \r\nA: 1\r\n\r\n\r\n-\r\n--\r\n--a\r\n\r\n--b\r\n\r\n--b\r\n\r\n--b\r\nC:2\r\n\r\n\r\r\n--b--\r\n")
                .utf8)
        let whole = try #require(Multipart.parts(of: body[...], type: "multipart/x; boundary=b"))
        #expect(
            whole.map { String(decoding: $0.content, as: UTF8.self) } == [
                "\r\n-\r\n--\r\n--a\r\n", "", "", "\r",
            ])
        #expect(whole.map(\.headers) == [["a": "1"], [:], [:], ["c": "2"]])
        for first in 0...body.count {
            for second in first...min(first + 9, body.count) {
                #expect(try read(body, cutAt: [first, second]) == whole, "\(first) \(second)")
            }
        }
        #expect(try read(body, cutAt: Array(1..<body.count)) == whole)
    }

    @Test func `hold no more of a content than the delimiter has`() throws {
        var reader = try #require(MultipartReader(type: "multipart/mixed; boundary=b"))
        reader.append(Array("--b\r\n\r\n".utf8))
        #expect(try reader.next() == .part(headers: [:]))
        var length = 0
        for _ in 0..<100 {
            reader.append([UInt8](repeating: 0x0D, count: 1_000))
            while case .content(let bytes)? = try reader.next() { length += bytes.count }
        }
        #expect(length >= 100_000 - "\r\n--b".utf8.count)
    }

    @Test func `may not have heads without end`() throws {
        for text in ["--b\r\nA: ", "--b\r\n", "--b"] {
            var reader = try #require(MultipartReader(type: "multipart/mixed; boundary=b"))
            reader.append(Array(text.utf8))
            let line = Array(text == "--b\r\n" ? "A: b\r\n".utf8 : "AAAAAA".utf8)
            #expect(throws: MultipartReader.Malformed.self) {
                for _ in 0..<20_000 {
                    reader.append(line)
                    _ = try reader.next()
                }
            }
        }
    }
}
