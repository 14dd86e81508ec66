import HTTPTypes
import Settle
import Testing

@testable import SettleInspector

@Suite struct `Forms as browsers send them` {
    /// Sends the form with a button, its fields as a browser has them: ends of lines are always two characters.
    private func press(
        _ button: String, on page: TestInspector.Page, _ inspector: TestInspector,
        filling fields: [String: String] = [:]
    ) async throws -> TestInspector.Page {
        let form = try #require(
            page.text.matches(of: #/<form action="([^"]*)"((?:(?!<\/form>)[\s\S])*)<\/form>/#)
                .first { $0.2.contains(">\(button)</button>") })
        var body = fields.map { ($0, $1) }
        for field in form.2.matches(of: #/<input type="hidden" name="([^"]*)" value="([^"]*)"/#) {
            body.append((String(field.1), TestInspector.unescaped(String(field.2))))
        }
        let text = body.map { name, value in
            var sent = String.UnicodeScalarView()
            var last: Unicode.Scalar?
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\u{0}": sent.append("\u{FFFD}")
                case "\n" where last == "\r": break
                case "\r", "\n": sent.append(contentsOf: "\r\n".unicodeScalars)
                default: sent.append(scalar)
                }
                last = scalar
            }
            return "\(Percent.encoded(name))=\(Percent.encoded(String(sent)))"
        }
        return try await inspector.send(
            .post, TestInspector.unescaped(String(form.1)),
            headers: [
                .origin: "http://localhost", .contentType: "application/x-www-form-urlencoded",
            ],
            body: text.joined(separator: "&"))
    }

    @Test(arguments: ["a\nb", "a\rb", "a\r\nb", "\n", "a\u{1}b", "50 %0A&\"'", "plain"])
    func `bring an identifier back as it is`(
        id: String
    ) async throws {
        let test = try await TestDatabase.open()
        try await test.add([Document(id: id)])
        let inspector = try await TestInspector(test.database, isWritable: true)
        let edit = try await inspector.page("edit", ["id": id])
        let review = try await press(
            "Show what is different", on: edit, inspector, filling: ["text": "{\r\n\"n\": 1}"])
        #expect(review.status == .ok && !review.text.contains("changed meanwhile"))
        let saved = try await press("Save", on: review, inspector)
        #expect(saved.status == .seeOther)
        #expect(try test.database.read { try $0.document(id)?[json: "n"] } == 1)
        let page = try await inspector.page("document", ["id": id])
        #expect(try await press("Delete", on: page, inspector).status == .seeOther)
        let tombstone = try await inspector.page("document", ["id": id])
        #expect(try await press("Purge", on: tombstone, inspector).status == .seeOther)
        #expect(try await inspector.page("document", ["id": id]).status == .notFound)
        await test.close()
    }

    @Test func `are refused when a value that is encoded twice cannot be read`() {
        #expect(FormValues(parsing: "id*=a%250Ab")?["id"] == "a\nb")
        #expect(FormValues(parsing: "id*=%25zz") == nil)
        #expect(FormValues(["id*": "%"]) == nil && FormValues(["id*": "a"])?["id"] == "a")
    }
}
