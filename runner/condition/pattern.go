package condition

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
)

// Pattern compiles a regular expression that a user has given. The error says in plain words what is wrong with it.
func Pattern(text string) (*regexp.Regexp, error) { return pattern("", text) }

// pattern works as Pattern, with flags before the expression, such as (?m).
func pattern(flags, text string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(flags + text)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("invalid regular expression %q: %s", text, fault(wrong))
	}
	return re, err
}

// fault says what is wrong with a regular expression. Part of it is in wrong.Expr.
func fault(wrong *syntax.Error) string {
	switch wrong.Code {
	case syntax.ErrMissingBracket:
		return "a ] is missing"
	case syntax.ErrMissingParen:
		return "a ) is missing"
	case syntax.ErrUnexpectedParen:
		return "a ( is missing before a )"
	case syntax.ErrMissingRepeatArgument:
		return strconv.Quote(wrong.Expr) + " has nothing before it to repeat"
	case syntax.ErrInvalidRepeatOp:
		return strconv.Quote(wrong.Expr) + " repeats a repetition"
	case syntax.ErrInvalidRepeatSize:
		return strconv.Quote(wrong.Expr) + " is no repetition of at most 1000 times"
	case syntax.ErrInvalidPerlOp:
		return strconv.Quote(wrong.Expr) + " is not supported: there is no looking ahead or behind (RE2)"
	case syntax.ErrInvalidEscape:
		return strconv.Quote(wrong.Expr) + " stands for no character (RE2 has no references such as \\1)"
	case syntax.ErrInvalidCharRange, syntax.ErrInvalidCharClass:
		return strconv.Quote(wrong.Expr) + " is no range of characters"
	case syntax.ErrInvalidNamedCapture:
		return strconv.Quote(wrong.Expr) + " is no group with a name: use (?P<NAME>RE)"
	case syntax.ErrTrailingBackslash:
		return "nothing follows the \\ at its end"
	case syntax.ErrInvalidUTF8:
		return "it is not UTF-8"
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return "it is too large"
	}
	return wrong.Code.String()
}
