import HTTPTypes
import SettleTableProtocol

/// All routes of a server; the only list of them.
enum RouteTable {
    /// Routes with fixed names come before those with a parameter in the same place.
    static let all: [Route] = [
        Route(
            kind: .description, template: "/openapi.json",
            operations: [
                RouteOperation(
                    .get, "getDescription", "This description.",
                    answers: open([RouteResponse(200, "The description.", .description)]))
            ]),
        Route(
            kind: .health, template: "/healthz",
            operations: [
                RouteOperation(
                    .get, "getHealth", "Whether the server runs.",
                    answers: open([RouteResponse(200, "It runs.", .status)]))
            ]),
        Route(
            kind: .readiness, template: "/readyz",
            operations: [
                RouteOperation(
                    .get, "getReadiness",
                    "Whether the server can work: its store takes reads and writes.",
                    answers: open([
                        RouteResponse(200, "It can work.", .status),
                        RouteResponse(503, "It cannot work now.", .problem),
                    ]))
            ]),
        Route(
            kind: .metrics, template: "/metrics",
            operations: [
                RouteOperation(
                    .get, "getMetrics", "Counters for Prometheus.",
                    answers: open([
                        RouteResponse(200, "The counters.", .text),
                        RouteResponse(404, "They are not served here.", .problem),
                    ]))
            ]),
        Route(
            kind: .changes, template: "/tables/{table}/changes",
            operations: [
                RouteOperation(
                    .get, "getChanges",
                    "The changes of a table as they happen, as events or by long polling.",
                    [.version, .since, .filter, .top, .wait, .lastEventId],
                    answers: reading([
                        RouteResponse(200, "Changes, or none after the wait.", .changes)
                    ]),
                    hasHead: false)
            ]),
        Route(
            kind: .batch, template: "/tables/{table}/operations/batch",
            operations: [
                RouteOperation(
                    .post, "sendBatch",
                    "Up to 1,000 writes in one transaction, each on its own merits.", [.version],
                    body: .batch,
                    answers: writing([RouteResponse(200, "What became of each write.", .results)]))
            ]),
        Route(
            kind: .content, template: "/tables/{table}/attachments/{digest}",
            operations: [
                RouteOperation(
                    .head, "findContent", "Whether content can be attached without an upload.",
                    [.version],
                    answers: reading([
                        RouteResponse(200, "It can.", headers: [.eTag]),
                        RouteResponse(404, "It has to be uploaded first.", .problem),
                    ])),
                RouteOperation(
                    .put, "storeContent", "Uploads content, under its SHA-256.", [.version],
                    body: .content,
                    answers: writing([
                        RouteResponse(200, "You could attach it before, too.", headers: [.eTag]),
                        RouteResponse(201, "It is there now.", headers: [.eTag]),
                        RouteResponse(422, "The content has another digest.", .problem),
                    ])),
            ]),
        Route(
            kind: .attachment, template: "/tables/{table}/{id}/attachments/{name}",
            operations: [
                RouteOperation(
                    .get, "getAttachment", "The content of an attachment, or a part of it.",
                    [.version, .range, .ifRange, .ifNoneMatch, .includeDeleted, .options],
                    answers: reading([
                        RouteResponse(
                            200, "The content.", .content, headers: [.eTag, .acceptRanges]),
                        RouteResponse(
                            206, "A part of it.", .content,
                            headers: [.eTag, .acceptRanges, .contentRange]),
                        RouteResponse(304, "The reader has it already.", headers: [.eTag]),
                        RouteResponse(
                            404, "There is no such item or attachment, for this sender.",
                            .problem),
                        RouteResponse(410, "Only its description is there.", .problem),
                        RouteResponse(
                            416, "The content ends before the part.", .problem,
                            headers: [.contentRange, .acceptRanges]),
                    ]))
            ]),
        items,
        item,
    ]

    private static let items = Route(
        kind: .table, template: "/tables/{table}",
        operations: [
            RouteOperation(
                .get, "listItems", "A page of the items of a table.",
                [
                    .version, .filter, .orderBy, .select, .top, .skip, .inlineCount, .count,
                    .skipToken, .includeDeleted, .options, .prefer,
                ],
                answers: reading([
                    RouteResponse(200, "The page.", .list, headers: [.link, .preferenceApplied])
                ])),
            RouteOperation(
                .post, "insertItem", "Inserts an item.", [.version], body: .item,
                answers: writing([
                    RouteResponse(
                        201, "The new item.", .item, headers: [.eTag, .lastModified, .location]),
                    taken, contentMissing,
                ])),
        ])

