extension Int64 {
    /// Quotient rounded down and the remainder that goes with it, which is never negative.
    ///
    /// Times before 1970 are negative; their days and seconds are counted forwards all the same.
    ///
    /// - Parameter divisor: What to divide by.
    /// - Returns: Quotient and remainder, which is less than the divisor.
    /// - Precondition: The divisor is greater than zero.
    package func flooredQuotientAndRemainder(
        dividingBy divisor: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        precondition(divisor > 0, "Floored division is by numbers greater than zero.")
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
