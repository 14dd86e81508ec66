import Mustache

/// A table of a page.
struct Table {
    /// What is said of it before its rows, to a screen reader too.
    var caption: String
    var columns: [String]
    var rows: [Row] = []
    /// What stands in place of the rows when there are none.
    var emptiness = "None."
    /// The address of the next page; nil on the last.
    var next: String?

    /// A row.
    struct Row {
        let cells: [Cell]

        init(_ cells: [Cell]) { self.cells = cells }
    }

    var hasRows: Bool { !rows.isEmpty }

    /// Adds a row.
    mutating func add(_ cells: Cell...) { rows.append(Row(cells)) }
}

extension Table: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "caption": caption
        case "columns": columns
        case "rows": rows
        case "hasRows": hasRows
        case "emptiness": emptiness
        case "next": next as Any? ?? false
        default: nil
        }
    }
}

extension Table.Row: MustacheParent {
    func child(named name: String) -> Any? { name == "cells" ? cells : nil }
}

/// A cell of a table.
struct Cell {
    private let text: String
    private var link: String?
    private var isNumber = false
    private var isName = false
    private var forms: [Form] = []

    /// Text of ours.
    static func text(_ text: String) -> Cell { Cell(text: text) }

    /// Something as it is stored: an identifier, a key, a value.
    static func stored(_ text: String, link: String? = nil) -> Cell {
        Cell(text: VisibleText.beginning(of: text), link: link)
    }

    /// What the row is about, the heading of it.
    static func name(_ text: String, link: String? = nil) -> Cell {
        Cell(text: VisibleText.beginning(of: text), link: link, isName: true)
    }

    /// A count.
    static func number(_ number: some BinaryInteger) -> Cell {
        Cell(text: Amounts.count(number), isNumber: true)
    }

    /// An amount that stands right, as numbers do.
    static func amount(_ text: String) -> Cell { Cell(text: text, isNumber: true) }

    /// Buttons.
    static func forms(_ forms: [Form]) -> Cell { Cell(text: "", forms: forms) }
}

extension Cell: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "text": text
        case "link": link as Any? ?? false
        case "isNumber": isNumber
        case "isName": isName
        case "forms": forms
        default: nil
        }
    }
}
