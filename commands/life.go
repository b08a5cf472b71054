package commands

import (
	"github.com/urfave/cli/v3"

	"devtools/runner/wire"
)

// lifeFlags returns the flags of run and launch about when a session may start, what ends it and who may act on it. limit is the help of
// --max-sessions.
func lifeFlags(limit string) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "tether", Usage: "end the session 3s after process `PID` ends", HideDefault: true},
		&cli.StringFlag{Name: "idle-limit", Usage: "end it after `DURATION` without output, input or attaching"},
		&cli.IntFlag{Name: "max-sessions", Usage: limit, Value: 15},
		&cli.BoolFlag{Name: "share", Usage: "let calls in a sandbox act on the session, not only read"},
	}
}

// readLifeFlags sets the fields of s from lifeFlags, except for the number of sessions.
func readLifeFlags(cmd *cli.Command, s *wire.Spec) (err error) {
	s.Share = cmd.Bool("share")
	if s.Tether, err = readTether(cmd); err != nil {
		return err
	}
	if cmd.IsSet("idle-limit") {
		s.IdleLimit, err = duration(cmd, "idle-limit")
	}
	return err
}

// readMaxSessions sets the limit of running sessions.
func readMaxSessions(cmd *cli.Command, s *wire.Spec) error {
	if s.MaxSessions = cmd.Int("max-sessions"); s.MaxSessions < 0 {
		return badValue("max-sessions", s.MaxSessions, "0 or more")
	}
	return nil
}
