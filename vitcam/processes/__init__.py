"""Work that may hang or crash, in processes that can be killed. In: messages. Out: messages and pixels."""
