import Foundation

/// Reads an export line by line and holds it to the order that lines must have.
///
/// Not `Sendable`: it belongs to the one import that reads.
final class ExportReader {
    private let file: FileHandle
    private let path: String
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// True when the line that was read last has no end.
    private var isCut = false
    private var order = ExportOrder()

    /// The line that was read last, from 1.
    private(set) var line = 0

    private static let pieceLength = 1 << 18

    /// Begins at the beginning of an open file.
    ///
    /// - Throws: ``DatabaseError`` with `inputOutput` when the file cannot be read from its
    ///   beginning: it is a pipe, say.
    init(_ file: FileHandle, path: String) throws {
        self.file = file
        self.path = path
        do {
            try file.seek(toOffset: 0)
        } catch {
            throw DatabaseError.ofFile(
                "'\(path)' cannot be read from its beginning; an import takes a file on a disk",
                error)
        }
    }

    /// The next line that is not blank; nil at the end of a whole export.
    ///
    /// - Throws: ``ExportFault`` with the line; ``DatabaseError`` when the file cannot be read.
    func next() throws -> ExportLine? {
        while let text = try nextText() {
            line += 1
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            do throws(ExportFault) {
                if line == 1, ExportHeader.isMissing(in: text) { throw ExportHeader.missing }
                let found = try ExportLine(text, format: order.format)
                try order.take(found)
                return found
            } catch {
                // A line that is cut off is no mistake of whoever wrote it.
                throw (isCut && error.column != nil ? ExportOrder.cutOff : error).on(line)
            }
        }
        do throws(ExportFault) {
            try order.finish()
        } catch {
            throw error.on(max(line, 1))
        }
        return nil
    }

    private func nextText() throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            searched = buffer.count
            // A file that is no export may have no lines at all.
            guard line > 0 || searched - start <= Self.pieceLength else {
                throw ExportHeader.missing.on(1)
            }
            guard searched - start <= ExportLine.lengthMax else {
                throw ExportFault(
                    "The line has more than \(ExportLine.lengthMax) bytes, which no line of an "
                        + "export has."
                ).on(line + 1)
            }
            if isAtEnd {
                isCut = true
                defer { start = searched }
                return searched > start ? Array(buffer[start...]) : nil
            }
            buffer.removeFirst(start)
            searched -= start
            start = 0
            try readOn()
        }
    }

    private func readOn() throws {
        do {
            if let piece = try file.read(upToCount: Self.pieceLength), !piece.isEmpty {
                buffer.append(contentsOf: piece)
            } else {
                isAtEnd = true
            }
        } catch {
            throw DatabaseError.ofFile("'\(path)' cannot be read", error)
        }
    }
}
