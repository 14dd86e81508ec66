import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Settle
import SettlePrimitives
import Synchronization

/// Answers every request of an inspector.
///
/// The order of the questions: whether the host is this machine and the page behind the request ours, what the path
/// names, whether the browser was let in, whether something may be changed; then the page itself.
struct InspectorResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let databases: any InspectedDatabases
    let isWritable: Bool
    let doorkeeper: Doorkeeper
    let templates: TemplateLibrary
    let growth = GrowthRecord()
    let jobs = Jobs()
    let port = ListeningPort()
    let metricsReport: (@Sendable () -> String?)?
    let logger: Logger

    /// The longest form that is taken: the text of a document.
    private static let bodyMax = 16 << 20

    func respond(to request: Request, context: Context) async throws -> Response {
        await response(to: request)
    }

    /// The response to a request, whatever goes wrong.
    func response(to request: Request) async -> Response {
        var response: Response
        do {
            try RequestOrigin.check(request, port: port.number)
            response = try await answer(request)
        } catch {
            response = page(for: error, request)
        }
        SecurityHeaders.add(to: &response.headers)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: Request) async throws -> Response {
        guard let path = RequestPath(request.uri.path),
            let query = FormValues(parsing: request.uri.query ?? "")
        else { throw PageProblem.unusable("The address is malformed.") }
        if case .asset(let name) = path { return try asset(name) }
        if case .home = path, request.method == .get, let token = query.filled("token") {
            return try enter(token)
        }
        guard session(of: request).map(doorkeeper.knows) ?? false else { throw PageProblem.locked }
        switch path {
        case .home: return try home()
        case .asset: throw PageProblem.missing("There is nothing at this address.")
        case .page(let name, let page):
            guard let database = databases.database(named: name) else {
                throw PageProblem.missing(
                    "The database '\(VisibleText.beginning(of: name))' is not there, or nobody has it open."
                )
            }
            guard RequestOrigin.isReading(request.method) else {
                return try await change(request, page, database)
            }
            return try await show(page, pageRequest(database, query), request)
        }
    }

    private func pageRequest(_ database: Database, _ values: FormValues) -> PageRequest {
        PageRequest(
            database: database, values: values,
            isWritable: isWritable && !database.configuration.isReadOnly, growth: growth,
            jobs: jobs, metricsReport: metricsReport?())
    }

    // MARK: Letting in

    private var cookieName: String { "settle-inspector-\(port.number ?? 0)" }

    private func session(of request: Request) -> String? {
        for header in request.headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2,
                    parts[0].trimmingCharacters(in: .whitespaces) == cookieName
                else { continue }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }

    private func enter(_ token: String) throws -> Response {
        guard let session = doorkeeper.session(for: token) else { throw PageProblem.locked }
        return Response(
            status: .seeOther,
            headers: [
                .location: "/",
                .setCookie: "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/",
            ])
    }

    // MARK: Pages

    private func asset(_ name: String) throws -> Response {
        let assets: [String: (bytes: [UInt8], type: String)] = [
            "inspector.css": (PackageResources.inspector_css, "text/css; charset=utf-8"),
            "inspector.js": (PackageResources.inspector_js, "text/javascript; charset=utf-8"),
            "icon.svg": (PackageResources.icon_svg, "image/svg+xml"),
        ]
        guard let asset = assets[name] else {
            throw PageProblem.missing("There is nothing at this address.")
        }
        return Response(
            status: .ok, headers: [.contentType: asset.type, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }

    private func home() throws -> Response {
        let names = try databases.names()
        if names.count == 1, databases is SingleDatabase {
            return redirect(to: PageRequest.address(names[0], Section.overview.rawValue))
        }
        var table = Table(
            caption: "Databases of the server", columns: ["Database", "State"],
            emptiness: "There is no table yet.")
        for name in names {
            let isOpen = databases.database(named: name) != nil
            table.add(
                .name(
                    name,
                    link: isOpen
                        ? PageRequest.address(name, Section.overview.rawValue) : nil),
                .text(isOpen ? "open" : "not in use"))
        }
        return html(PageFrame(title: "Databases", blocks: [.table(table)]))
    }

    private func show(
        _ page: String, _ request: PageRequest, _ raw: Request
    ) async throws -> Response {
        switch page {
        case "events":
            return try EventStream(request, lastEventId: raw.headers[.lastEventId]).response
        case "attachment": return try AttachmentDownload.response(request)
        case "document.json": return try AttachmentDownload.document(request)
        default: return html(frame(try await content(page, request), page, request))
        }
    }

    private func content(_ page: String, _ request: PageRequest) async throws -> PageContent {
        switch page {
        case "overview": try OverviewPage.content(request)
        case "documents": try DocumentListPage.content(request)
        case "document": try await DocumentPage.content(request)
        case "edit": try EditPage.content(request)
        case "indexes": try IndexListPage.content(request)
        case "index": try await IndexPage.content(request)
        case "changes": try ChangesPage.content(request)
        case "outbox": try OutboxPage.content(request)
        case "operation": try OperationPage.content(request)
        case "replication": try ReplicationPage.content(request)
        case "conflict": try ConflictPage.content(request)
        case "entities": try await EntitiesPage.content(request)
        case "entity": try await EntityPage.content(request)
        case "server": ServerPage.content(request)
        default: throw PageProblem.missing("There is no such page.")
        }
    }

    /// Which page of the menu another belongs to.
    private static let sections: [String: Section] = [
        "document": .documents, "edit": .documents, "index": .indexes, "operation": .outbox,
        "conflict": .replication, "entity": .entities,
    ]

    private func frame(
        _ content: PageContent, _ page: String, _ request: PageRequest
    ) -> PageFrame {
        let section = Section(rawValue: page) ?? Self.sections[page]
        return PageFrame(
            title: content.title, databaseName: VisibleText.of(request.database.name),
            tabs: Section.allCases.map {
                PageLink(
                    text: $0.title, address: request.address($0.rawValue),
                    isCurrent: $0 == section)
            }, isWritable: request.isWritable,
            home: databases is SingleDatabase ? nil : "/", blocks: content.blocks)
    }

    // MARK: Changes

    private func change(
        _ request: Request, _ page: String, _ database: Database
    ) async throws -> Response {
        guard request.method == .post else {
            throw PageProblem(status: .methodNotAllowed, message: "Pages send GET and POST only.")
        }
        let pages = pageRequest(database, FormValues())
        guard pages.isWritable else { throw PageProblem.readOnly }
        guard
            request.headers[.contentType]?.lowercased().hasPrefix(
                "application/x-www-form-urlencoded")
                ?? false
        else { throw PageProblem(status: .unsupportedMediaType, message: "Pages send forms only.") }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Self.bodyMax)
        } catch {
            throw PageProblem(
                status: .contentTooLarge,
                message:
                    "The form is longer than \(Amounts.bytes(Self.bodyMax)), or did not come to its end."
            )
        }
        guard let values = FormValues(parsing: String(buffer: body)) else {
            throw PageProblem.unusable("The form is malformed.")
        }
        return try await carryOut(page, pageRequest(database, values))
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
        case "conflict/resolve":
            try await ConflictPage.resolve(request)
            return redirect(
                to: request.address("replication", ["remote": request.values["remote"]]))
        default: throw PageProblem.missing("There is nothing that could be done at this address.")
        }
    }

    // MARK: Responses

    private func redirect(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }

    private func html(_ page: PageFrame, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: templates.render(page))))
    }

    /// The page that says why a request was not carried out.
    private func page(for error: any Error, _ request: Request) -> Response {
        let problem = Self.problem(for: error)
        if problem.status == .internalServerError {
            // The text of an error may hold something of a document.
            logger.error("inspector", metadata: ["error": "\(type(of: error))"])
        }
        var frame = PageFrame(
            title: problem.status.reasonPhrase, blocks: [.warning(problem.message)])
        if !problem.isOutside { frame.home = "/" }
        return html(frame, status: problem.status)
    }

    private static func problem(for error: any Error) -> PageProblem {
        switch error {
        case let problem as PageProblem: return problem
        case let error as DatabaseError:
            let status: HTTPResponse.Status =
                switch error.code {
                case .conflict, .documentExists, .indexChanged: .conflict
                case .documentNotFound, .indexNotFound: .notFound
                case .invalidDocument, .invalidDocumentId, .invalidIndex, .unsupportedQuery,
                    .documentTooLarge:
                    .badRequest
                case .readOnly: .forbidden
                case .databaseClosed: .serviceUnavailable
                default: .internalServerError
                }
            return PageProblem(status: status, message: VisibleText.of(error.message))
        default:
            return PageProblem(
                status: .internalServerError, message: VisibleText.of(FailureSentence.of(error)))
        }
    }
}

/// The port that an inspector listens on, once it does.
final class ListeningPort: Sendable {
    private let state = Lock<Int?>(nil)

    /// The port; nil before it is listened on.
    var number: Int? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension HTTPField.Name {
    /// `Last-Event-ID`: where a browser was when a stream of events was cut.
    static let lastEventId = HTTPField.Name("Last-Event-ID")!
}
