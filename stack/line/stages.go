package line

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Stage is a command of a pipeline.
type Stage struct {
	Text string // as in the line
	Name string // its first word; Text, if it is no simple command or a later stage has the same first word
}

// shellWords are the commands that change how a shell ends, with which exit code, or what it may write, and those in front of them.
var shellWords = []string{"trap", "set", "shopt", "setopt", "unsetopt", "emulate", "exec", "exit", "return", "eval", "ulimit", "command", "builtin"}

// Stages returns the stages of the pipeline with which a line of bash or zsh ends, and whether the line has no other one. It returns
// nil if the line ends in another way, and if it is not plain that its exit code is that of the last stage.
func Stages(text string) (stages []Stage, only bool) {
	file, err := parse(text)
	if err != nil || len(file.Stmts) == 0 || len(text) > 16<<10 { // the places of a long chain take the square of its length
		return nil, false
	}
	last := file.Stmts[len(file.Stmts)-1]
	x, _ := last.Cmd.(*syntax.BinaryCmd)
	for ; x != nil && !isPipe(x.Op); x, _ = last.Cmd.(*syntax.BinaryCmd) {
		last = x.Y
	}
	if x == nil {
		return nil, false
	}
	plain, others, or := true, false, false
	syntax.Walk(file, func(node syntax.Node) bool {
		within := node != nil && node.Pos().Offset() >= last.Pos().Offset()
		switch x := node.(type) {
		case *syntax.Stmt:
			plain = plain && !x.Background && !x.Coprocess && !x.Disown && !(within && x.Negated)
		case *syntax.TimeClause, *syntax.CoprocClause:
			plain = false
		case *syntax.Redirect:
			plain = plain && x.Hdoc == nil // the text of a stage would have that of the others
		case *syntax.ParamExp:
			plain = plain && (x.Param == nil || x.Param.Value != "_")
		case *syntax.BinaryCmd:
			others, or = others || isPipe(x.Op) && !within, or || x.Op == syntax.OrStmt
		case *syntax.CallExpr:
			if len(x.Args) > 0 {
				plain = plain && !slices.Contains(shellWords, strings.TrimPrefix(x.Args[0].Lit(), `\`))
			}
		}
		return true
	})
	addStages(text, last, &stages)
	if end := stages[len(stages)-1]; !plain || others && or || end.Name == end.Text && strings.Contains(end.Text, "|") { // zsh may tell of the inner one
		return nil, false
	}
	for i, s := range stages {
		if slices.ContainsFunc(stages[i+1:], func(other Stage) bool { return other.Name == s.Name }) {
			stages[i].Name = s.Text
		}
	}
	return stages, !others
}

func isPipe(op syntax.BinCmdOperator) bool { return op == syntax.Pipe || op == syntax.PipeAll }

// addStages adds the stages of a pipeline, or one of them.
func addStages(text string, s *syntax.Stmt, stages *[]Stage) {
	if x, ok := s.Cmd.(*syntax.BinaryCmd); ok { // no && and ||: these would be in a group
		addStages(text, x.X, stages)
		addStages(text, x.Y, stages)
		return
	}
	source := func(node syntax.Node) string { return text[node.Pos().Offset():node.End().Offset()] }
	stage := Stage{source(s), source(s)}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		stage.Name = source(call.Args[0])
	}
	*stages = append(*stages, stage)
}
