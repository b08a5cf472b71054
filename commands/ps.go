package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/list"
	"devtools/stack"
)

func psCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "[NAME]",
		Description: `Lists the running sessions with their processes, and the orphans: processes that
have outlived the holder of their session. It shows state, age, processor,
memory, output, ports, and which sessions wait for input. NAME is an id, or a
name: then ps lists all sessions that had it.

EXAMPLES:
  devtools ps
  devtools ps --tree web
  devtools ps --all --json`,
		CustomHelpTemplate: `SESSIONS: all everywhere label orphans | t
TABLE: tree expected watch | sort interval`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "list ended sessions too"},
			&cli.BoolFlag{Name: "everywhere", Usage: "list sessions of all your workspaces"},
			targetFlag(),
			labelFlag("list only sessions"),
			&cli.BoolFlag{Name: "orphans", Usage: "list only sessions that have lost their holder"},
			&cli.BoolFlag{Name: "expected", Usage: "mark unexpected processes, list missing ones"},
			&cli.BoolFlag{Name: "tree", Usage: "draw process trees, with ports, log files and tethers"},
			&cli.StringFlag{Name: "sort", Usage: "sort by `ORDER`: " + strings.Join(list.Orders, ", "), Value: list.Orders[0]},
			&cli.BoolFlag{Name: "watch", Aliases: []string{"w"}, Usage: "update the table; with --json: JSON Lines"},
			&cli.StringFlag{Name: "interval", Usage: "update every `DURATION`, with --watch", Value: "2s"},
		},
		ArgValidator: arguments(0, 1, "the name of a session"),
		Action:       ps,
	}
}

// A psRequest is what the command line of ps asks for.
type psRequest struct {
	name       string
	labels     map[string]string
	order      string
	all        bool
	everywhere bool
	orphans    bool
	expected   bool
	view       psView
	interval   time.Duration
}

// psRules are the rules about the flags of ps.
var psRules = []flagRule{
	{flags: []string{"interval"}, needs: []string{"watch"}},
	{flags: []string{"everywhere"}, without: []string{"expected"}},
}

func ps(ctx context.Context, cmd *cli.Command) error {
	r := psRequest{name: target(cmd), order: cmd.String("sort"), all: cmd.Bool("all"), orphans: cmd.Bool("orphans"), expected: cmd.Bool("expected")}
	r.everywhere = cmd.Bool("everywhere")
	r.view = psView{tree: cmd.Bool("tree"), folders: r.everywhere, coloured: colours(cmd)}
	var err error
	if r.labels, err = labels(cmd); err != nil {
		return err
	}
	if empty := list.NewListing(); empty.Sort(r.order) != nil {
		return checkChoice("sort", r.order, list.Orders)
	}
	if err := checkFlags(cmd, psRules); err != nil {
		return err
	}
	if r.interval, err = duration(cmd, "interval"); err != nil {
		return err
	}
	if cmd.Bool("watch") {
		return psWatch(ctx, cmd, r)
	}
	listing, err := r.list(ctx, cmd)
	if err != nil {
		return err
	}
	if stdout, ok := cmd.Root().Writer.(*os.File); ok && isTerminal(stdout) {
		if size, err := windowSize(stdout); err == nil {
			r.view.width = size.Cols
		}
	}
	if cmd.Bool("json") {
		result := newPsResult(listing)
		if err := r.takeCommands(cmd, &result); err != nil {
			return err
		}
		return printJSON(cmd, result)
	}
	if len(listing.Sessions)+len(listing.Missing)+len(listing.Declared) == 0 && !r.everywhere && !r.selects() {
		sayElsewhere(ctx, cmd)
	}
	if listing.Misread != nil {
		note(cmd, "what is missing is not known: %v", listing.Misread)
	}
	return show(cmd, listing, r.view.write)
}

// selects reports whether ps is asked for some of the sessions alone.
func (r psRequest) selects() bool { return r.name != "" || r.orphans || len(r.labels) > 0 }

// elsewhereTime is how long ps, which has nothing to list, looks for sessions elsewhere.
const elsewhereTime = 200 * time.Millisecond

// sayElsewhere says where sessions run, if none does here.
func sayElsewhere(ctx context.Context, cmd *cli.Command) {
	ctx, cancel := context.WithTimeout(ctx, elsewhereTime)
	defer cancel()
	if found, _ := census.Everywhere(ctx); len(found) > 0 {
		newest := found[len(found)-1]
		note(cmd, "no session runs here; %d elsewhere, the newest in %s: devtools ps --everywhere", len(found), filepath.Dir(newest.Folder))
	}
}

// takeCommands fills in the last commands of the session that the command line names.
func (r psRequest) takeCommands(cmd *cli.Command, result *psResult) error {
	if r.name == "" || r.everywhere || len(result.Sessions) == 0 {
		return nil
	}
	dir, err := openState(cmd, r.name)
	if err != nil {
		return err
	}
	return result.takeCommands(dir)
}

