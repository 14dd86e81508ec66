import Settle
import SettleSync

/// JSON that a server sent, of which parts may be unreadable.
///
/// Whole numbers outside the range of Int64 are doubles here, as they were for the program that wrote
/// them.
struct WireJSON: Sendable {
    /// What could be read: members that could not are left out, elements are null.
    private let form: JSONForm
    private let faults: [JSONSalvage.Fault]

    /// A response to a batch has the object of the response, its results, a result, and an item in that.
    private static let levels = 4

    /// Reads a text.
    ///
    /// - Throws: `JSONError` when the outermost value is wrong itself.
    init(_ text: [UInt8], sizeMax: Int) throws(JSONError) {
        let salvage = try JSONSalvage(
            text, levels: Self.levels, limits: JSONLimits(sizeMax: sizeMax),
            largeIntegers: .rounded)
        self.init(salvage.form, salvage.faults)
    }

    private init(_ form: JSONForm, _ faults: [JSONSalvage.Fault]) {
        self.form = form
        self.faults = faults
    }

    /// What could be read, as a tree, which is made for each who asks.
    var value: JSONValue { form.value }

    /// The member of that name; nil when it is absent, cannot be read, or this is no object.
    subscript(name: String) -> WireJSON? {
        guard let member = form[name] else { return nil }
        return WireJSON(member, Self.faults(faults, behind: .member(name)))
    }

    /// The elements; nil when this is no array.
    var elements: [WireJSON]? {
        guard let elements = form.elements else { return nil }
        if faults.isEmpty { return elements.map { WireJSON($0, []) } }
        var parted: [Int: [JSONSalvage.Fault]] = [:]
        for fault in faults {
            guard case .element(let index)? = fault.path.first else { continue }
            parted[index, default: []].append(fault.behindFirstStep)
        }
        return elements.enumerated().map { WireJSON($1, parted[$0] ?? []) }
    }

    /// The row of a table that this is.
    var row: TableRow { TableRow(form: form, fault: fault) }

    /// The first thing that cannot be read; nil when all can.
    private var fault: ItemFault? {
        guard let fault = faults.first else { return nil }
        guard case .member(let name)? = fault.path.first else {
            return ItemFault(fault.error.message)
        }
        return ItemFault(fault.error.message, member: name)
    }

    private static func faults(
        _ faults: [JSONSalvage.Fault], behind step: JSONSalvage.Step
    ) -> [JSONSalvage.Fault] {
        faults.filter { $0.path.first == step }.map(\.behindFirstStep)
    }
}

extension JSONSalvage.Fault {
    /// The fault as the part sees it that the first step leads to.
    fileprivate var behindFirstStep: Self {
        var fault = self
        fault.path.removeFirst()
        return fault
    }
}

/// A row of a table as a server sent it.
struct TableRow: Sendable, Hashable {
    /// The row, without what cannot be read; hardly ever anything but an object.
    let form: JSONForm
    /// What cannot be read of it; nil when all can.
    var fault: ItemFault?

    /// The row as a tree, which is made for each who asks.
    var value: JSONValue { form.value }

    /// A column; nil when it is absent or cannot be read.
    subscript(column: String) -> JSONValue? { form.member(column) }

    /// The identifier; nil when there is none that is a text.
    var id: String? { self[TableColumns.id]?.stringValue }

    /// When the row was last written; nil when it does not say.
    func time(_ columns: TableColumns) -> RowTime? {
        self[columns.updatedAt]?.stringValue.flatMap { RowTime($0) }
    }
}
