"""The event log on NATS JetStream: many servers share it, and none of them leads."""
