import HTTPTypes
import SettleTableProtocol

extension AzureTablesBackend {
    /// A generation of the table protocol.
    ///
    /// A plain value that answers questions: what columns are called, what has to be asked for, how
    /// a condition is written, which request changes an item. Docs/Formats/AzureTables.md compares
    /// them.
    ///
    /// > Source: the servers of Azure Mobile Services, Azure Mobile Apps and the Datasync
    /// > Community Toolkit.
    public struct Dialect: Sendable, Hashable, CustomStringConvertible {
        /// `v1`, `v2` or `v3`.
        public let description: String
        /// What is asked for; nil where there must be no such header.
        let version: TableVersion?
        /// How conditions are written.
        let odata: ODataVersion
        let columns: TableColumns
        /// Goes with every request.
        let alwaysAsked: [QueryParameter]
        /// Asks for the deleted items, too.
        ///
        /// One of the servers tells upper and lower case apart here.
        let askingForDeleted: QueryParameter
        /// Asks how many items there are.
        let askingForCount: QueryParameter
        /// Which request changes an item.
        let change: Change
        /// Which request brings a deleted item back.
        let undeletion: Undeletion
        /// The names under which the token travels.
        let tokenFields: [TokenField]
        /// Characters that no identifier may have, beside control characters.
        let forbiddenInIds: Set<Unicode.Scalar>
        /// The most characters that an identifier may have; nil for no bound of the dialect's.
        let idLengthMax: Int?

        /// How an item is changed.
        enum Change: Sendable, Hashable {
            /// PATCH: what is sent is merged into what is there.
            case merge
            /// PUT: what is sent takes the place of what is there.
            case replace
        }

        /// How a deleted item is brought back.
        enum Undeletion: Sendable, Hashable {
            /// POST to the item, without a body.
            case post
            /// The column `deleted` is set to false; see ``AzureTablesBackend/restore(_:_:)``.
            case column
        }

        /// A header that a token travels in.
        enum TokenField: Sendable, Hashable {
            /// `Authorization: Bearer TOKEN`.
            case bearer
            /// `X-ZUMO-AUTH: TOKEN`.
            case zumo
        }

        /// Azure Mobile Services: no version header, columns with two underscores.
        ///
        /// Its tables want an application key, which a transport or an interceptor has to add as
        /// `X-ZUMO-APPLICATION`, and string identifiers; tables with numbers for identifiers have
        /// no system columns and cannot be replicated.
        public static let v1 = Dialect(
            description: "v1", version: nil, odata: .v3, columns: .underscored,
            alwaysAsked: [QueryParameter("__systemproperties", "*")],
            askingForDeleted: QueryParameter(.includeDeleted, "true"),
            askingForCount: QueryParameter(.inlineCount, "allpages"),
            change: .merge, undeletion: .post, tokenFields: [.zumo],
            forbiddenInIds: ["\"", "+", "?", "/", "\\", "`"], idLengthMax: 255)

        /// Azure Mobile Apps, and `settle serve`: `ZUMO-API-VERSION: 2.0.0`.
        public static let v2 = Dialect(
            description: "v2", version: .version2, odata: .v3, columns: .plain, alwaysAsked: [],
            askingForDeleted: QueryParameter(.includeDeleted, "true"),
            askingForCount: QueryParameter(.inlineCount, "allpages"),
            change: .merge, undeletion: .post, tokenFields: [.bearer, .zumo], forbiddenInIds: [],
            idLengthMax: nil)

        /// Datasync, of Azure Mobile Apps 6 and of the Community Toolkit: pages are objects with
        /// `items`, conditions are OData 4, and an update replaces the item.
        ///
        /// `ZUMO-API-VERSION: 3.0.0` is sent; the Toolkit's servers do not look at it.
        public static let v3 = Dialect(
            description: "v3", version: .version3, odata: .v4, columns: .undated, alwaysAsked: [],
            askingForDeleted: QueryParameter(
                TableParameter.includeDeleted.rawValue.lowercased(), "true"),
            askingForCount: QueryParameter(.count, "true"),
            change: .replace, undeletion: .column, tokenFields: [.bearer, .zumo],
            // The server's routes do not decode an encoded slash.
            forbiddenInIds: ["/"], idLengthMax: nil)

        /// In the order in which they are tried: the most used first.
        static let all: [Dialect] = [.v2, .v3, .v1]
    }
}

extension AzureTablesBackend.Dialect {
    /// Why no request can be made for an identifier; nil when one can.
    func fault(ofId id: String) -> String? {
        if id.isEmpty { return "The identifier is empty." }
        if id == "." || id == ".." {
            return "The identifier '\(id)' means a directory in an address."
        }
        for scalar in id.unicodeScalars {
            if scalar.properties.generalCategory == .control {
                return "The identifier has a control character, which no address can carry."
            }
            if forbiddenInIds.contains(scalar) {
                return "The identifier has a '\(scalar)', which the server (\(self)) does not "
                    + "take in one."
            }
        }
        if let idLengthMax, id.unicodeScalars.count > idLengthMax {
            return "The identifier has more than \(idLengthMax) characters, the most that the "
                + "server (\(self)) takes."
        }
        return nil
    }
}
