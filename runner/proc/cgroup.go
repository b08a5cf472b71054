package proc

// cgroupPrefix is the beginning of the names of our cgroups. The session id follows it.
const cgroupPrefix = "devtools-"

// A Cgroup is a cgroup of version 2, cgroups(7), that we made for the processes of one session. They stay in it even if
// they change their environment, their parents or their kernel session. The zero value means no cgroup.
type Cgroup struct{ Path string }