    private static let item = Route(
        kind: .item, template: "/tables/{table}/{id}",
        operations: [
            RouteOperation(
                .get, "getItem", "An item.",
                [
                    .version, .includeDeleted, .options, .ifNoneMatch, .ifMatch, .ifModifiedSince,
                    .ifUnmodifiedSince,
                ],
                answers: reading([
                    found,
                    RouteResponse(
                        304, "The reader has it already.", headers: [.eTag, .lastModified]),
                    missing, gone, changed,
                ])),
            RouteOperation(
                .put, "replaceItem", "Replaces all members of an item.",
                [.version, .ifMatch, .ifUnmodifiedSince, .includeDeleted, .options], body: .item,
                answers: writing([found, missing, gone, conflict, changed, contentMissing])),
            RouteOperation(
                .patch, "updateItem", "Changes members of an item.",
                [.version, .ifMatch, .ifUnmodifiedSince], body: .change,
                answers: writing([found, missing, gone, conflict, changed, contentMissing])),
            RouteOperation(
                .post, "undeleteItem", "Brings a deleted item back; there is no body.",
                [.version, .ifMatch, .ifUnmodifiedSince],
                answers: writing([found, missing, changed])),
            RouteOperation(
                .delete, "deleteItem", "Deletes an item; it stays for those who pull.",
                [.version, .ifMatch, .ifUnmodifiedSince],
                answers: writing([
                    RouteResponse(204, "It is deleted.", headers: [.eTag, .lastModified]),
                    missing, gone, changed,
                ])),
        ])

    private static let found = RouteResponse(
        200, "The item as it is now.", .item, headers: [.eTag, .lastModified])
    private static let missing = RouteResponse(
        404, "There is no such item, for this sender.", .problem)
    private static let gone = RouteResponse(410, "Version 3: the item is deleted.", .problem)
    private static let taken = RouteResponse(
        409, "The id is taken: the item that has it.", .conflict, headers: [.eTag, .lastModified])
    private static let conflict = RouteResponse(
        409, "The item stands against it: the item.", .conflict, headers: [.eTag, .lastModified])
    private static let changed = RouteResponse(
        412, "The item is another version: the item.", .conflict,
        headers: [.eTag, .lastModified])
    private static let contentMissing = RouteResponse(
        422, "The content of an attachment has to be uploaded first.", .problem)

    /// The answers of a route that needs no token: its own, and those of every request.
    private static func open(_ answers: [RouteResponse]) -> [RouteResponse] {
        let common = [
            RouteResponse(400, "Something of the request cannot be read.", .problem),
            RouteResponse(403, "A page from elsewhere asks.", .problem),
            misdirected,
        ]
        return (answers + common).sorted { $0.status < $1.status }
    }

    private static let misdirected = RouteResponse(
        421, "Without a token: the request names a host that this server is not known by.", .problem
    )

    /// The answers of a route that reads a table: its own, and those of every table.
    private static func reading(_ answers: [RouteResponse]) -> [RouteResponse] {
        let common = [
            RouteResponse(400, "Something of the request cannot be read.", .problem),
            RouteResponse(
                401, "The token is missing, forged or expired.", .problem, headers: [.challenge]),
            RouteResponse(
                403,
                "The token does not allow this, or there is none and a page from elsewhere asks.",
                .problem),
            misdirected,
            RouteResponse(
                405, "The rules of this table do not let anybody do this.", .problem,
                headers: [.allow]),
            RouteResponse(429, "Too many requests.", .problem, headers: [.retryAfter]),
            RouteResponse(500, "The server is at fault; its log says more.", .problem),
            RouteResponse(503, "The server cannot work now; try again.", .problem),
        ]
        return (answers + common).sorted { $0.status < $1.status }
    }

    /// The answers of a route that writes.
    private static func writing(_ answers: [RouteResponse]) -> [RouteResponse] {
        let common = [
            RouteResponse(408, "The body comes too slowly.", .problem),
            RouteResponse(413, "The body is too long.", .problem),
            RouteResponse(
                415, "The body is not JSON or does not say so, or is packed in a way not known.",
                .problem),
            RouteResponse(507, "The disk is full; nothing is stored.", .problem),
        ]
        return reading(answers + common)
    }
}
