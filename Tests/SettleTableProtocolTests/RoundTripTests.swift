import SettleDocuments
import SettleTableProtocol
import TestSupport
import Testing

@Suite struct `What one side writes the other reads` {
    /// All texts of some characters up to a length, the empty one first.
    private static func texts(of characters: [Character], upTo length: Int) -> [String] {
        var all = [""]
        var last = [""]
        for _ in 0..<length {
            last = last.flatMap { text in characters.map { text + String($0) } }
            all += last
        }
        return all
    }

    private static func randomText(_ generator: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            let value = UInt32.random(in: 0..<0x1_1000, using: &generator)
            text.append(Unicode.Scalar(value) ?? "x")
        }
        return String(text)
    }

    @Test func `versions in an ETag, whatever is in them`() {
        for version in Self.texts(of: ["a", "\"", "\\", ",", " ", "é"], upTo: 5) {
            let shown = EntityTag(version: version).text
            #expect(EntityTag.version(shownBy: shown) == version)
            #expect(
                EntityTag.version(shownBy: EntityTag(version: version, isWeak: true).text) == nil)
        }
    }

    @Test func `tags in a list, unless a version ends like an escape`() {
        let versions = Self.texts(of: ["a", "\"", "\\", ",", "W"], upTo: 4).filter {
            !$0.hasSuffix("\\")
        }
        var generator = SeededGenerator()
        for version in versions {
            let tags = [
                EntityTag(version: version, isWeak: Bool.random(using: &generator)),
                EntityTag(version: versions.randomElement(using: &generator) ?? ""),
            ]
            #expect(EntityTag.tags([tags.map(\.text).joined(separator: ", ")]) == tags)
            #expect(EntityTag.tags(tags.map(\.text)) == tags)
        }
    }

    @Test(arguments: ["", " ", "\"a", "\"a\" \"b\"", "\"a\",,"])
    func `what is no tag is none`(_ text: String) {
        #expect(EntityTag.tags([text]) == nil)
    }

    @Test func `texts in a path and in a query`() {
        var generator = SeededGenerator()
        let texts =
            Self.texts(of: ["a", "/", "%", "+", " ", "ü"], upTo: 4)
            + (0..<300).map { _ in Self.randomText(&generator) }
        for text in texts {
            let segment = PercentEncoding.encoded(text)
            let value = PercentEncoding.queryValue(text)
            #expect(PercentEncoding.decoded(segment[...]) == text, "\(generator)")
            #expect(PercentEncoding.decoded(value[...], plusIsSpace: true) == text, "\(generator)")
            #expect((segment + value).utf8.allSatisfy { $0 < 0x80 })
            #expect(!segment.contains("/") && !value.contains("&"))
        }
    }

    @Test func `the versions of the protocol, with any patch`() {
        for version in TableVersion.allCases {
            #expect(TableVersion(text: version.text) == version)
            #expect(TableVersion(text: "\(version.rawValue).0.17") == version)
        }
        for text in [
            "", "2", "2.0", "2.0.", "2.1.0", "2.0.x", "1.0.0", "4.0.0", " 2.0.0", "2.0.0 ",
        ] {
            #expect(TableVersion(text: text) == nil, "\(text)")
        }
    }

    @Test func `every set of features`() {
        for rawValue in 0...ServerFeatures.all.rawValue {
            let features = ServerFeatures(rawValue: rawValue)
            #expect(ServerFeatures(header: features.header) == features)
        }
        #expect(ServerFeatures(header: "Batch,\tfoo , removed") == [.batch, .removals])
        #expect(ServerFeatures.all.header == "batch, changes, removed, attachments")
    }

    @Test func `who the server is`() {
        #expect(ServerIdentity.isSettle(ServerIdentity.header))
        #expect(ServerIdentity.isSettle("Settle-9"))
        for other in [nil, "", "node-4.0.3", "net-settle-1"] {
            #expect(!ServerIdentity.isSettle(other))
        }
    }

    @Test func `why an item is not shown`() {
        for mark in [RemovalMark.changed, .deleted] {
            #expect(RemovalMark(mark.json) == mark)
        }
        #expect(RemovalMark([:] as JSONValue) == .changed)
        #expect(RemovalMark(nil) == nil && RemovalMark("deleted") == nil)
    }

    @Test func `descriptions of attachments`() throws {
        var generator = SeededGenerator()
        for _ in 0..<200 {
            var descriptions: [AttachmentDescription] = []
            for index in 0..<Int.random(in: 0..<5, using: &generator) {
                let digit = "0123456789abcdef".randomElement(using: &generator) ?? "0"
                descriptions.append(
                    AttachmentDescription(
                        name: "\(index) \(digit)/ü", contentType: "text/x-\(digit); q=\"\(index)\"",
                        length: Int.random(in: 0...Int(1) << 40, using: &generator),
                        digest: try #require(
                            AttachmentDigest(String(repeating: digit, count: 64)))))
            }
            let column = AttachmentColumn.json(descriptions)
            #expect(try AttachmentColumn.descriptions(of: column) == descriptions, "\(generator)")
            for description in descriptions {
                #expect(
                    AttachmentDescription(name: description.name, shapedAs: description.json)
                        == description)
            }
        }
    }

    @Test func `a description that lacks something is none`() throws {
        let digest = try #require(AttachmentDigest(String(repeating: "7", count: 64)))
        let whole = AttachmentDescription(
            name: "a", contentType: "text/plain", length: 1, digest: digest)
        let members = try #require(whole.json.objectValue)
        for name in members.keys {
            var rest = members
            rest[name] = nil
            #expect(AttachmentDescription(name: "a", shapedAs: .object(rest)) == nil)
            #expect(throws: TableFault.self) {
                try AttachmentDescription(name: "a", json: .object(rest))
            }
        }
        for name in ["", ".", "..", "a\u{1}", String(repeating: "x", count: 1001)] {
            #expect(throws: TableFault.self) {
                try AttachmentDescription(name: name, json: whole.json)
            }
        }
    }

    @Test func `what is wrong, in a sentence`() {
        for sentence in ["It is gone.", "", "a \"b\"", "zwölf"] {
            let body = ProblemBody(
                status: 404, title: "Not Found", sentence: sentence,
                details: ["position": 3, "error": "overwritten"])
            #expect(ProblemBody.sentence(in: body.json) == sentence)
            #expect(body.json["position"] == 3 && body.json["status"] == 404)
        }
        #expect(ProblemBody.sentence(in: "just text") == "just text")
        #expect(ProblemBody.sentence(in: ["title": "t", "message": "m"]) == "m")
        #expect(ProblemBody.sentence(in: ["status": 1]) == nil)
    }

    @Test func `where the next page is`() throws {
        for path in ["/tables/a", "/x/tables/%C3%BC"] {
            for query in ["", "$top=5", "$skiptoken=a%3Bb&x=%20?y"] {
                let link = ContinuationLink(path: path, query: query)
                #expect(ContinuationLink(header: link.header) == link)
            }
        }
        for text in ["", "/a?b", "/a; rel=next", "/a?b; rel=prev", "a?b; rel=next"] {
            #expect(ContinuationLink(header: text) == nil, "\(text)")
        }
        #expect(
            ContinuationLink(header: "/a?b;rel=\"next\"")
                == ContinuationLink(path: "/a", query: "b"))
    }

    @Test func `what a reader asks for`() {
        for preference in ReaderPreference.allCases {
            #expect(ReaderPreference.preferences(in: [preference.rawValue]) == [preference])
        }
        let mixed = ReaderPreference.preferences(in: ["wait=1", "x, Settle.Removed ,y"])
        #expect(mixed == [.removals])
        #expect(ReaderPreference.preferences(in: ["settle.removed.not", ""]) == [])
    }
}
