/// What a reader of dates and times takes beside `YYYY-MM-DDThh:mm:ssZ`.
///
/// All profiles take `t` for `T` and `z` for `Z`, hours to 23 and minutes to 59, a fraction of at
/// least one digit after a point, and a zone of up to 23:59 hours.
package struct CalendarProfile: Sendable {
    /// Whether any month has 31 days; those that do not exist are counted on into the next month.
    package var hasLongMonths: Bool
    /// Whether `hh:mm` is a time of day.
    package var mayOmitSeconds: Bool
    /// The last second of a minute: 60 where leap seconds are taken, as the first of the next.
    package var secondMax: Int64
    /// The most digits of a second's fraction, 0 to 9.
    package var fractionDigitsMax: Int
    /// Whether a text without a zone is in UTC.
    package var mayOmitZone: Bool
    /// Whether `+hhmm` is a zone, as well as `+hh:mm`.
    package var mayOmitZoneColon: Bool

    /// A profile; see the members for what they mean.
    package init(
        hasLongMonths: Bool = false, mayOmitSeconds: Bool = false, secondMax: Int64 = 59,
        fractionDigitsMax: Int, mayOmitZone: Bool = false, mayOmitZoneColon: Bool = false
    ) {
        self.hasLongMonths = hasLongMonths
        self.mayOmitSeconds = mayOmitSeconds
        self.secondMax = secondMax
        self.fractionDigitsMax = fractionDigitsMax
        self.mayOmitZone = mayOmitZone
        self.mayOmitZoneColon = mayOmitZoneColon
    }
}
