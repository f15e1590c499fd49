"""The wire: messages, their two encodings, session numbering, hashes. No socket, no clock."""
