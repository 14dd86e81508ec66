import HTTPTypes
import Settle
import SettleTableProtocol

/// The description of the server for programs, made from the table of routes.
///
/// > Source: OpenAPI 3.1.
enum OpenAPIDescription {
    /// The description of a server where each request names its version.
    static let json = description(isVersionRequired: true)

    /// The description of a server that has a version for requests that name none.
    static let jsonWithoutVersion = description(isVersionRequired: false)

    private static let versionRequired =
        "A request to a table must name its version, in the header ZUMO-API-VERSION or in place of it in a parameter of the query of that name; else it is answered 400. Names of parameters may be in any case."
    private static let versionOptional =
        "A request to a table may name its version, in the header ZUMO-API-VERSION or in place of it in a parameter of the query of that name. Names of parameters may be in any case."

    private static func description(isVersionRequired: Bool) -> JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Settle tables", "version": "1",
                "summary": "Tables of JSON items, in versions 2 and 3 of the table protocol.",
                "description": .string(isVersionRequired ? versionRequired : versionOptional),
            ],
            "servers": [["url": "/"]],
            "paths": .object(
                Dictionary(
                    uniqueKeysWithValues: RouteTable.all.map { ($0.template, path($0)) })),
            "components": [
                "schemas": .object(OpenAPISchemas.all),
                "parameters": .object(
                    Dictionary(
                        uniqueKeysWithValues: TableParameter.allCases.map {
                            (
                                componentName($0.rawValue),
                                parameter($0, isRequired: $0 == .version && isVersionRequired)
                            )
                        })),
                "headers": .object(
                    Dictionary(
                        uniqueKeysWithValues: TableHeader.allCases.map {
                            (
                                componentName($0.rawValue),
                                ["description": .string($0.summary), "schema": ["type": "string"]]
                            )
                        })),
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"],
                    "zumo": ["type": "apiKey", "in": "header", "name": "X-ZUMO-AUTH"],
                ],
            ],
        ]
    }

    private static func path(_ route: Route) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if !route.parameterNames.isEmpty {
            members["parameters"] = .array(route.parameterNames.map(pathParameter))
        }
        for operation in route.operations {
            members[operation.method.rawValue.lowercased()] = json(operation, at: route)
            if operation.hasHead {
                let head = RouteOperation(
                    .head, operation.name + "Head",
                    operation.summary + " Without the body.", operation.parameters,
                    answers: operation.answers)
                members["head"] = json(head, at: route)
            }
        }
        return .object(members)
    }

    private static func json(_ operation: RouteOperation, at route: Route) -> JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .string(operation.name), "summary": .string(operation.summary),
            "responses": .object(
                Dictionary(
                    uniqueKeysWithValues: operation.answers.map {
                        (
                            String($0.status),
                            response($0, at: route, isHead: operation.method == .head)
                        )
                    })),
        ]
        if !operation.parameters.isEmpty {
            members["parameters"] = .array(
                operation.parameters.map { reference("parameters", componentName($0.rawValue)) })
        }
        if let body = operation.body { members["requestBody"] = json(body) }
        // Whether a table wants a token is the server's configuration, so none is an alternative.
        if route.isOfTable { members["security"] = [[:], ["bearer": []], ["zumo": []]] }
        return .object(members)
    }

    private static func response(
        _ answer: RouteResponse, at route: Route, isHead: Bool
    ) -> JSONValue {
        var members: [String: JSONValue] = ["description": .string(answer.summary)]
        let headers = answer.headers + (route.isOfTable ? [.serverVersion, .features] : [])
        if !headers.isEmpty {
            members["headers"] = .object(
                Dictionary(
                    uniqueKeysWithValues: headers.map {
                        ($0.rawValue, reference("headers", componentName($0.rawValue)))
                    }))
        }
        let content = content(answer.body)
        if !isHead, !content.isEmpty { members["content"] = .object(content) }
        return .object(members)
    }

    /// The types of a body, and the schema of each.
    private static func content(_ body: RouteResponse.Body) -> [String: JSONValue] {
        let problem = ["application/problem+json": schema("Problem")]
        switch body {
        case .nothing: return [:]
        case .item: return ["application/json": schema("Item")]
        case .conflict: return problem.merging(["application/json": schema("Item")]) { $1 }
        case .list: return ["application/json": schema("List")]
        case .results: return ["application/json": schema("BatchResults")]
        case .changes:
            return [
                "application/json": schema("Changes"),
                "text/event-stream": ["schema": ["type": "string"]],
            ]
        case .status: return ["application/json": schema("Status")]
        case .description: return ["application/json": ["schema": ["type": "object"]]]
        case .text: return ["text/plain": ["schema": ["type": "string"]]]
        case .content: return ["*/*": [:]]
        case .problem: return problem
        }
    }

    private static func json(_ body: RouteBody) -> JSONValue {
        let content: [String: JSONValue] =
            switch body {
            case .item: ["application/json": schema("WrittenItem")]
            case .change:
                [
                    "application/json": schema("WrittenItem"),
                    "application/json-patch+json": schema("JSONPatch"),
                ]
            case .batch: ["application/json": schema("Batch")]
            case .content: ["application/octet-stream": [:]]
            }
        return ["required": true, "content": .object(content)]
    }

    private static func pathParameter(_ name: String) -> JSONValue {
        let schema: JSONValue =
            switch name {
            case "table": ["type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,62}$"]
            case "digest": ["type": "string", "pattern": "^[0-9a-f]{64}$"]
            case "id":
                [
                    "type": "string", "minLength": 1, "maxLength": 255,
                    "pattern": "^[^_\\x00-\\x1F\\x7F-\\x9F][^\\x00-\\x1F\\x7F-\\x9F]*$",
                    "description": "At most 255 bytes of UTF-8; not '.', '..' or 'changes'.",
                ]
            default:
                [
                    "type": "string", "minLength": 1, "maxLength": 1000,
                    "pattern": "^[^\\x00-\\x1F\\x7F-\\x9F]+$",
                    "description": "At most 1,000 bytes of UTF-8; not '.' or '..'.",
                ]
            }
        return [
            "name": .string(name), "in": "path", "required": true, "schema": schema,
        ]
    }

    private static func parameter(_ parameter: TableParameter, isRequired: Bool) -> JSONValue {
        [
            "name": .string(parameter.rawValue), "in": parameter.isHeader ? "header" : "query",
            "required": .bool(isRequired), "description": .string(parameter.summary),
            "schema": parameter.schema,
        ]
    }

    /// A name as components may have it.
    private static func componentName(_ name: String) -> String {
        name.filter { $0 != "$" && $0 != "_" }
    }

    private static func reference(_ kind: String, _ name: String) -> JSONValue {
        ["$ref": .string("#/components/\(kind)/\(name)")]
    }

    private static func schema(_ name: String) -> JSONValue {
        ["schema": reference("schemas", name)]
    }
}
