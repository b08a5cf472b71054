package isolation

import (
	"errors"
	"syscall"
)

// attempt makes the steps of the plan in a process that then finds no program to execute. It returns why a step has failed.
func (p *Plan) attempt() error {
	_, err := p.Start("/dev/null/none", []string{"none"}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Setpgid: true}})
	if errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, ErrUnavailable) {
		return nil // it came as far as the program
	}
	return err
}
