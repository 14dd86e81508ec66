import Settle

/// Reads a rules file; every fault has its line, its column and its path.
///
/// Shape: `{"tables": {NAME or "*": {"grants": [GRANT], "operations": [OPERATION], "indexes":
/// [PATH]}}}`, GRANT `{"claims": {NAME: value or [values]}, "anonymous": boolean, "read":
/// [CHANNEL], "write": [CHANNEL]}`. A member of another name is a fault: to overlook a slip could
/// open what was meant to be closed.
struct RulesReader {
    private static let bytesMax = 1 << 20
    private let text: [UInt8]
    private let name: String
    private let json: JSONValue

    /// Reads the text.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when it is too long or no JSON.
    init(_ text: [UInt8], name: String) throws(ServerError) {
        self.text = text
        self.name = name
        guard text.count <= Self.bytesMax else {
            throw ServerError(
                .invalidConfiguration,
                "The rules file \(name) has more than \(Self.bytesMax) bytes; use '${claim}' and "
                    + "'*' in place of lists.")
        }
        do {
            json = try JSONText.value(from: text)
        } catch {
            throw ServerError(
                .invalidConfiguration,
                "The rules file \(name) cannot be used, line \(error.line), column "
                    + "\(error.column): \(error.message)", cause: error)
        }
    }

    /// The rules by the name of the table.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` for the first fault.
    mutating func tables() throws(ServerError) -> [String: TableRule] {
        let root = JSONPlace()
        let members = try object(json, at: root, names: ["tables"])
        let place = root.member("tables")
        guard let json = members["tables"] else {
            throw fault(root, "'tables' is missing; write {\"tables\": {\"*\": {\"grants\": []}}}")
        }
        guard let tables = json.objectValue else {
            throw fault(place, "here an object must stand, from names of tables to their rules")
        }
        var rules: [String: TableRule] = [:]
        for (table, rule) in tables.sorted(by: { $0.key < $1.key }) {
            let place = place.member(table)
            if table != "*", !DatabaseName.isValid(table) {
                do {
                    _ = try TableName(table)
                } catch {
                    throw fault(place, "'\(table)' is no name of a table. \(error.message)")
                }
            }
            rules[table] = try self.rule(rule, at: place)
        }
        return rules
    }

    private func rule(_ json: JSONValue, at place: JSONPlace) throws(ServerError) -> TableRule {
        let members = try object(json, at: place, names: ["grants", "indexes", "operations"])
        guard let grants = members["grants"] else {
            throw fault(place, "'grants' is missing; for a table that is closed write []")
        }
        var rule = TableRule()
        for (place, json) in try array(grants, at: place.member("grants")) {
            rule.grants.append(try grant(json, at: place))
        }
        if let operations = members["operations"] {
            rule.operations = []
            for (place, json) in try array(operations, at: place.member("operations")) {
                guard let operation = json.stringValue.flatMap(TableOperation.init) else {
                    let names = TableOperation.allCases.map(\.rawValue).joined(separator: ", ")
                    throw fault(place, "here one of these must stand, in quotes: \(names)")
                }
                rule.operations.insert(operation)
            }
        }
        if let indexes = members["indexes"] {
            for (place, json) in try array(indexes, at: place.member("indexes")) {
                let parts = json.stringValue?.split(
                    separator: "/", omittingEmptySubsequences: false
                ).map(String.init)
                guard let parts, !parts.contains(""),
                    json.stringValue.map({ $0.utf8.count <= Self.pathBytesMax }) == true
                else {
                    throw fault(
                        place,
                        "here a path must stand, in quotes, as \"address/city\", of at most "
                            + "\(Self.pathBytesMax) bytes")
                }
                rule.indexes.append(parts)
                guard Set(rule.indexes).count <= ServerStore.Settings.indexCountMax else {
                    throw fault(
                        place, "a table has at most \(ServerStore.Settings.indexCountMax) indexes")
                }
            }
        }
        return rule
    }

