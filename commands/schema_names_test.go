package commands

// resultTypes has the types of what each command prints with --json. version is devtools --version.
var resultTypes = func() map[string][]any {
	types := results()
	types["version"] = types[""]
	delete(types, "")
	return types
}()

// objectNames has the names of objects that are not those of their types.
var objectNames = map[string]string{
	"commands.captureEntry":      "Capture",
	"commands.errorDetail":       "Error",
	"commands.failure":           "ErrorResult",
	"commands.sessionResult":     "Session",
	"commands.waitingResult":     "Waiting",
	"commands.promptsResult":     "DoctorPrompts",
	"commands.stateFolderResult": "StateFolder",
	"commands.askedResult":       "PersonRequest",
	"commands.inUseResult":       "SessionInUse",
	"commands.removedResult":     "PrunedSession",
	"commands.screenChanges":     "ScreenDiff",
	"ledger.Event":               "HistoryEvent",
	"runner/doctor.Check":        "DoctorCheck",
	"runner/doctor.Explanation":  "DoctorSession",
	"runner/doctor.ProcessView":  "DoctorProcess",
	"runner/hosts.Change":        "InstalledEntry",
	"runner/list.Ended":          "EndedSession",
	"runner/list.Seen":           "SeenProcess",
	"runner/watch.Answer":        "ChangedResult",
	"runner/watch.Event":         "WatchEvent",
	"runner/watch.Explanation":   "ExplainResult",
	"runner/watch.Path":          "ChangedPath",
	"stack.Command":              "ProjectCommand",
	"stack.Found":                "Stack",
	"stack.Manager":              "PackageManager",
	"stack.Member":               "WorkspaceMember",
	"stack.Pattern":              "MemberPattern",
	"stack.Port":                 "ProjectPort",
	"stack.Report":               "StacksResult",
	"stack.Rule":                 "ServerPattern",
	"stack/files.Problem":        "UnreadFile",
	"stack/files.Rule":           "IgnoreRule",
	"commands.unexpectedItem":    "UnexpectedProcess",
}

// objectKinds says of which kind an object is. A name has one type within a kind. An object that is not here is of the
// kind "result" if a command prints it as a whole, otherwise it is of a kind of its own.
var objectKinds = map[string]string{
	"Session":           "session",
	"LaunchResult":      "session",
	"Process":           "process",
	"SeenProcess":       "process",
	"UnexpectedProcess": "process",
	"DoctorProcess":     "process",
	"WaitResult":        "condition",
	"HistoryEvent":      "event",
	"LogEvent":          "event",
	"FollowedEvent":     "event",
	"PsEvent":           "event",
	"WatchEvent":        "event",
}

// memberConstants has the constants that are the values of a member: the package, and names or beginnings of names.
var memberConstants = map[string]string{
	"RunResult.status":     "runner Completed Running TimedOut WaitingForInput",
	"RunInResult.status":   "runner Completed Running TimedOut WaitingForInput",
	"Session.status":       "ledger Status*",
	"DoctorSession.status": "ledger Status*",
	"PsEvent.event":        "commands eventListing",
	"LaunchResult.status":  "ledger Status*",
	"ScreenResult.status":  "ledger Status*",
	"HistoryEvent.event":   "ledger Event*",
	"FollowedEvent.event":  "ledger Event* Following",
	"WatchEvent.event":     "runner/watch Event*",
	"DoctorSession.reason": "runner/doctor reason*",
	"Session.endReason":    "ledger EndIdleLimit EndTether",
	"RunResult.endReason":  "ledger EndIdleLimit EndTether",
	"WaitResult.endReason": "ledger EndIdleLimit EndTether",
	"KillFailure.reason":   "runner/proc NotPermitted StillAlive Protected NotSignalled Uninterruptible",
}
