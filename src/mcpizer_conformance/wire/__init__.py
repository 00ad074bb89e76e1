"""What travels between the suite and an implementation in another process: one JSON object per line, no numbers.

`shapes` says what a value may look like, `functions` what may be asked, `messages` what a line may be, `encoding` and
`decoding` turn values of the core into plain ones and back.

Nothing here starts a process or judges an answer.
"""
