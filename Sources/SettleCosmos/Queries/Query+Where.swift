// The conditions that `where` takes.

extension Cosmos.Query {
    /// The query with the condition that a member has a value.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, is value: any Cosmos.QueryValue) -> Cosmos.Query {
        `where`(Cosmos.Condition(path, .equal, value))
    }

    /// The query with the condition that a member has another value.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, isNot value: any Cosmos.QueryValue) -> Cosmos.Query {
        `where`(Cosmos.Condition(path, .notEqual, value))
    }

    /// The query with the condition that a member is greater.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, isGreaterThan value: any Cosmos.QueryValue) -> Cosmos.Query
    {
        `where`(Cosmos.Condition(path, .greater, value))
    }

    /// The query with the condition that a member is greater or equal.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, isGreaterThanOrEqualTo value: any Cosmos.QueryValue)
        -> Cosmos.Query
    {
        `where`(Cosmos.Condition(path, .greaterOrEqual, value))
    }

    /// The query with the condition that a member is less.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, isLessThan value: any Cosmos.QueryValue) -> Cosmos.Query {
        `where`(Cosmos.Condition(path, .less, value))
    }

    /// The query with the condition that a member is less or equal.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, isLessThanOrEqualTo value: any Cosmos.QueryValue)
        -> Cosmos.Query
    {
        `where`(Cosmos.Condition(path, .lessOrEqual, value))
    }

    /// The query with the condition that a member has one of some values; with no values, it never holds.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, in values: [any Cosmos.QueryValue]) -> Cosmos.Query {
        `where`(
            Cosmos.Condition(.member(path: path, of: values.map(\.queryValue))))
    }

    /// The query with the condition that the distance from a shape is equal to some metres.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(
        distanceFrom path: String, to shape: some Cosmos.Geometry, is metres: Double
    ) -> Cosmos.Query {
        `where`(
            Cosmos.Condition(distanceFrom: path, to: shape, .equal, metres))
    }

    /// The query with the condition that the distance from a shape is greater than some metres.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(
        distanceFrom path: String, to shape: some Cosmos.Geometry, isGreaterThan metres: Double
    ) -> Cosmos.Query {
        `where`(
            Cosmos.Condition(distanceFrom: path, to: shape, .greater, metres))
    }

    /// The query with the condition that the distance from a shape is no less than some metres.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(
        distanceFrom path: String, to shape: some Cosmos.Geometry,
        isGreaterThanOrEqualTo metres: Double
    ) -> Cosmos.Query {
        `where`(
            Cosmos.Condition(distanceFrom: path, to: shape, .greaterOrEqual, metres))
    }

    /// The query with the condition that the distance from a shape is less than some metres.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(
        distanceFrom path: String, to shape: some Cosmos.Geometry, isLessThan metres: Double
    ) -> Cosmos.Query {
        `where`(
            Cosmos.Condition(distanceFrom: path, to: shape, .less, metres))
    }

    /// The query with the condition that the distance from a shape is no greater than some metres.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(
        distanceFrom path: String, to shape: some Cosmos.Geometry,
        isLessThanOrEqualTo metres: Double
    ) -> Cosmos.Query {
        `where`(
            Cosmos.Condition(distanceFrom: path, to: shape, .lessOrEqual, metres))
    }

    /// The query with the condition that a shape is wholly within another.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, isWithin shape: some Cosmos.Geometry) -> Cosmos.Query {
        `where`(Cosmos.Condition(.within(path: path, shape: shape.queryText)))
    }

    /// The query with the condition that a shape has a place in common with another.
    ///
    /// - Precondition: It has no condition yet.
    public func `where`(_ path: String, intersects shape: some Cosmos.Geometry) -> Cosmos.Query {
        `where`(Cosmos.Condition(.intersects(path: path, shape: shape.queryText)))
    }
}
