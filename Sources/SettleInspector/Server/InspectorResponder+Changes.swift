import HTTPTypes
import Hummingbird
import NIOCore
import Settle

// What forms do.

extension InspectorResponder {
    /// The longest form that is taken: the text of a document.
    private static let bodyMax = 16 << 20

    func change(
        _ request: Request, _ page: String, _ database: Database
    ) async throws -> Response {
        guard request.method == .post else {
            throw PageProblem(status: .methodNotAllowed, message: "Pages send GET and POST only.")
        }
        let pages = pageRequest(database, FormValues())
        guard pages.isWritable else { throw PageProblem.readOnly }
        if page == "attachment/review" { return try await review(request, pages) }
        guard
            request.headers[.contentType]?.lowercased().hasPrefix(
                "application/x-www-form-urlencoded")
                ?? false
        else { throw PageProblem(status: .unsupportedMediaType, message: "Pages send forms only.") }
        return try await carryOut(page, pages.with(try await form(request, upTo: Self.bodyMax)))
    }

    /// The fields of a form.
    func form(_ request: Request, upTo count: Int) async throws -> FormValues {
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: count)
        } catch {
            throw PageProblem(
                status: .contentTooLarge,
                message:
                    "The form is longer than \(Amounts.bytes(count)), or did not come to its end.")
        }
        guard let values = FormValues(parsing: String(buffer: body)) else { throw MalformedForm() }
        return values
    }

    /// Takes a file, and shows what it would change.
    private func review(_ request: Request, _ pages: PageRequest) async throws -> Response {
        let type = request.headers[.contentType] ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data") else {
            throw PageProblem(status: .unsupportedMediaType, message: "Pages send forms only.")
        }
        let content = try await AttachmentPage.review(
            pages, contentType: type, request.body.map { Array($0.readableBytesView) })
        return html(frame(content, "attach", pages))
    }

    private func carryOut(_ action: String, _ request: PageRequest) async throws -> Response {
        switch action {
        case "document/review":
            return html(frame(try EditPage.review(request), "edit", request))
        case "document/save":
            return redirect(to: request.address(ofDocument: try await EditPage.save(request)))
        case "document/delete":
            return redirect(to: request.address(ofDocument: try await EditPage.delete(request)))
        case "document/purge":
            try await EditPage.purge(request)
            return redirect(to: request.address("documents"))
        case "attachment/save", "attachment/discard", "attachment/remove":
            let id =
                switch action {
                case "attachment/save": try await AttachmentPage.save(request)
                case "attachment/discard": try await AttachmentPage.discard(request)
                default: try await AttachmentPage.remove(request)
                }
            return redirect(to: request.address(ofDocument: id))
        case "expiry/review":
            return html(frame(try ExpiryPage.review(request), "expiry", request))
        case "expiry/save":
            return redirect(to: request.address(ofDocument: try await ExpiryPage.save(request)))
        case "entities/open":
            return redirect(
                to: request.address("index", ["name": try await EntitiesPage.open(request)]))
        case "index/add":
            return redirect(to: request.address("index", ["name": try IndexListPage.add(request)]))
        case "index/build", "index/remove":
            let (name, database) = (try request.required("name"), request.database)
            guard action == "index/build" else {
                try await database.removeIndex(named: name)
                return redirect(to: request.address("indexes"))
            }
            jobs.start(IndexListPage.jobName(name, database)) {
                try await database.buildIndex(named: name)
            }
            return redirect(to: request.address("index", ["name": name]))
        case "operation/hold", "operation/retry", "operation/skip":
            try await OperationPage.change(request, String(action.dropFirst("operation/".count)))
            return redirect(to: request.address("outbox"))
        case "conflict/review":
            return html(frame(try ConflictPage.review(request), "conflict", request))
        case "leaves/review":
            return html(frame(try LeavesPage.review(request), "leaves", request))
        case "leaves/resolve":
            return redirect(to: request.address(ofDocument: try await LeavesPage.resolve(request)))
        case "conflict/resolve":
            try await ConflictPage.resolve(request)
            return redirect(
                to: request.address("replication", ["remote": request.values["remote"]]))
        default: throw PageProblem.missing("There is nothing that could be done at this address.")
        }
    }
}
