// The conditions that `or` takes.

extension Cosmos.Query {
    /// The query with a condition that may hold in place of those before: that a member has a value.
    public func or(_ path: String, is value: any Cosmos.QueryValue) -> Cosmos.Query {
        or(Cosmos.Condition(path, .equal, value))
    }

    /// The query with a condition that may hold in place of those before: that a member has another value.
    public func or(_ path: String, isNot value: any Cosmos.QueryValue) -> Cosmos.Query {
        or(Cosmos.Condition(path, .notEqual, value))
    }

    /// The query with a condition that may hold in place of those before: that a member is greater.
    public func or(_ path: String, isGreaterThan value: any Cosmos.QueryValue) -> Cosmos.Query {
        or(Cosmos.Condition(path, .greater, value))
    }

    /// The query with a condition that may hold in place of those before: that a member is greater or equal.
    public func or(_ path: String, isGreaterThanOrEqualTo value: any Cosmos.QueryValue)
        -> Cosmos.Query
    {
        or(Cosmos.Condition(path, .greaterOrEqual, value))
    }

    /// The query with a condition that may hold in place of those before: that a member is less.
    public func or(_ path: String, isLessThan value: any Cosmos.QueryValue) -> Cosmos.Query {
        or(Cosmos.Condition(path, .less, value))
    }

    /// The query with a condition that may hold in place of those before: that a member is less or equal.
    public func or(_ path: String, isLessThanOrEqualTo value: any Cosmos.QueryValue) -> Cosmos.Query
    {
        or(Cosmos.Condition(path, .lessOrEqual, value))
    }

    /// The query with a condition that may hold in place of those before: that a member has one of some values; with no values, it never holds.
    public func or(_ path: String, in values: [any Cosmos.QueryValue]) -> Cosmos.Query {
        or(
            Cosmos.Condition(.member(path: path, of: values.map(\.queryValue))))
    }

    /// The query with a condition that may hold in place of those before: that the distance from a shape is equal to some metres.
    public func or(
        distanceFrom path: String, to shape: some Cosmos.Geometry, is metres: Double
    ) -> Cosmos.Query {
        or(
            Cosmos.Condition(distanceFrom: path, to: shape, .equal, metres))
    }

    /// The query with a condition that may hold in place of those before: that the distance from a shape is greater than some metres.
    public func or(
        distanceFrom path: String, to shape: some Cosmos.Geometry, isGreaterThan metres: Double
    ) -> Cosmos.Query {
        or(
            Cosmos.Condition(distanceFrom: path, to: shape, .greater, metres))
    }

    /// The query with a condition that may hold in place of those before: that the distance from a shape is no less than some metres.
    public func or(
        distanceFrom path: String, to shape: some Cosmos.Geometry,
        isGreaterThanOrEqualTo metres: Double
    ) -> Cosmos.Query {
        or(
            Cosmos.Condition(distanceFrom: path, to: shape, .greaterOrEqual, metres))
    }

    /// The query with a condition that may hold in place of those before: that the distance from a shape is less than some metres.
    public func or(
        distanceFrom path: String, to shape: some Cosmos.Geometry, isLessThan metres: Double
    ) -> Cosmos.Query {
        or(
            Cosmos.Condition(distanceFrom: path, to: shape, .less, metres))
    }

    /// The query with a condition that may hold in place of those before: that the distance from a shape is no greater than some metres.
    public func or(
        distanceFrom path: String, to shape: some Cosmos.Geometry,
        isLessThanOrEqualTo metres: Double
    ) -> Cosmos.Query {
        or(
            Cosmos.Condition(distanceFrom: path, to: shape, .lessOrEqual, metres))
    }

    /// The query with a condition that may hold in place of those before: that a shape is wholly within another.
    public func or(_ path: String, isWithin shape: some Cosmos.Geometry) -> Cosmos.Query {
        or(Cosmos.Condition(.within(path: path, shape: shape.queryText)))
    }

    /// The query with a condition that may hold in place of those before: that a shape has a place in common with another.
    public func or(_ path: String, intersects shape: some Cosmos.Geometry) -> Cosmos.Query {
        or(Cosmos.Condition(.intersects(path: path, shape: shape.queryText)))
    }
}
