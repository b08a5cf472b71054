package proc

// cgroupPrefix begins the names of our cgroups; the id of the session follows.
const cgroupPrefix = "devtools-"

// A Cgroup is one of our own for the processes of a session, cgroups(7), version 2: whatever they do to their
// environment, their parents and their kernel session, they stay in it. Its zero value is none.
type Cgroup struct{ Path string }
