package wire

import "time"

// LockWait is how long the holder waits for the lock of the ledger. Only a stopped process keeps the lock
// longer, and the session must go on then.
const LockWait = 5 * time.Second

// TetherGrace is how long a session or a watch outlives the process that it is tethered to. An editor that reloads comes
// back and takes the tether again.
const TetherGrace = 3 * time.Second

// Farewell is how long a leaving holder waits for its clients to take their last response.
const Farewell = time.Second

// BufferSize is how many bytes of output are moved at a time. The kernel's terminal returns at most 4 KiB
// per read, so several reads fill one buffer.
const BufferSize = 64 << 10

// InputStatePatience is how long the holder may look before it answers with what it has. A verdict takes several looks.
const InputStatePatience = 400 * time.Millisecond
