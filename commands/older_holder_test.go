package commands

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"time"

	"devtools/ledger"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// olderHolder is the program older-holder of the scripts: it holds the session NAME as a holder of the first version of the protocol
// does, whose program is cat. It says what was typed with which request, one line each.
func olderHolder() {
	dir, err := ledger.Create(os.Getenv("DEVTOOLS_DIR"))
	id, idErr := dir.NewSession()
	s := ledger.Session{
		ID: id, Name: os.Args[1], Status: ledger.StatusRunning, StartedAt: ledger.Time{Time: time.Now()}, Size: ledger.Size{Cols: 80, Rows: 24},
		Cwd: "/", Command: []string{"cat"}, Holder: track.Self(), Main: track.Self(),
	}
	dir.Stamp(&s)
	listener, listenErr := wire.Listen(id, dir)
	if err := errors.Join(err, idErr, listenErr, dir.Claim(id)); err != nil {
		panic(err)
	}
	s.Socket = listener.Addr().String()
	put := func(a *ledger.Active) error { a.Put(s); return nil }
	if err := errors.Join(dir.SaveSession(s), dir.UpdateOne(context.Background(), id, put)); err != nil {
		panic(err)
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go answerAsOlder(conn, s)
	}
}

// answerAsOlder answers the requests of one client.
func answerAsOlder(conn net.Conn, s ledger.Session) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		var req wire.Request
		if wire.ReadLine(r, wire.MaxRequest, &req) != nil {
			return
		}
		resp := wire.Response{V: 1, ID: req.ID, Session: &s}
		switch {
		case req.V > 1:
			resp.Error = &wire.Fault{Kind: "failed", Message: "protocol version 2: this holder speaks 1; it was started by an older devtools"}
		case req.Op == wire.OpType:
			typed := int64(len(req.Type.Args[0]))
			resp.Receipt = &wire.Receipt{Written: typed, Offset: 0, NextOffset: typed}
			_, _ = os.Stdout.WriteString("typed " + string(req.Type.Args[0]) + "\n")
		case req.Op == wire.OpRestart, req.Op == wire.OpRename, req.Op == wire.OpLabel:
			resp.Error = &wire.Fault{Kind: "not_possible", Message: `unknown request "` + req.Op + `": unsupported operation`}
		}
		_ = wire.WriteLine(conn, resp)
	}
}
