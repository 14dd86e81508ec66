import Foundation

extension DatabaseError {
    /// A failure of the file system, with what was being done.
    ///
    /// - Parameters:
    ///   - what: What cannot be done, without a full stop: "The export 'a' cannot be written".
    ///   - error: What Foundation threw; an error of the database itself stays as it is.
    /// - Returns: The error to throw.
    static func ofFile(_ what: String, _ error: any Error) -> any Error {
        if error is DatabaseError || error is CancellationError { return error }
        return DatabaseError(
            code(ofFile: error), "\(what): \(error.localizedDescription)", cause: error)
    }

    private static func code(ofFile error: any Error) -> Code {
        var next: NSError? = error as NSError
        while let current = next {
            if let code = code(domain: current.domain, number: current.code) { return code }
            next = current.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return .inputOutput
    }

    private static func code(domain: String, number: Int) -> Code? {
        if domain == NSPOSIXErrorDomain, let code = POSIXErrorCode(rawValue: Int32(number)) {
            switch code {
            case .ENOSPC, .EDQUOT: return .diskFull
            case .EACCES, .EPERM: return .permissionDenied
            case .EROFS: return .readOnly
            default: return nil
            }
        }
        guard domain == NSCocoaErrorDomain else { return nil }
        switch CocoaError.Code(rawValue: number) {
        case .fileWriteOutOfSpace: return .diskFull
        case .fileWriteNoPermission, .fileReadNoPermission: return .permissionDenied
        case .fileWriteVolumeReadOnly: return .readOnly
        default: return nil
        }
    }
}
