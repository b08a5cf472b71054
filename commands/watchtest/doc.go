// Package watchtest tests devtools watch as a person uses it: it starts the program, changes files, and looks at what watch
// tells and at the processes that live.
package watchtest
