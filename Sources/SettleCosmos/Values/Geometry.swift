extension Cosmos {
    /// A shape on the globe, which queries can compare with those of documents.
    ///
    /// Encodes itself as GeoJSON.
    ///
    /// > Source: RFC 7946.
    public protocol Geometry: Codable, Sendable, Hashable {
        /// The name of the shape in GeoJSON.
        static var geometryType: String { get }
        /// The member `coordinates`, as JSON text.
        var coordinatesText: String { get }
    }

    /// A place: a latitude and a longitude in degrees.
    public struct Point: Geometry {
        /// `Point`.
        public static let geometryType = "Point"
        /// Degrees north of the equator, from -90 to 90.
        public var latitude: Double
        /// Degrees east of Greenwich, from -180 to 180.
        public var longitude: Double

        /// A place.
        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }

        /// Longitude and latitude, in this order.
        public var coordinatesText: String { "[\(longitude), \(latitude)]" }

        /// Reads a GeoJSON point.
        ///
        /// - Throws: `DecodingError` when it is none.
        public init(from decoder: any Decoder) throws {
            let position = try GeoJSON.coordinates([Double].self, of: Self.self, from: decoder)
            self = try GeoJSON.point(position, in: decoder)
        }

        /// Writes a GeoJSON point.
        public func encode(to encoder: any Encoder) throws {
            try GeoJSON.encode([longitude, latitude], of: Self.self, to: encoder)
        }
    }

    /// A path from place to place.
    public struct LineString: Geometry {
        /// `LineString`.
        public static let geometryType = "LineString"
        /// The places; two at least for the service to take it.
        public var points: [Point]

        /// A path.
        public init(_ points: [Point]) { self.points = points }

        /// The positions of the places.
        public var coordinatesText: String { GeoJSON.text(points) }

        /// Reads a GeoJSON line.
        ///
        /// - Throws: `DecodingError` when it is none.
        public init(from decoder: any Decoder) throws {
            let positions = try GeoJSON.coordinates([[Double]].self, of: Self.self, from: decoder)
            points = try positions.map { try GeoJSON.point($0, in: decoder) }
        }

        /// Writes a GeoJSON line.
        public func encode(to encoder: any Encoder) throws {
            try GeoJSON.encode(
                points.map { [$0.longitude, $0.latitude] }, of: Self.self, to: encoder)
        }
    }

    /// An area: an outer ring, and rings that are cut out of it.
    public struct Polygon: Geometry {
        /// `Polygon`.
        public static let geometryType = "Polygon"
        /// The rings, the outer one first.
        ///
        /// The last place of each is its first.
        /// The service takes the outer ring counterclockwise; clockwise it is all the world but the area.
        public private(set) var rings: [[Point]]

        /// An area.
        ///
        /// - Parameters:
        ///   - points: The outer ring; it is closed if it is not.
        ///   - holes: What is cut out; each is closed if it is not.
        public init(_ points: [Point], holes: [[Point]] = []) {
            rings = ([points] + holes).map(Self.closed)
        }

        private static func closed(_ ring: [Point]) -> [Point] {
            guard let first = ring.first, ring.last != first else { return ring }
            return ring + [first]
        }

        /// The positions of the rings.
        public var coordinatesText: String {
            "[" + rings.map { GeoJSON.text($0) }.joined(separator: ", ") + "]"
        }

        /// Reads a GeoJSON polygon.
        ///
        /// - Throws: `DecodingError` when it is none.
        public init(from decoder: any Decoder) throws {
            let rings = try GeoJSON.coordinates([[[Double]]].self, of: Self.self, from: decoder)
            self.rings = try rings.map { try $0.map { try GeoJSON.point($0, in: decoder) } }
        }

        /// Writes a GeoJSON polygon.
        public func encode(to encoder: any Encoder) throws {
            let positions = rings.map { $0.map { [$0.longitude, $0.latitude] } }
            try GeoJSON.encode(positions, of: Self.self, to: encoder)
        }
    }
}

extension Cosmos.Geometry {
    /// The shape as it stands in the text of a query.
    var queryText: String {
        "{'type': '\(Self.geometryType)', 'coordinates': \(coordinatesText)}"
    }
}

/// What the shapes have in common.
private enum GeoJSON {
    private enum Keys: String, CodingKey {
        case type, coordinates
    }

    static func text(_ points: [Cosmos.Point]) -> String {
        "[" + points.map(\.coordinatesText).joined(separator: ", ") + "]"
    }

    static func coordinates<Coordinates: Decodable>(
        _ coordinates: Coordinates.Type, of shape: (some Cosmos.Geometry).Type,
        from decoder: any Decoder
    ) throws -> Coordinates {
        let container = try decoder.container(keyedBy: Keys.self)
        guard try container.decode(String.self, forKey: .type) == shape.geometryType else {
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: container,
                debugDescription: "This is no \(shape.geometryType) of GeoJSON.")
        }
        return try container.decode(Coordinates.self, forKey: .coordinates)
    }

    /// A place; a height, which may be the third number, is left out.
    static func point(_ position: [Double], in decoder: any Decoder) throws -> Cosmos.Point {
        guard position.count == 2 || position.count == 3 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "A position of GeoJSON is a longitude and a latitude."))
        }
        return Cosmos.Point(latitude: position[1], longitude: position[0])
    }

    static func encode(
        _ coordinates: some Encodable, of shape: (some Cosmos.Geometry).Type,
        to encoder: any Encoder
    ) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(shape.geometryType, forKey: .type)
        try container.encode(coordinates, forKey: .coordinates)
    }
}
