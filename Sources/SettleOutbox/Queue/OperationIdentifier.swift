import Foundation

/// Identifiers for operations that are given none.
///
/// They are UUIDs of version 7 (RFC 9562): the time stands in front, down to a quarter of a
/// microsecond, and 62 bits are random. So operations that are added one after the other lie beside
/// each other where they are looked up by identifier, and a commit of many writes few pages; with
/// random ones it would write a page for each, once the queue is long.
enum OperationIdentifier {
    /// A new one.
    static func make(at date: Date) -> UUID {
        var numbers = SystemRandomNumberGenerator()
        return make(at: date, random: numbers.next())
    }

    /// The identifier for a moment, with bits that make it unique; the upper two do not count.
    static func make(at date: Date, random: UInt64) -> UUID {
        let microseconds = OutboxRowKey.microseconds(date)
        let (milliseconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000)
        let high = milliseconds << 16 | 0x7000 | rest * 4_096 / 1_000
        let low = random & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUID(
            uuid: (
                high.byte(0), high.byte(1), high.byte(2), high.byte(3), high.byte(4), high.byte(5),
                high.byte(6), high.byte(7), low.byte(0), low.byte(1), low.byte(2), low.byte(3),
                low.byte(4), low.byte(5), low.byte(6), low.byte(7)
            ))
    }
}

extension UInt64 {
    /// One of the eight bytes, the most significant first.
    fileprivate func byte(_ place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * place))
    }
}
