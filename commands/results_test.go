package commands

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"devtools/ledger"
)

// sharedNames are the names whose objects differ between kinds of objects, and why that is right.
var sharedNames = map[string]string{
	"rows": "of a size their number, of a screen their text",
}

// asWished are members that keep the names and units that users asked for.
var asWished = []string{"durationSeconds", "bytesCaptured", "timestamp", "ts", "outputBytesPerSecond", "pathBase64"}

// TestMembers checks the names of all members of all results: a name has one type, and tells the unit.
func TestMembers(t *testing.T) {
	kinds := map[string]map[string]string{} // by name and type: an object that has it
	for _, command := range slices.Sorted(maps.Keys(results())) {
		for _, v := range results()[command] {
			walkMembers(reflect.TypeOf(v), map[reflect.Type]bool{}, func(owner reflect.Type, f reflect.StructField) {
				name := memberName(f)
				if kinds[name] == nil {
					kinds[name] = map[string]string{}
				}
				kinds[name][jsonType(f.Type)] = owner.String()
				checkMember(t, owner, f)
			})
		}
	}
	for name, types := range kinds {
		if len(types) > 1 && sharedNames[name] == "" {
			t.Errorf("%s has several types: %v", name, types)
		}
	}
	for name := range sharedNames {
		if len(kinds[name]) < 2 {
			t.Errorf("%s has one type", name)
		}
	}
}

var camelCase = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)

func checkMember(t *testing.T, owner reflect.Type, f reflect.StructField) {
	t.Helper()
	name := memberName(f)
	if name == "" {
		t.Errorf("%s.%s has no name in JSON", owner, f.Name)
	}
	if !camelCase.MatchString(name) {
		t.Errorf("%s: %s is not in camel case", owner, name)
	}
	isTime := f.Type == reflect.TypeFor[ledger.Time]()
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch kind := jsonType(f.Type); {
	case slices.Contains(asWished, name):
	case isTime != strings.HasSuffix(name, "At"):
		t.Errorf("%s: %s: times, and no other members, have a name that ends with At", owner, name)
	case strings.HasSuffix(name, "Ms") && kind != "integer" && name != "atMs", strings.HasSuffix(name, "Bytes") && kind != "integer":
		t.Errorf("%s: %s is no whole number", owner, name)
	case regexp.MustCompile(`(?i)bytes|seconds|duration|millis`).MatchString(name) && !strings.HasSuffix(name, "Bytes") && !strings.HasSuffix(name, "Ms"):
		t.Errorf("%s: %s: sizes end with Bytes, and durations with Ms", owner, name)
	case f.Type.Kind() == reflect.Slice && options == "omitempty" && name != "pathBase64":
		t.Errorf("%s: %s is left out when it is empty", owner, name)
	}
}

// walkMembers calls visit for all members of an object and of the objects in it.
func walkMembers(t reflect.Type, seen map[reflect.Type]bool, visit func(owner reflect.Type, f reflect.StructField)) {
	t, ok := objectOf(t)
	if !ok || seen[t] || t.Kind() == reflect.Map {
		return
	}
	seen[t] = true
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Tag.Get("json") == "" || !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		visit(t, f)
		walkMembers(f.Type, seen, visit)
	}
}

// jsonType returns the type that a value has in JSON.
func jsonType(t reflect.Type) string {
	switch {
	case t.Implements(reflect.TypeFor[json.Marshaler]()), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "string"
	case t == reflect.TypeFor[[]byte]():
		return "string"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.Slice:
		return "list of " + jsonType(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return t.String()
}
