import Foundation
import Settle

/// A date, in the shortest of four forms that gives it again.
enum NoteDate: Equatable {
    case none
    /// Milliseconds since 1970.
    case milliseconds(Int64)
    /// Microseconds since 1970.
    case microseconds(Int64)
    /// The seconds since 2001.
    case seconds(Double)

    /// The form for a date.
    init(_ date: Date?) {
        guard let date else {
            self = .none
            return
        }
        let seconds = date.timeIntervalSince1970
        if let count = Int64(exactly: (seconds * 1_000).rounded()),
            NoteDate.milliseconds(count).date == date
        {
            self = .milliseconds(count)
        } else if let count = Int64(exactly: (seconds * 1_000_000).rounded()),
            NoteDate.microseconds(count).date == date
        {
            self = .microseconds(count)
        } else {
            self = .seconds(date.timeIntervalSinceReferenceDate)
        }
    }

    /// The date.
    var date: Date? {
        switch self {
        case .none: nil
        case .milliseconds(let count): Date(timeIntervalSince1970: Double(count) / 1_000)
        case .microseconds(let count): Date(timeIntervalSince1970: Double(count) / 1_000_000)
        case .seconds(let count): Date(timeIntervalSinceReferenceDate: count)
        }
    }

    /// The number of the form, in two bits.
    var stored: UInt8 {
        switch self {
        case .none: 0
        case .milliseconds: 1
        case .microseconds: 2
        case .seconds: 3
        }
    }

    func write(to row: inout RowWriter) {
        switch self {
        case .none: break
        case .milliseconds(let count), .microseconds(let count):
            // The sign in the lowest bit: dates before 1970 stay short.
            row.write(number: UInt64(bitPattern: count << 1 ^ count >> 63))
        case .seconds(let count): row.write(fixed: count.bitPattern)
        }
    }

    /// Reads a date of that form.
    init(_ stored: UInt8, from row: inout RowReader) throws(DatabaseError) {
        switch stored {
        case 0: self = .none
        case 1: self = .milliseconds(try Self.signed(&row))
        case 2: self = .microseconds(try Self.signed(&row))
        default: self = .seconds(Double(bitPattern: try row.fixed()))
        }
    }

    private static func signed(_ row: inout RowReader) throws(DatabaseError) -> Int64 {
        let number = try row.number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}
