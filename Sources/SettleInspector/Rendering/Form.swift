import Mustache

/// A form of a page.
struct Form {
    /// Where it goes.
    var action: String
    /// Whether it changes something; one that does not is a search.
    var isChange = true
    var fields: [Field] = []
    /// What goes along and is not shown.
    var hidden: [(name: String, value: String)] = []
    /// What the button says.
    var button: String
    /// Whether what it does cannot be undone.
    var isDanger = false
    /// Whether it stands in a row of a table.
    var isInline = false
    /// What it is for, to a screen reader.
    var label: String?

    /// A button alone, which changes something.
    static func button(
        _ text: String, _ action: String, _ hidden: [(name: String, value: String)] = [],
        isDanger: Bool = false, about what: String? = nil
    ) -> Form {
        Form(
            action: action, hidden: hidden, button: text, isDanger: isDanger, isInline: true,
            label: what.map { "\(text): \(VisibleText.beginning(of: $0))" })
    }
}

extension Form: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "action": action
        case "method": isChange ? "post" : "get"
        case "isSearch": !isChange
        case "hasFile": fields.contains { if case .file = $0.kind { true } else { false } }
        case "fields": fields
        case "hidden":
            hidden.map {
                let (name, value) = FormValues.hidden($0.name, $0.value)
                return Hidden(name: name, value: value)
            }
        case "button": button
        case "isDanger": isDanger
        case "isInline": isInline
        case "buttonLabel": label as Any? ?? false
        default: nil
        }
    }

    private struct Hidden: MustacheParent {
        let name: String
        let value: String

        func child(named name: String) -> Any? {
            switch name {
            case "name": self.name
            case "value": value
            default: nil
            }
        }
    }
}

/// A field of a form.
struct Field {
    /// What is filled in.
    enum Kind {
        case line, area, check, file, secret
        case choice([String])
    }

    var name: String
    var label: String
    var value: String = ""
    var kind: Kind = .line
    /// How it is to be filled in.
    var hint: String?
    /// Whether the key `/` leads to it.
    var isSearch = false
}

extension Field: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "label": label
        case "value": value
        case "hint": hint as Any? ?? false
        case "isSearch": isSearch
        case "isChecked": value == "on"
        case "isLine": if case .line = kind { true } else { false }
        case "isFile": if case .file = kind { true } else { false }
        case "isSecret": if case .secret = kind { true } else { false }
        case "isArea": if case .area = kind { true } else { false }
        case "isCheck": if case .check = kind { true } else { false }
        case "isChoice": if case .choice = kind { true } else { false }
        case "options":
            if case .choice(let choices) = kind {
                choices.map { Option(text: $0, isChosen: $0 == value) }
            } else {
                [Option]()
            }
        default: nil
        }
    }

    private struct Option: MustacheParent {
        let text: String
        let isChosen: Bool

        func child(named name: String) -> Any? {
            switch name {
            case "text": text
            case "isChosen": isChosen
            default: nil
            }
        }
    }
}
