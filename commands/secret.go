package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/urfave/cli/v3"

	"devtools/runner/guard/mask"
	"devtools/runner/wire"
)

// secretFlag returns the flag for variables whose values are masked.
func secretFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "secret", Usage: "set and mask a secret, `NAME=SOURCE`: env:VAR, file:PATH, fd:N"}
}

// knownSecrets are those of this call, NAME=VALUE. Its messages, hints and errors do not have them.
var knownSecrets atomic.Pointer[[]string]

// knownMatcher returns what masks them. Few calls need it, so it is not kept: that of a long secret takes much memory.
func knownMatcher() *mask.Matcher {
	if known := knownSecrets.Load(); known != nil {
		return matcher(*known)
	}
	return nil
}

// masked returns text of a message without the secrets of this call.
func masked(text string) string { return knownMatcher().String(text) }

// readSecrets reads the values of secretFlag into the environment of s.
func readSecrets(cmd *cli.Command, s *wire.Spec) error {
	var sources []mask.Source
	for _, text := range cmd.StringSlice("secret") {
		source, err := mask.Parse(text)
		if err != nil {
			return usagef("--secret: %v: use NAME=env:VAR, NAME=file:PATH or NAME=fd:N", err)
		}
		if slices.ContainsFunc(sources, func(o mask.Source) bool { return o.Name == source.Name }) {
			return usagef("--secret: %s is given twice", source.Name)
		}
		sources = append(sources, source)
	}
	for _, source := range sources {
		if err := checkPinned(false, "--secret", source.Place); err != nil && source.Kind == mask.File {
			return err
		}
		value, err := readSecret(source)
		if err != nil {
			return usagef("--secret %s=%s:%s: %v", source.Name, source.Kind, source.Place, err)
		}
		s.Secrets = append(s.Secrets, source.Name+"="+value)
		if source.Kind == mask.Environment { // otherwise the program would have the value twice
			s.Env = slices.DeleteFunc(s.Env, func(pair string) bool { return strings.HasPrefix(pair, source.Place+"=") })
		}
	}
	if len(s.Secrets) == 0 {
		return nil
	}
	s.Env = lastOfEach(append(s.Env, s.Secrets...))
	knownSecrets.Store(&s.Secrets)
	if s.Name != "" && masked(s.Name) != s.Name {
		return usagef("--name: the name has the value of a secret in it")
	}
	return nil
}

// matcher returns what masks the values of secrets, which are NAME=VALUE. It returns nil for none.
func matcher(secrets []string) *mask.Matcher {
	var values []string
	for _, pair := range secrets {
		_, value, _ := strings.Cut(pair, "=")
		values = append(values, value)
	}
	return mask.New(values)
}

var errNoDescriptor = errors.New("the caller has passed no such descriptor")

// readSecret reads the value of a secret.
func readSecret(source mask.Source) (string, error) {
	switch source.Kind {
	case mask.Environment:
		value, ok := os.LookupEnv(source.Place)
		if !ok {
			return "", errors.New("the variable is not set")
		}
		return value, mask.Check(value)
	case mask.File:
		return readSecretFile(source.Place)
	}
	if !inherited(source.FD) {
		return "", errNoDescriptor
	}
	f := os.NewFile(uintptr(source.FD), fmt.Sprintf("descriptor %d", source.FD))
	if f == nil {
		return "", errNoDescriptor
	}
	defer f.Close()
	value, err := mask.Read(f)
	if errors.Is(err, syscall.EBADF) {
		err = errNoDescriptor
	}
	return value, withoutPath(err)
}

func readSecretFile(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return "", withoutPath(err)
	}
	defer f.Close()
	if err := checkPrivate(f); err != nil {
		return "", err
	}
	return mask.Read(f)
}

// withoutPath returns the cause of an error about a file that the message names anyway.
func withoutPath(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// learnSecrets makes the secrets of a command line known that was not read to its end because of a mistake: the message may repeat the
// word with the mistake. A descriptor can be read only once, and is left alone.
func learnSecrets(args []string) {
	if knownSecrets.Load() != nil {
		return
	}
	var secrets []string
	for i, arg := range args {
		name, text, attached := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case arg == "--":
			args = nil
		case name != "secret" || !strings.HasPrefix(arg, "-"):
			continue
		case !attached && i+1 < len(args):
			text = args[i+1]
		}
		source, err := mask.Parse(text)
		if err != nil || source.Kind == mask.Descriptor {
			continue
		}
		if value, err := readSecret(source); err == nil {
			secrets = append(secrets, source.Name+"="+value)
		}
	}
	knownSecrets.Store(&secrets)
}
