public import Foundation

extension KeyPath where Root: DocumentModel, Value == Decimal {
    /// No condition on decimals: the filter is an error where it is used; see ``ModelFilter``.
    @available(*, deprecated, message: "Decimals are stored as texts, which have no order")
    public static func < (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .less, value)
    }

    /// No condition on decimals: the filter is an error where it is used; see ``ModelFilter``.
    @available(*, deprecated, message: "Decimals are stored as texts, which have no order")
    public static func <= (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .lessOrEqual, value)
    }

    /// No condition on decimals: the filter is an error where it is used; see ``ModelFilter``.
    @available(*, deprecated, message: "Decimals are stored as texts, which have no order")
    public static func > (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .greater, value)
    }

    /// No condition on decimals: the filter is an error where it is used; see ``ModelFilter``.
    @available(*, deprecated, message: "Decimals are stored as texts, which have no order")
    public static func >= (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .greaterOrEqual, value)
    }
}

extension KeyPath where Root: DocumentModel, Value == Decimal? {
    /// No condition on decimals: the filter is an error where it is used; see ``ModelFilter``.
    @available(*, deprecated, message: "Decimals are stored as texts, which have no order")
    public static func < (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .less, value)
    }

    /// No condition on decimals: the filter is an error where it is used; see ``ModelFilter``.
    @available(*, deprecated, message: "Decimals are stored as texts, which have no order")
    public static func <= (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .lessOrEqual, value)
    }

    /// No condition on decimals: the filter is an error where it is used; see ``ModelFilter``.
    @available(*, deprecated, message: "Decimals are stored as texts, which have no order")
    public static func > (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .greater, value)
    }

    /// No condition on decimals: the filter is an error where it is used; see ``ModelFilter``.
    @available(*, deprecated, message: "Decimals are stored as texts, which have no order")
    public static func >= (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .greaterOrEqual, value)
    }
}
