import Settle
import SettleTableProtocol

// What the description of the routes says of parameters and headers.

extension TableParameter {
    /// Which values it has.
    var schema: JSONValue {
        switch self {
        case .version: ["type": "string", "pattern": "^[23]\\.0\\.[0-9]+$", "example": "3.0.0"]
        case .top, .skip: ["type": "integer", "minimum": 0]
        case .wait:
            [
                "type": "integer", "minimum": 0,
                "maximum": .integer(Int64(ChangesQuery.waitSecondsMax)),
            ]
        case .inlineCount: ["enum": ["allpages", "none"]]
        case .count, .includeDeleted: ["type": "boolean"]
        default: ["type": "string"]
        }
    }

    /// What it says, for people.
    var summary: String {
        switch self {
        case .version:
            "The version of the protocol, 2.0.x or 3.0.x; it may be in the query instead."
        case .filter: "An OData condition; version 3 of OData in version 2, version 4 in version 3."
        case .orderBy: "OData expressions with asc or desc, commas between; the id breaks ties."
        case .select: "The members to send, commas between; * for all."
        case .top:
            "How many items: on this page in version 2, on all pages together in version 3."
        case .skip: "How many items to leave out at the start."
        case .inlineCount: "Version 2: allpages counts all items that match."
        case .count: "Version 3: true counts all items that match."
        case .skipToken: "Where the page before ended; only from a next link of this list."
        case .includeDeleted: "true for deleted items, too; the name in any case."
        case .since:
            "The token of the changes seen last, 0 for all from the beginning; now without it."
        case .wait: "How many seconds to wait for a change, 0 to 300."
        case .options:
            "Version 3: include:deleted, and nextLink=path for next links without scheme and host."
        case .prefer: "settle.removed reports items that left the reader's channels."
        case .ifMatch: "The version that the item must have, or *."
        case .ifNoneMatch: "Versions that the reader has already."
        case .ifModifiedSince: "Version 3: the time of the version that the reader has."
        case .ifUnmodifiedSince: "Version 3: the time after which the item must not be changed."
        case .range: "A part of the content, in bytes."
        case .ifRange: "The ETag of the content that the part is wanted of."
        case .lastEventId: "The id of the event seen last; the same as since."
        }
    }
}

extension TableHeader {
    /// What it says, for people.
    var summary: String {
        switch self {
        case .eTag: "The version, in double quotes; strong."
        case .lastModified: "Version 3: when the item was last written, in whole seconds."
        case .location: "The path of the new item."
        case .link: "Version 2: the path and query of the next page, and rel=next."
        case .allow: "The methods that the path takes."
        case .challenge: "How to sign in."
        case .retryAfter: "How many seconds to wait before trying again."
        case .preferenceApplied: "Which of the preferences was followed."
        case .contentRange: "Which part of the content this is."
        case .acceptRanges: "bytes."
        case .serverVersion: "Which server this is."
        case .features: "What it can do beyond the protocol."
        }
    }
}
