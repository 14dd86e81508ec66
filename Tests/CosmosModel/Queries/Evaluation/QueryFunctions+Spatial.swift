import Foundation
import SettleDocuments

/// Functions of places on the earth, which is a sphere here; the service has an ellipsoid, so that distances
/// differ by up to half a percent.
extension QueryFunctions {
    static let spatial: [String: Function] = [
        "ST_DISTANCE": pair { .double(distance($0, $1)) },
        "ST_WITHIN": pair { first, second in
            .bool(
                first.places.allSatisfy(second.contains)
                    && (first.isPoint || !first.crosses(second)))
        },
        "ST_INTERSECTS": pair { .bool(intersect($0, $1)) },
        "ST_ISVALID": { arguments in .bool(Geometry(arguments.first ?? nil) != nil) },
    ]

    /// A function of two geometries; undefined where one is none.
    private static func pair(
        _ body: @escaping @Sendable (Geometry, Geometry) -> JSONValue
    ) -> Function {
        { arguments in
            guard arguments.count == 2, let first = Geometry(arguments[0]),
                let second = Geometry(arguments[1])
            else { return nil }
            return body(first, second)
        }
    }

    private static func intersect(_ first: Geometry, _ second: Geometry) -> Bool {
        first.crosses(second) || first.places.contains(where: second.contains)
            || second.places.contains(where: first.contains)
    }

    /// The mean radius of the earth, in metres.
    private static let radius = 6_371_008.8

    /// The distance in metres; 0 where the two intersect.
    private static func distance(_ first: Geometry, _ second: Geometry) -> Double {
        if intersect(first, second) { return 0 }
        let ways =
            first.places.flatMap { place in second.segments.map { distance(place, $0) } }
            + second.places.flatMap { place in first.segments.map { distance(place, $0) } }
        return ways.min() ?? 0
    }

    /// The distance of a place from a straight part, whose nearest place is sought on the plane around it.
    private static func distance(
        _ place: Geometry.Place, _ segment: (Geometry.Place, Geometry.Place)
    ) -> Double {
        let scale = cos(place.y * .pi / 180)
        let (startX, startY) = ((segment.0.x - place.x) * scale, segment.0.y - place.y)
        let (x, y) = ((segment.1.x - segment.0.x) * scale, segment.1.y - segment.0.y)
        let length = x * x + y * y
        let part = length == 0 ? 0 : min(1, max(0, -(startX * x + startY * y) / length))
        return distance(
            place,
            Geometry.Place(
                x: segment.0.x + part * (segment.1.x - segment.0.x),
                y: segment.0.y + part * (segment.1.y - segment.0.y)))
    }

    private static func distance(_ first: Geometry.Place, _ second: Geometry.Place) -> Double {
        let latitudes = (first.y * .pi / 180, second.y * .pi / 180)
        let height = sin((latitudes.1 - latitudes.0) / 2)
        let width = sin((second.x - first.x) * .pi / 360)
        let square = height * height + cos(latitudes.0) * cos(latitudes.1) * width * width
        return 2 * radius * asin(min(1, square.squareRoot()))
    }
}

extension Geometry {
    /// Whether it is a point.
    var isPoint: Bool { if case .point = self { true } else { false } }
}
