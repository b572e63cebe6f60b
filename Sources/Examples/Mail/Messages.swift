/// A message. Its images are drawn for the width that it is read at.
struct Message: Hashable, Sendable {
    let number: Int
    let sender: String
    let subject: String
    let imageCount: Int

    static let all = Mailbox.all.flatMap(\.messages)
}

/// A named list of messages.
struct Mailbox: Hashable, Sendable {
    /// The name in URLs.
    let name: String
    let title: String
    let messages: [Message]

    static let inbox = Mailbox(
        name: "inbox", title: "Inbox",
        messages: [
            Message(number: 1, sender: "Ada", subject: "Photos of the harbour", imageCount: 3),
            Message(number: 2, sender: "Ben", subject: "The new kitchen", imageCount: 2),
            Message(number: 3, sender: "Clara", subject: "Minutes of Monday", imageCount: 0),
            Message(number: 4, sender: "Dora", subject: "A long walk", imageCount: 6),
        ])

    static let archive = Mailbox(
        name: "archive", title: "Archive",
        messages: [
            Message(number: 5, sender: "Emil", subject: "Tickets", imageCount: 1),
            Message(number: 6, sender: "Fanny", subject: "Last summer", imageCount: 4),
        ])

    static let all = [inbox, archive]
}
