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
    /// Whether the file of the database is still where it was opened.
    var isThere: @Sendable () -> Bool = { true }
    let logger: Logger

    let staged = StagedAttachments()
    let streamPlaces = StreamPlaces()
    /// Where the pages are; nil at a port of their own.
    var mount: Mount?

    func respond(to request: Request, context: Context) async throws -> Response {
        await response(to: request)
    }

    /// The response to a request, whatever goes wrong.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - grant: Says whether a token lets its bearer in, where the pages are under a path of a server.
    /// - Returns: The response.
    func response(
        to request: Request, granting grant: @Sendable (String) async -> PageGrant = Self.noGrant
    ) async -> Response {
        var response: Response
        do {
            if mount == nil {
                try RequestOrigin.check(request, port: port.number)
            } else {
                try RequestOrigin.checkMounted(request)
            }
            response = try await answer(request, granting: grant)
        } catch {
            response = page(for: error, request)
        }
        SecurityHeaders.add(to: &response.headers)
        return request.method == .head ? response.createHeadResponse() : response
    }

    static let noGrant: @Sendable (String) async -> PageGrant = { _ in
        .refused("There are no tokens here.")
    }

    private func answer(
        _ request: Request, granting grant: @Sendable (String) async -> PageGrant
    ) async throws -> Response {
        guard let path = RequestPath(String(request.uri.path.dropFirst(base.count))),
            let query = FormValues(parsing: request.uri.query ?? "")
        else { throw PageProblem.unusable("The address is malformed.") }
        if case .asset(let name) = path { return try asset(name) }
        if let mount, request.uri.path == mount.path {
            // The cookie is for what is under the path.
            return redirect(to: base + "/")
        }
        if mount == nil, case .home = path, request.method == .get,
            let token = query.filled("token")
        {
            return try enter(token)
        }
        if mount != nil, case .entry = path, request.method == .post {
            return try await enter(request, granting: grant)
        }
        guard let session = session(of: request), doorkeeper.knows(session, at: Date()) else {
            guard mount != nil, RequestOrigin.isReading(request.method) else {
                throw PageProblem.locked
            }
            return entry(.unauthorized, [])
        }
        switch path {
        case .entry: throw PageProblem.missing("There is nothing at this address.")
        case .exit:
            guard mount != nil, request.method == .post else {
                throw PageProblem.missing("There is nothing at this address.")
            }
            return leave(session)
        case .home: return try home()
        case .server: return server()
        case .asset: throw PageProblem.missing("There is nothing at this address.")
        case .page(let name, let page):
            guard let database = databases.database(named: name) else {
                throw PageProblem.missing(
                    "The database '\(VisibleText.beginning(of: name))' is not there, or nobody has it open."
                )
            }
            try checkIsThere(database)
            guard RequestOrigin.isReading(request.method) else {
                let response = try await change(request, page, database)
                // What went to a file that was removed meanwhile is lost.
                try checkIsThere(database)
                return response
            }
            return try await show(page, pageRequest(database, query), request, session)
        }
    }

    private func checkIsThere(_ database: Database) throws(PageProblem) {
        guard isThere() else { throw .gone(database.name) }
    }

    func pageRequest(_ database: Database, _ values: FormValues) -> PageRequest {
        PageRequest(
            database: database, values: values,
            isWritable: isWritable && !database.configuration.isReadOnly, growth: growth,
            jobs: jobs, staged: staged, base: base, metricsReport: metricsReport?())
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
                        ? PageRequest.address(name, Section.overview.rawValue, under: base) : nil),
                .text(isOpen ? "open" : "not in use"))
        }
        var blocks: [Block] = []
        if metricsReport?() != nil {
            blocks.append(.links([PageLink(text: "Server", address: base + "/server")]))
        }
        blocks.append(.table(table))
        if mount != nil { blocks.append(.form(.button("Leave", base + "/leave"))) }
        return html(PageFrame(title: "Databases", base: base, blocks: blocks))
    }

    /// What the server has counted, which is there before the first table.
    private func server() -> Response {
        let content = ServerPage.content(metricsReport?())
        return html(
            PageFrame(title: content.title, base: base, home: base + "/", blocks: content.blocks))
    }

    private func show(
        _ page: String, _ request: PageRequest, _ raw: Request, _ session: String
    ) async throws -> Response {
        switch page {
        case "events":
            return try EventStream(
                request, lastEventId: raw.headers[.lastEventId], try lease(session)
            ).response
        case "index/events": return try BuildStream(request, try lease(session)).response
        case "attachment": return try AttachmentDownload.response(request)
        case "document.json": return try AttachmentDownload.document(request)
        default: return html(frame(try await content(page, request), page, request))
        }
    }

    /// The right to a stream, until the session ends.
    private func lease(_ session: String) throws(PageProblem) -> StreamLease {
        StreamLease(place: try streamPlaces.take(session)) { [doorkeeper, isThere] in
            doorkeeper.knows(session, at: Date()) && isThere()
        }
    }

    private func content(_ page: String, _ request: PageRequest) async throws -> PageContent {
        switch page {
        case "overview": try OverviewPage.content(request)
        case "documents": try DocumentListPage.content(request)
        case "document": try await DocumentPage.content(request)
        case "edit": try EditPage.content(request)
        case "attach": try AttachmentPage.content(request)
        case "detach": try AttachmentPage.removal(request)
        case "expiry": try ExpiryPage.content(request)
        case "indexes": try IndexListPage.content(request)
        case "index": try await IndexPage.content(request)
        case "changes": try ChangesPage.content(request)
        case "outbox": try OutboxPage.content(request)
        case "operation": try OperationPage.content(request)
        case "replication": try ReplicationPage.content(request)
        case "conflict": try ConflictPage.content(request)
        case "conflict/merge": try ConflictPage.merge(request)
        case "conflicts": try ConflictListPage.content(request)
        case "leaves": try LeavesPage.content(request)
        case "leaves/merge": try LeavesPage.merge(request)
        case "entities": try await EntitiesPage.content(request)
        case "entity": try await EntityPage.content(request)
        case "server": ServerPage.content(request.metricsReport)
        default: throw PageProblem.missing("There is no such page.")
        }
    }

    /// Which page of the menu another belongs to.
    private static let sections: [String: Section] = [
        "document": .documents, "edit": .documents, "attach": .documents, "detach": .documents,
        "expiry": .documents, "index": .indexes, "operation": .outbox, "conflict": .replication,
        "conflict/merge": .replication, "conflicts": .replication, "leaves": .replication,
        "leaves/merge": .replication, "entity": .entities,
    ]

    func frame(
        _ content: PageContent, _ page: String, _ request: PageRequest
    ) -> PageFrame {
        let section = Section(rawValue: page) ?? Self.sections[page]
        return PageFrame(
            title: content.title, databaseName: VisibleText.of(request.database.name),
            tabs: Section.allCases.map {
                PageLink(
                    text: $0.title, address: request.address($0.rawValue),
                    isCurrent: $0 == section)
            }, isWritable: request.isWritable, base: base,
            home: databases is SingleDatabase ? nil : base + "/", blocks: content.blocks)
    }

    /// Waits for what goes on behind the pages, and removes what waits for somebody.
    func finish() async {
        await jobs.finish()
        await staged.finish()
    }

    // MARK: Responses

    func redirect(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }

    func html(_ page: PageFrame, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: templates.render(page))))
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
