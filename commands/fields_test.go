package commands

import (
	"context"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

func TestFields(t *testing.T) {
	const object = `{"a":1,"b":{"c":[1,2],"d":"<&>"},"list":[{"x":1,"y":{"z":null}},{"x":2}],"n":null,"e":[]}`
	for asked, want := range map[string]string{
		"b,a":           `{"b":{"c":[1,2],"d":"<&>"},"a":1}`,
		"a,a":           `{"a":1}`,
		" a , n ":       `{"a":1,"n":null}`,
		"b.d,a,b.c":     `{"b":{"d":"<&>","c":[1,2]},"a":1}`,
		"b,b.d":         `{"b":{"c":[1,2],"d":"<&>"}}`,
		"b.d,b":         `{"b":{"c":[1,2],"d":"<&>"}}`,
		"list.x":        `{"list":[{"x":1},{"x":2}]}`,
		"list.y.z":      `{"list":[{"y":{"z":null}},{}]}`,
		"n.deeper,e.x":  `{"n":null,"e":[]}`,
		"absent":        `{}`,
		"absent,list.x": `{"list":[{"x":1},{"x":2}]}`,
	} {
		cmd := &cli.Command{
			Flags:  []cli.Flag{&cli.StringFlag{Name: "fields", Value: asked}},
			Action: func(context.Context, *cli.Command) error { return nil },
		}
		if err := cmd.Run(t.Context(), []string{"devtools"}); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := fieldsOf(cmd).write(&got, []byte(object)); err != nil || got.String() != want+"\n" {
			t.Errorf("%s: got %s, %v, want %s", asked, got.String(), err, want)
		}
	}
}
