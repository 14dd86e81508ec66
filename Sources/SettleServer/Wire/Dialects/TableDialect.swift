import HTTPTypes
import Settle
import SettleOData
import SettleTableProtocol

/// All that differs between the versions of the table protocol.
///
/// A plain value that answers questions, so that no other place asks which version it is.
///
/// > Source: the servers of Azure Mobile Apps (version 2), of Azure Mobile Apps 6 and of the Datasync
/// > Community Toolkit (version 3).
struct TableDialect: Sendable, Equatable {
    let version: ProtocolVersion
    /// How `$filter` and `$orderby` are read.
    let odata: ODataDialect
    let pages: PageForm
    /// Items in a list without `$top`, unless the configuration says otherwise.
    let pageSizeDefault: Int
    /// The largest `$top`, when it is not the configuration's.
    ///
    /// Then `$top` says how many items there are on all pages together, and is not the length of one.
    let topMax: Int?
    /// The columns that the server keeps on every item, ascending by the bytes of their names.
    let columns: [SystemColumn]
    /// What is sent of an item unless it says otherwise.
    let form: ItemForm
    /// What becomes of the server's columns in a body.
    let systemMembers: SystemMembers
    /// Whether a deleted item is 410; otherwise it is not there, or in the way.
    let saysGone: Bool
    /// Whether `Last-Modified` is sent and the conditions on it, and `If-Match` of a reader, count.
    let hasTimes: Bool
    /// Whether a PUT with `__includedeleted` brings a deleted item back.
    let undeletesByReplacing: Bool
    /// Whether a PATCH may be a list of changes.
    let takesJSONPatch: Bool

    /// What a list looks like.
    enum PageForm: Sendable, Equatable {
        /// An array, or `{"results", "count"}` with `$inlinecount=allpages`; `Link` says where the
        /// next page is.
        case bare
        /// `{"items", "count", "nextLink"}`, counted with `$count=true`.
        case enveloped
    }

    /// What becomes of the server's columns in a body.
    enum SystemMembers: Sendable, Equatable {
        /// `createdAt`, `updatedAt` and `deleted` are refused; a stale `version`, without `If-Match`,
        /// is a conflict.
        case refused
        /// They are left out of an insert and a replacement, and refused in an update, except for
        /// `deleted` false, which undeletes.
        case overwritten
    }

    /// `ZUMO-API-VERSION: 2.0.0`.
    static let version2 = TableDialect(
        version: .version2, odata: .version3, pages: .bare, pageSizeDefault: 50, topMax: nil,
        columns: SystemColumn.inOrderOfNames, systemMembers: .refused, saysGone: false,
        hasTimes: false, undeletesByReplacing: false, takesJSONPatch: false)

    /// `ZUMO-API-VERSION: 3.0.0`.
    static let version3 = TableDialect(
        version: .version3, odata: .version4, pages: .enveloped, pageSizeDefault: 100,
        topMax: 128_000, columns: SystemColumn.withoutCreation,
        systemMembers: .overwritten, saysGone: true, hasTimes: true,
        undeletesByReplacing: true, takesJSONPatch: true)

    /// The dialect of a version.
    init(_ version: ProtocolVersion) {
        self = version == .version2 ? .version2 : .version3
    }

    private init(
        version: ProtocolVersion, odata: ODataDialect, pages: PageForm, pageSizeDefault: Int,
        topMax: Int?, columns: [SystemColumn], systemMembers: SystemMembers,
        saysGone: Bool, hasTimes: Bool, undeletesByReplacing: Bool, takesJSONPatch: Bool
    ) {
        self.version = version
        self.odata = odata
        self.pages = pages
        self.pageSizeDefault = pageSizeDefault
        self.topMax = topMax
        self.columns = columns
        form = ItemForm(columns)
        self.systemMembers = systemMembers
        self.saysGone = saysGone
        self.hasTimes = hasTimes
        self.undeletesByReplacing = undeletesByReplacing
        self.takesJSONPatch = takesJSONPatch
    }
}

extension TableDialect {
    /// A problem as this version puts it.
    ///
    /// Where a deleted item is 410, the answer has no item: clients take it for the end of the item,
    /// and find it with `__includedeleted` if they want it.
    func wording(_ problem: Problem) -> Problem {
        guard saysGone, problem.isOfDeletedItem else { return problem }
        return Problem(.gone, "The item was deleted; undelete it before changing it.")
    }

    /// Whether a request asks for deleted items, too.
    ///
    /// - Throws: ``Problem`` 400 when the parameter is given twice, or is neither true nor false.
    func includesDeleted(
        _ query: RequestQuery, headers: HTTPFields
    ) throws(Problem) -> Bool {
        let isAsked: Bool
        switch try query.value(.includeDeleted)?.lowercased() {
        case nil, "false": isAsked = false
        case "true": isAsked = true
        default:
            throw Problem(.badRequest, "The option __includeDeleted must be 'true' or 'false'.")
        }
        return isAsked || (pages == .enveloped && ZumoOptions(headers).includesDeleted)
    }
}
