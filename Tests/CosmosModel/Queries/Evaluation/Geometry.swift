import Foundation
import SettleDocuments

/// A GeoJSON point, line or polygon, in degrees of longitude (x) and latitude (y).
enum Geometry {
    struct Place: Equatable {
        var x: Double
        var y: Double
    }

    case point(Place)
    case line([Place])
    /// The outer ring and the holes, each closed.
    case polygon([[Place]])

    /// The geometry of a value; nil when it is none.
    init?(_ value: JSONValue?) {
        guard let value, let coordinates = value["coordinates"] else { return nil }
        switch value["type"]?.stringValue {
        case "Point":
            guard let place = Self.place(coordinates) else { return nil }
            self = .point(place)
        case "LineString":
            guard let places = Self.places(coordinates), places.count >= 2 else { return nil }
            self = .line(places)
        case "Polygon":
            let rings = (coordinates.arrayValue ?? []).map(Self.places)
            let valid = rings.compactMap(\.self).filter { $0.count >= 4 && $0.first == $0.last }
            guard !rings.isEmpty, valid.count == rings.count else { return nil }
            self = .polygon(valid)
        default: return nil
        }
    }

    private static func place(_ value: JSONValue) -> Place? {
        guard let x = value[0]?.doubleValue, let y = value[1]?.doubleValue, abs(x) <= 180,
            abs(y) <= 90
        else { return nil }
        return Place(x: x, y: y)
    }

    private static func places(_ value: JSONValue) -> [Place]? {
        guard let elements = value.arrayValue else { return nil }
        let places = elements.compactMap(Self.place)
        return places.count == elements.count ? places : nil
    }

    /// Its corners.
    var places: [Place] {
        switch self {
        case .point(let place): [place]
        case .line(let places): places
        case .polygon(let rings): rings.flatMap(\.self)
        }
    }

    /// Its straight parts; a point has one without length.
    var segments: [(Place, Place)] {
        let lines: [[Place]] =
            switch self {
            case .point(let place): [[place, place]]
            case .line(let places): [places]
            case .polygon(let rings): rings
            }
        return lines.flatMap { Array(zip($0, $0.dropFirst())) }
    }

    /// Whether a place is in the area; of points and lines, which have none, never.
    ///
    /// A ring whose corners go clockwise bounds all that is outside of it.
    func contains(_ place: Place) -> Bool {
        guard case .polygon(let rings) = self, let outer = rings.first else { return false }
        let isOutside = Self.area(of: outer) < 0
        return Self.isInside(place, outer) != isOutside
            && !rings.dropFirst().contains { Self.isInside(place, $0) }
    }

    /// Twice the area of a ring; negative when its corners go clockwise.
    private static func area(of ring: [Place]) -> Double {
        zip(ring, ring.dropFirst()).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
    }

    private static func isInside(_ place: Place, _ ring: [Place]) -> Bool {
        var isInside = false
        for (first, second) in zip(ring, ring.dropFirst())
        where (first.y > place.y) != (second.y > place.y) {
            let x = first.x + (place.y - first.y) / (second.y - first.y) * (second.x - first.x)
            if place.x < x { isInside.toggle() }
        }
        return isInside
    }

    /// Whether the lines of both cross.
    func crosses(_ other: Geometry) -> Bool {
        segments.contains { first in
            other.segments.contains { Self.cross(first, $0) }
        }
    }

    private static func cross(_ first: (Place, Place), _ second: (Place, Place)) -> Bool {
        let turns = (
            side(first.0, first.1, second.0), side(first.0, first.1, second.1),
            side(second.0, second.1, first.0), side(second.0, second.1, first.1)
        )
        if turns.0 * turns.1 < 0, turns.2 * turns.3 < 0 { return true }
        return (turns.0 == 0 && isOn(first, second.0)) || (turns.1 == 0 && isOn(first, second.1))
            || (turns.2 == 0 && isOn(second, first.0)) || (turns.3 == 0 && isOn(second, first.1))
    }

    private static func side(_ first: Place, _ second: Place, _ third: Place) -> Double {
        let product =
            (second.x - first.x) * (third.y - first.y) - (second.y - first.y) * (third.x - first.x)
        return product == 0 ? 0 : product < 0 ? -1 : 1
    }

    /// Whether a place on the line through two others is between them.
    private static func isOn(_ segment: (Place, Place), _ place: Place) -> Bool {
        (min(segment.0.x, segment.1.x)...max(segment.0.x, segment.1.x)).contains(place.x)
            && (min(segment.0.y, segment.1.y)...max(segment.0.y, segment.1.y)).contains(place.y)
    }
}
