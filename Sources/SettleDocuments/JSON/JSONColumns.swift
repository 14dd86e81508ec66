/// The names of what stands beside the members of many objects in JSON text, such as the columns that a
/// table keeps on each of its rows.
///
/// Made once for all the objects, so that no name is looked at or escaped again for each.
package struct JSONColumns: Sendable, Equatable {
    /// The names, laid out to be looked for.
    let names: [ByteName]
    /// The names as they stand in text, each with a comma before and a colon behind.
    private let heads: [[UInt8]]

    /// Columns of some names.
    ///
    /// - Parameter names: The names, ascending by their UTF-8 bytes.
    package init(_ names: [String]) {
        precondition(
            zip(names, names.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) },
            "Columns ascend by the bytes of their names.")
        self.names = names.map(ByteName.init)
        heads = names.map { name in
            var head: [UInt8] = [UInt8(ascii: ",")]
            JSONWriter.write(name, to: &head)
            head.append(UInt8(ascii: ":"))
            return head
        }
    }

    /// Whether both have the same names in the same places.
    package static func == (left: JSONColumns, right: JSONColumns) -> Bool {
        left.heads == right.heads
    }

    /// How many there are.
    package var count: Int { names.count }

    /// Appends the name of a column and its colon, with a comma before unless it is the first member.
    ///
    /// - Parameters:
    ///   - number: Which column.
    ///   - start: Where the members of the object begin in the text.
    ///   - output: What is appended to.
    func writeHead(of number: Int, after start: Int, to output: inout [UInt8]) {
        let head = heads[number]
        if output.count > start {
            output.append(contentsOf: head)
        } else {
            output.append(contentsOf: head.dropFirst())
        }
    }
}
