// Command server is what the peers of watch are tried on: it answers on a port with the text of a file that it has read
// when it started, and tells a socket how it fares.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	port := flag.Int("port", 0, "")
	source := flag.String("source", "", "the file")
	tell := flag.String("tell", "", "the socket, of datagrams")
	slow := flag.Duration("slow", 0, "how long it answers on when it is told to end")
	deaf := flag.Bool("deaf", false, "it does not end when it is told to")
	helper := flag.Bool("helper", false, "a process in a session of its own has the port")
	flag.Parse()
	if *helper {
		child := exec.Command(os.Args[0], "-port", strconv.Itoa(*port), "-source", *source, "-tell", *tell)
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Run(); err != nil {
			fail(err)
		}
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	text, err := os.ReadFile(*source)
	if err != nil {
		fail(err)
	}
	socket, err := net.Dial("unixgram", *tell)
	if err != nil {
		fail(err)
	}
	say := func(word string) { _, _ = fmt.Fprintln(socket, word, os.Getpid(), strings.TrimSpace(string(text))) }
	listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(*port))
	if err != nil {
		say("failed")
		fail(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write(text)
			_ = conn.Close()
		}
	}()
	say("up")
	for range signals {
		if *deaf {
			continue
		}
		<-time.After(*slow)
		say("down")
		return
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