    /// What the key of a row takes.
    private static let pathBytesMax = 400

    private func grant(_ json: JSONValue, at place: JSONPlace) throws(ServerError) -> Grant {
        let members = try object(
            json, at: place, names: ["anonymous", "claims", "read", "write"])
        var grant = Grant()
        if let anonymous = members["anonymous"] {
            guard let isForAnonymous = anonymous.boolValue else {
                throw fault(place.member("anonymous"), "here true or false must stand")
            }
            grant.isForAnonymous = isForAnonymous
        }
        if let claims = members["claims"] {
            let place = place.member("claims")
            guard !grant.isForAnonymous else {
                throw fault(
                    place,
                    "who has no token claims nothing; make two grants, one with 'claims' and one "
                        + "with 'anonymous'")
            }
            grant.conditions = try conditions(claims, at: place)
        }
        grant.read = try templates(members["read"], at: place.member("read"), of: grant)
        grant.write = try templates(members["write"], at: place.member("write"), of: grant)
        guard !grant.read.isEmpty || !grant.write.isEmpty else {
            throw fault(place, "the grant gives nothing; give it channels in 'read' or 'write'")
        }
        return grant
    }

    private func conditions(
        _ json: JSONValue, at place: JSONPlace
    ) throws(ServerError) -> [String: [JSONValue]] {
        guard let claims = json.objectValue, !claims.isEmpty else {
            throw fault(
                place, "here an object must stand, from names of claims to values, at least one")
        }
        var conditions: [String: [JSONValue]] = [:]
        for (claim, json) in claims.sorted(by: { $0.key < $1.key }) {
            let values = json.arrayValue ?? [json]
            guard !values.isEmpty, values.allSatisfy(Self.isPlain) else {
                throw fault(
                    place.member(claim),
                    "here a string, a number or a boolean must stand, or an array of them of which "
                        + "one is enough")
            }
            conditions[claim] = values
        }
        return conditions
    }

    private static func isPlain(_ value: JSONValue) -> Bool {
        value != .null && value.arrayValue == nil && value.objectValue == nil
    }

    private func templates(
        _ json: JSONValue?, at place: JSONPlace, of grant: Grant
    ) throws(ServerError) -> [ChannelTemplate] {
        guard let json else { return [] }
        var templates: [ChannelTemplate] = []
        for (place, json) in try array(json, at: place) {
            guard let text = json.stringValue else {
                throw fault(place, "here a channel must stand, in quotes")
            }
            let template: ChannelTemplate
            do {
                template = try ChannelTemplate(text)
            } catch {
                throw fault(place, error.message)
            }
            guard !grant.isForAnonymous || !template.usesClaims else {
                throw fault(place, "who has no token has no claims; name a channel without '${…}'")
            }
            templates.append(template)
        }
        return templates
    }

    private func object(
        _ json: JSONValue, at place: JSONPlace, names: [String]
    ) throws(ServerError) -> [String: JSONValue] {
        let known = names.map { "'\($0)'" }.joined(separator: ", ")
        guard let members = json.objectValue else {
            throw fault(place, "here an object must stand, with \(known)")
        }
        for name in members.keys.sorted() where !names.contains(name) {
            throw fault(place.member(name), "'\(name)' is not known; there are \(known)")
        }
        return members
    }

    private func array(
        _ json: JSONValue, at place: JSONPlace
    ) throws(ServerError) -> [(place: JSONPlace, json: JSONValue)] {
        guard let elements = json.arrayValue else {
            throw fault(place, "here an array must stand, [ ]")
        }
        return elements.enumerated().map { (place.element($0.offset), $0.element) }
    }

    private func fault(_ place: JSONPlace, _ rule: String) -> ServerError {
        let (line, column) = place.lineAndColumn(in: text)
        let path = place.steps.isEmpty ? "" : " (\(place))"
        return ServerError(
            .invalidConfiguration,
            "The rules file \(name) cannot be used, line \(line), column \(column)\(path): "
                + "\(rule).")
    }
}
