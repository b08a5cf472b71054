package wire

import "time"

// LockWait is how long the holder waits for the lock of the ledger. Nobody keeps it for so long who is
// not stopped, and the session must go on then.
const LockWait = 5 * time.Second

// Farewell is how long a leaving holder waits for its clients to take their last response.
const Farewell = time.Second

// BufferSize is how much output is moved at a time. The kernel's terminal hands over at most 4 KiB a
// read, so one buffer is filled by several.
const BufferSize = 64 << 10

// InputStatePatience is how long the holder may look until it says what it has: a verdict takes several looks.
const InputStatePatience = 400 * time.Millisecond
