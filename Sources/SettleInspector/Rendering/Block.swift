import Mustache

/// A piece of a page; pages are lists of them.
enum Block {
    /// A heading of a part.
    case heading(String)
    /// A paragraph.
    case text(String)
    /// Something that deserves attention.
    case warning(String, link: PageLink? = nil)
    /// Something that was done.
    case note(String)
    /// Names and what they have.
    case facts([Fact])
    /// A table.
    case table(Table)
    /// A drawing with what it shows.
    case drawing(SVG, caption: String)
    /// Text in a type of equal widths.
    case code(String, label: String)
    /// A tree of values.
    case tree(ValueTree)
    /// A form.
    case form(Form)
    /// Ways to go on.
    case links([PageLink])
    /// A list that goes on by itself.
    case live(LiveList)
    /// How far something has come.
    case progress(ProgressBar)
    /// A picture that lies in the database.
    case picture(address: String, name: String)
}

/// A name and what it has.
struct Fact: MustacheParent {
    let label: String
    let value: String
    var link: String?
    /// What the script puts a new value into; nil when it stays.
    var figure: String?

    func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "value": value
        case "link": link as Any? ?? false
        case "figure": figure as Any? ?? false
        default: nil
        }
    }
}

/// A way to another page.
struct PageLink: MustacheParent {
    let text: String
    let address: String
    var isCurrent = false

    func child(named name: String) -> Any? {
        switch name {
        case "text": text
        case "address": address
        case "isCurrent": isCurrent
        default: nil
        }
    }
}

/// A list that the script goes on with, from a stream of events.
struct LiveList: MustacheParent {
    /// Where the events come from.
    let events: String
    let label: String
    /// Where a document is shown; its identifier stands behind it.
    let documents: String

    func child(named name: String) -> Any? {
        switch name {
        case "events": events
        case "label": label
        case "documents": documents
        default: nil
        }
    }
}

/// How far something has come, which the script goes on with from a stream of events.
struct ProgressBar: MustacheParent {
    /// Where the events come from.
    let events: String
    let label: String
    /// How far it is, in words.
    let text: String
    let completed: Int
    /// Of how many; 0 when that is not known yet.
    let total: Int
    /// The page again, for a browser that runs no script and for when it is done.
    let again: String

    func child(named name: String) -> Any? {
        switch name {
        case "events": events
        case "label": label
        case "text": text
        case "completed": completed
        case "total": total
        case "hasTotal": total > 0
        case "again": again
        default: nil
        }
    }
}

extension Block: MustacheParent {
    // What is false is looked for in this block alone, and not in what stands around it.
    func child(named name: String) -> Any? {
        switch (name, self) {
        case ("heading", .heading(let text)), ("paragraph", .text(let text)),
            ("note", .note(let text)), ("warning", .warning(let text, _)),
            ("code", .code(let text, _)), ("codeLabel", .code(_, let text)),
            ("drawingCaption", .drawing(_, let text)), ("picture", .picture(let text, _)),
            ("pictureName", .picture(_, let text)):
            text
        case ("warningLink", .warning(_, let link?)): link
        case ("facts", .facts(let facts)): facts
        case ("hasFacts", .facts): true
        case ("table", .table(let table)): table
        case ("drawing", .drawing(let drawing, _)): drawing.text
        case ("tree", .tree(let tree)): tree.parts
        case ("hasTree", .tree): true
        case ("form", .form(let form)): form
        case ("links", .links(let links)): links
        case ("hasLinks", .links): true
        case ("live", .live(let list)): list
        case ("progress", .progress(let bar)): bar
        default: false
        }
    }
}
