package commands

import (
	"encoding/json"

	"devtools/ledger"
	"devtools/runner/doctor"
	"devtools/runner/watch"
	"devtools/stack"
)

// results returns the types of the objects that each command prints with --json, as zero values. The key "" has the
// objects of devtools itself, and "error" has the object of an error. A command without a key prints no JSON.
func results() map[string][]any {
	return map[string][]any{
		"":             {versionResult{}},
		"error":        {failure{}},
		"run":          {runResult{}, runInResult{}},
		"launch":       {launchResult{}, launchListing{}},
		"restart":      {launchResult{}},
		"send-keys":    {sendResult{}},
		"screen":       {screenResult{}, cursorResult{}, hashResult{}},
		"log":          {logPage{}, logEvent{}, typedResult{}},
		"wait":         {waitResult{}, waitListing{}},
		"ask":          {askResult{}},
		"rename":       {renameResult{}},
		"label":        {labelResult{}},
		"resize":       {resizeResult{}},
		"capture":      {captureResult{}, captureListing{}},
		"replay":       {exportResult{}},
		"ps":           {psResult{}, psEvent{}},
		"kill":         {killResult{}},
		"kill-orphans": {killResult{}},
		"history":      {historyResult{}, followedEvent{}},
		"prune":        {pruneResult{}},
		"install":      {installResult{}},
		"policy":       {policyFileResult{}, policyCheckResult{}, policyTestResult{}, policyTrustResult{}, policyShowResult{}},
		"stacks":       {stack.Report{}, expectedResult{}, classifyResult{}},
		"watch":        {watch.Event{}, watch.Answer{}, watch.Explanation{}},
		"doctor":       {doctorResult{}, doctor.Explanation{}},
	}
}

// hasReminder reports whether the object v is printed with a reminder. A line of JSON Lines has none.
func hasReminder(v any) bool {
	switch v.(type) {
	case logEvent, psEvent, followedEvent, watch.Event, versionResult, json.RawMessage:
		return false
	}
	return true
}

// A historyResult is the output of history --json. The events are the lines of process-log.jsonl as they are, with
// members of newer versions.
type historyResult struct {
	Events []ledger.Event `json:"events"` // events of the log, oldest first
}

// A versionResult is the output of --version --json.
type versionResult struct {
	Version string `json:"version"` // version of devtools
}
