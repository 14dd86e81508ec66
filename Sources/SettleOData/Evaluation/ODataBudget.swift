import SettleDocuments

/// The work that one request may still ask for; shared by the filter and the order over all
/// items of a walk.
///
/// A step is one node of an expression evaluated for one item. Nested lambdas multiply the number
/// of elements, so that a short filter over one item could otherwise keep the server busy for
/// hours. Long strings, and arrays and objects that are compared, take steps by their size.
///
/// A class, because every evaluator of a walk takes from the same budget; it stays in one task.
package final class ODataBudget {
    private var steps: Int
    private let stepsPerItem: Int
    /// How many steps items may still add.
    private var stepsToAdd: Int
    /// How many steps were taken since ``isGivenUp`` was asked.
    private var stepsUnasked = 0
    /// Asked now and then whether nobody waits for the result any more.
    private let isGivenUp: () -> Bool

    /// A budget of ``ODataLimits/stepsMax`` steps.
    ///
    /// - Parameters:
    ///   - limits: How many steps there are.
    ///   - isGivenUp: Asked every ``stepsBetweenPauses`` steps; may take its time, so that others come to
    ///     their turn. When it is true, there are no steps any more.
    package init(limits: ODataLimits = .standard, isGivenUp: @escaping () -> Bool = { false }) {
        steps = limits.stepsMax
        stepsPerItem = limits.stepsPerItem
        stepsToAdd = max(0, limits.stepsTotalMax - limits.stepsMax)
        self.isGivenUp = isGivenUp
    }

    /// After how many steps it is asked whether to go on; a fraction of a millisecond in all builds.
    package static let stepsBetweenPauses = 1_024

    /// Adds what every item of a walk may take, so that a plain filter over a large table never
    /// runs out, and only work that is out of proportion to the items does.
    package func beginItem() {
        let added = min(stepsPerItem, stepsToAdd)
        stepsToAdd -= added
        steps += added
    }

    /// Takes steps away.
    ///
    /// - Throws: ``ODataError`` when there are not so many left.
    func spend(_ count: Int = 1) throws(ODataError) {
        guard count <= steps else {
            throw ODataError(
                message: "The filter takes too much work; ask for fewer items at a time, by id or "
                    + "by updatedAt, or leave out lambdas and functions.", position: nil)
        }
        steps -= count
        stepsUnasked += count
        guard stepsUnasked >= Self.stepsBetweenPauses else { return }
        stepsUnasked = 0
        guard !isGivenUp() else {
            throw ODataError(message: "Nobody waits for the list any more.", position: nil)
        }
    }

    /// Takes away the steps to read a value once, beyond the one of its node.
    func spend(reading value: ODataValue) throws(ODataError) {
        switch value {
        case .string(let text), .guid(let text): try spend(text.utf8.count / Self.bytesPerStep)
        default: break
        }
    }

    /// Takes away the steps to compare two values.
    ///
    /// Arrays and objects are compared member by member only with their like.
    func spend(comparing left: ODataValue, _ right: ODataValue) throws(ODataError) {
        switch (left, right) {
        case (.array(let left), .array): try spend(walking: .array(left))
        case (.object(let left), .object): try spend(walking: .object(left))
        case (.packedArray(let part), .packedArray), (.packedArray(let part), .array),
            (.array, .packedArray(let part)), (.packedObject(let part), .packedObject),
            (.packedObject(let part), .object), (.object, .packedObject(let part)):
            // A value has a byte at least.
            try spend(part.byteCount)
        default:
            try spend(reading: left)
            try spend(reading: right)
        }
    }

    /// Takes away the steps to look at each element of an array once, without its value.
    func spend(walking part: PackedPart) throws(ODataError) {
        try spend(part.byteCount / Self.bytesPerStep)
    }

    private func spend(walking value: JSONValue) throws(ODataError) {
        try spend()
        switch value {
        case .array(let elements):
            for element in elements { try spend(walking: element) }
        case .object(let members):
            for member in members.values { try spend(walking: member) }
        case .string(let text): try spend(text.utf8.count / Self.bytesPerStep)
        default: break
        }
    }

    private static let bytesPerStep = 64
}
