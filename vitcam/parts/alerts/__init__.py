"""Acting on events. In: events and rules. Out: commands, webhooks, messages, pins, lines. No action delays a frame."""
