import Settle

extension JSONValue {
    /// Whether a remote may show this value as another, because it has but one kind of numbers.
    ///
    /// - Parameters:
    ///   - other: What the remote shows.
    ///   - isRounded: Whether a whole number may be shown as another one: the double nearest to it, as
    ///     a program writes it that has nothing but doubles. Where the value is not known to have been
    ///     there, somebody else may have written that one.
    /// - Returns: True for equal numbers of either kind, also inside arrays and objects.
    func isLoosely(_ other: JSONValue, isRounded: Bool = false) -> Bool {
        switch (self, other) {
        case (.integer(let number), .double(let double)):
            return Double(number) == double
        case (.double(let double), .integer(let number)):
            return double.isWritten(as: number)
        case (.integer(let left), .integer(let right)):
            return left == right || isRounded && Double(left).isWritten(as: right)
        case (.array(let left), .array(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.isLoosely($1, isRounded: isRounded) }
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { name, value in
                    right[name].map { value.isLoosely($0, isRounded: isRounded) } ?? false
                }
        default:
            return self == other
        }
    }
}
