/// The magic numbers of a binary log, as docs/reference/log-format.md states them: tests compare the
/// library's output with these.
public enum LogMagic {
    public static let file: [UInt8] = [0x89, 0x53, 0x54, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A]
    public static let chunk = Array("CHNK".utf8)
    public static let index = Array("INDX".utf8)
    public static let end = Array("STLEND\r\n".utf8)
}