// A psListing is what ps lists.
type psListing struct {
	list.Listing
	Missing  []stack.Expectation // with --expected
	Declared []stack.Expectation // sessions of sessions.toml that do not run
	Misread  error               // why sessions.toml could not be read
	Silent   int                 // with --everywhere: number of holders that did not answer
}

// list returns the requested listing.
func (r psRequest) list(ctx context.Context, cmd *cli.Command) (psListing, error) {
	listing := psListing{Listing: list.NewListing()}
	var err error
	if r.everywhere {
		listing.Listing, listing.Silent, err = r.listEverywhere(ctx, cmd)
	} else {
		listing, err = r.listHere(ctx, cmd)
	}
	if err != nil {
		return listing, err
	}
	if r.expected {
		if err := listing.mark(ctx, cmd); err != nil {
			return listing, err
		}
	}
	known := r.name == "" // a known session that is not an orphan, or lacks the label, is not an error
	if r.selects() {
		listing.Listing = listing.Only(func(s ledger.Session) bool {
			named := r.name == "" || s.Name == r.name || s.ID == r.name
			known = known || named
			return named && (!r.orphans || s.Status == ledger.StatusOrphaned) && hasLabels(s, r.labels)
		})
	}
	if !known {
		return listing, ledger.SessionError(r.name, ledger.ErrNoSession)
	}
	return listing, listing.Sort(r.order)
}

// listHere lists the sessions of the workspace. What is missing belongs to a list of all.
func (r psRequest) listHere(ctx context.Context, cmd *cli.Command) (listing psListing, err error) {
	listing.Listing = list.NewListing()
	path, err := stateFolder(cmd)
	if err != nil {
		return listing, err
	}
	dir, err := openFolder(cmd, path)
	if isMissing(err) { // nothing was ever started here
		return listing, nil
	}
	if err != nil {
		return listing, err
	}
	tellAdopted(cmd, path, census.Adopt(ctx, path)) // those that an earlier call could not adopt
	if r.name != "" {
		listing.Listing, err = list.Of(ctx, dir, r.name)
		return listing, errors.Join(err, r.takeEnded(cmd, dir, &listing.Listing))
	}
	if listing.Listing, err = list.List(ctx, dir, r.all, true); err == nil && !r.selects() {
		listing.Declared, listing.Misread = missingDeclared(dir, listing.Listing)
	}
	return listing, errors.Join(err, r.takeEnded(cmd, dir, &listing.Listing))
}

// takeEnded fills in the processes that have ended, for --tree with --json.
func (r psRequest) takeEnded(cmd *cli.Command, dir ledger.Dir, l *list.Listing) error {
	if !r.view.tree || !cmd.Bool("json") {
		return nil
	}
	return l.TakeEnded(dir)
}

// listEverywhere lists the sessions of all workspaces. silent is how many holders did not answer.
func (r psRequest) listEverywhere(ctx context.Context, cmd *cli.Command) (listing list.Listing, silent int, err error) {
	path, err := stateFolder(cmd)
	if err != nil {
		return list.NewListing(), 0, err
	}
	listing, silent = list.Everywhere(ctx, path, r.name, r.all)
	if silent > 0 {
		holders := "1 holder does"
		if silent > 1 {
			holders = fmt.Sprintf("%d holders do", silent)
		}
		note(cmd, "the list is not complete: %s not answer", holders)
	}
	return listing, silent, nil
}

// psWatch lists at each interval: as a live table for a person on a terminal, or with --json for programs.
func psWatch(ctx context.Context, cmd *cli.Command, r psRequest) error {
	if r.interval < 100*time.Millisecond {
		return badValue("interval", cmd.String("interval"), "0.1s or more")
	}
	if !cmd.Bool("json") {
		if !isTerminal(cmd.Root().Writer) {
			return usagef("ps: --watch: standard output is not a terminal: use --json, which prints a line for each update")
		}
		sig, err := watchOnTerminal(ctx, cmd, r)
		if sig != nil {
			endBy(sig)
			return exitCode(codeInterrupted)
		}
		return err
	}
	if err := checkFields(cmd, psEvent{}); err != nil {
		return err
	}
	tick := time.NewTicker(r.interval)
	defer tick.Stop()
	for before := (psListing{}); ; {
		listing, err := r.look(ctx, cmd, before)
		if err != nil {
			return err
		}
		if err := encodeFor(cmd, psEvent{eventListing, ledger.Time{Time: time.Now()}, newPsResult(listing)}); err != nil {
			return brokenPipe(err)
		}
		before = listing
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look works as list, and adds the rates since the listing before. If the named session has disappeared since then,
// look goes on without it.
func (r psRequest) look(ctx context.Context, cmd *cli.Command, before psListing) (psListing, error) {
	listing, err := r.list(ctx, cmd)
	if errors.Is(err, ledger.ErrNoSession) && before.Sessions != nil {
		err = nil
	}
	if err == nil && before.Sessions != nil {
		listing.Since(before.Listing)
		err = listing.Sort(r.order)
	}
	return listing, err
}
