import SettleDocuments

extension Cosmos {
    /// How the documents of a collection are indexed.
    ///
    /// What has no name here, such as composite indexes, is kept when a policy is read and sent back.
    public struct IndexingPolicy: Sendable, Hashable {
        /// When the indexes follow a write.
        public enum Mode: String, Sendable, Hashable, CaseIterable {
            /// With the write.
            case consistent
            /// Some time later; the service takes it for `consistent` in new collections.
            case lazy
            /// Never: documents are only found by their ids.
            case none
        }

        /// One index of a path.
        public struct Index: Sendable, Hashable {
            /// What an index can do.
            public enum Kind: String, Sendable, Hashable, CaseIterable {
                /// Equality.
                case hash = "Hash"
                /// Equality, order and ranges.
                case range = "Range"
                /// Distances and areas.
                case spatial = "Spatial"
            }

            /// What values an index is of.
            public enum DataType: String, Sendable, Hashable, CaseIterable {
                /// Texts.
                case string = "String"
                /// Numbers.
                case number = "Number"
                /// Places.
                case point = "Point"
                /// Paths from place to place.
                case lineString = "LineString"
                /// Areas.
                case polygon = "Polygon"
            }

            /// What it can do.
            public var kind: Kind
            /// What values it is of.
            public var dataType: DataType
            /// How exact it is; -1 for as exact as possible, nil for a spatial one.
            public var precision: Int?

            /// An index for equality.
            public static func hash(withDataType type: DataType, andPrecision precision: Int? = nil)
                -> Index
            {
                Index(kind: .hash, dataType: type, precision: precision)
            }

            /// An index for equality, order and ranges.
            public static func range(
                withDataType type: DataType, andPrecision precision: Int? = nil
            ) -> Index {
                Index(kind: .range, dataType: type, precision: precision)
            }

            /// An index for distances and areas.
            public static func spatial(withDataType type: DataType) -> Index {
                Index(kind: .spatial, dataType: type, precision: nil)
            }
        }

        /// A path that is indexed.
        public struct IncludedPath: Sendable, Hashable {
            /// The path, such as `/*` or `/name/?`.
            public var path: String
            /// Its indexes; none for the service's usual ones.
            public var indexes: [Index]

            /// A path.
            public init(_ path: String, indexes: [Index] = []) {
                self.path = path
                self.indexes = indexes
            }
        }

        /// Whether documents are indexed that do not ask for it.
        public var automatic: Bool
        /// When the indexes follow a write.
        public var indexingMode: Mode
        /// The paths that are indexed.
        public var includedPaths: [IncludedPath]
        /// The paths within those that are not.
        public var excludedPaths: [String]
        /// What else the service sent.
        private var others: [String: JSONValue] = [:]

        /// A policy; as it is made here, everything is indexed.
        public init(
            automatic: Bool = true, indexingMode: Mode = .consistent,
            includedPaths: [IncludedPath] = [IncludedPath("/*")], excludedPaths: [String] = []
        ) {
            self.automatic = automatic
            self.indexingMode = indexingMode
            self.includedPaths = includedPaths
            self.excludedPaths = excludedPaths
        }

        /// The policy in a collection's JSON.
        init?(_ json: JSONValue) {
            guard let members = json.objectValue else { return nil }
            automatic = json["automatic"]?.boolValue ?? true
            indexingMode =
                json["indexingMode"]?.stringValue.flatMap { Mode(rawValue: $0.lowercased()) }
                ?? .consistent
            includedPaths = (json["includedPaths"]?.arrayValue ?? []).compactMap { path in
                path["path"]?.stringValue.map {
                    IncludedPath(
                        $0, indexes: (path["indexes"]?.arrayValue ?? []).compactMap { Index($0) })
                }
            }
            excludedPaths = (json["excludedPaths"]?.arrayValue ?? []).compactMap {
                $0["path"]?.stringValue
            }
            others = members.filter { !Self.names.contains($0.key) }
        }

        private static let names: Set = [
            "automatic", "indexingMode", "includedPaths", "excludedPaths",
        ]

        var json: JSONValue {
            var members = others
            members["automatic"] = .bool(automatic)
            members["indexingMode"] = .string(indexingMode.rawValue)
            members["includedPaths"] = .array(
                includedPaths.map { path in
                    var json: JSONValue = ["path": .string(path.path)]
                    if !path.indexes.isEmpty { json["indexes"] = .array(path.indexes.map(\.json)) }
                    return json
                })
            members["excludedPaths"] = .array(excludedPaths.map { ["path": .string($0)] })
            return .object(members)
        }
    }
}

extension Cosmos.IndexingPolicy.Index {
    fileprivate init?(_ json: JSONValue) {
        guard let kind = json["kind"]?.stringValue.flatMap({ Kind(rawValue: $0) }),
            let type = json["dataType"]?.stringValue.flatMap({ DataType(rawValue: $0) })
        else { return nil }
        self.init(
            kind: kind, dataType: type, precision: json["precision"]?.integerValue.map { Int($0) })
    }

    fileprivate var json: JSONValue {
        var json: JSONValue = [
            "kind": .string(kind.rawValue), "dataType": .string(dataType.rawValue),
        ]
        json["precision"] = precision.map { .integer(Int64($0)) }
        return json
    }
}
