import Settle

/// The schemas of the bodies.
enum OpenAPISchemas {
    /// The schemas by their names.
    static let all: [String: JSONValue] = [
        "Item": item, "WrittenItem": writtenItem, "List": list, "Problem": problem,
        "JSONPatch": patch, "Batch": batch,
        "BatchOperation": operation,
        "BatchResults": results, "Changes": changes, "Attachment": attachment,
        "Status": [
            "type": "object", "required": ["status"], "properties": ["status": text("ok")],
        ],
    ]

    private static let item: JSONValue = [
        "type": "object",
        "description": "The members of the item, and the columns that the server keeps.",
        "properties": [
            "id": text("Unique in its table; made by the server when an insert has none."),
            "createdAt": time("Version 2: when it was inserted."),
            "updatedAt": time("When it was last written; increases strictly within the table."),
            "version": text("Changes with every write; the ETag without its quotes."),
            "deleted": ["type": "boolean"],
            "channels": [
                "description":
                    "Who may read and write the item, by their tokens: an array of texts."
            ],
            "_attachments": [
                "type": "object",
                "additionalProperties": ["$ref": "#/components/schemas/Attachment"],
            ],
            "@removed": [
                "type": "object",
                "description": "The item left the reader's sight.",
                "properties": ["reason": ["type": "string"]],
            ],
        ],
    ]

    private static let writtenItem: JSONValue = [
        "type": "object",
        "description":
            "The members of an item. The columns that the server keeps are refused in version 2, and overlooked or refused in version 3.",
        "properties": [
            "id": [
                "type": ["string", "null"], "maxLength": 255,
                "description": "The id of the path, or of the new item.",
            ],
            "_attachments": [
                "type": ["object", "null"],
                "additionalProperties": ["$ref": "#/components/schemas/Attachment"],
            ],
            "@removed": false,
        ],
    ]

    private static let attachment: JSONValue = [
        "type": "object", "required": ["content_type", "length", "digest"],
        "properties": [
            "content_type": ["type": "string", "maxLength": 255],
            "length": ["type": "integer", "minimum": 0],
            "digest": ["type": "string", "pattern": "^[0-9a-f]{64}$"],
        ],
    ]

    private static let list: JSONValue = [
        "oneOf": [
            ["type": "array", "items": reference("Item"), "description": "Version 2."],
            [
                "type": "object", "required": ["results", "count"],
                "description": "Version 2, counted.",
                "properties": ["results": items, "count": ["type": "integer"]],
            ],
            [
                "type": "object", "required": ["items", "count", "nextLink"],
                "description": "Version 3.",
                "properties": [
                    "items": items, "count": ["type": ["integer", "null"]],
                    "nextLink": ["type": ["string", "null"]],
                ],
            ],
        ]
    ]

    private static let problem: JSONValue = [
        "type": "object", "required": ["type", "title", "status", "detail", "error"],
        "description": "Problem details (RFC 9457).",
        "properties": [
            "type": text("about:blank"), "title": text("The status in words."),
            "status": ["type": "integer"],
            "detail": text("What happened and what to do."), "error": text("The same."),
            "option": text("The option of a list that cannot be read."),
            "position": ["type": "integer", "description": "The character of it, from 1."],
            "line": ["type": "integer"], "column": ["type": "integer"],
        ],
    ]

    private static let patch: JSONValue = [
        "type": "array", "description": "A JSON patch (RFC 6902).",
        "items": [
            "type": "object", "required": ["op", "path"],
            "properties": [
                "op": ["enum": ["add", "remove", "replace", "move", "copy", "test"]],
                "path": text("A JSON pointer."), "from": text("A JSON pointer."), "value": [:],
            ],
        ],
    ]

    private static let batch: JSONValue = [
        "type": "object", "required": ["operations"],
        "properties": [
            "operations": [
                "type": "array", "maxItems": 1000,
                "description": "Whatever is no operation has a result of its own, with status 400.",
                "items": ["anyOf": [reference("BatchOperation"), [:]]],
            ]
        ],
    ]

    private static let operation: JSONValue = [
        "type": "object", "required": ["op"],
        "properties": [
            "op": ["enum": ["insert", "update", "replace", "delete", "undelete"]],
            "id": ["type": "string"],
            "version": text("The version that the item must have."),
            "item": reference("WrittenItem"),
        ],
    ]

    private static let results: JSONValue = [
        "type": "object", "required": ["results"],
        "properties": [
            "results": [
                "type": "array",
                "items": [
                    "type": "object", "required": ["status"],
                    "properties": [
                        "status": text("What a request of its own is answered with.", "integer"),
                        "item": reference("Item"), "version": ["type": "string"],
                        "error": ["type": "string"],
                    ],
                ],
            ]
        ],
    ]

    private static let changes: JSONValue = [
        "type": "object", "required": ["items", "token"],
        "properties": ["items": items, "token": text("Where to go on.")],
    ]

    private static let items: JSONValue = ["type": "array", "items": reference("Item")]

    private static func text(_ summary: String, _ type: String = "string") -> JSONValue {
        ["type": .string(type), "description": .string(summary)]
    }

    private static func time(_ summary: String) -> JSONValue {
        ["type": "string", "format": "date-time", "description": .string(summary)]
    }

    private static func reference(_ name: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/\(name)")]
    }
}
