package mailbox

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2/imapclient"
)

// TestAMailThatWasNotSentIsNoEmptyOne, which would be for people, as unreadable.
func TestAMailThatWasNotSentIsNoEmptyOne(t *testing.T) {
	const mail = "* 1 FETCH (UID 7 BODY[] {4}\r\nmail)\r\n"
	for answers, want := range map[string]struct{ mail, err string }{
		mail:                                          {"mail", ""},
		"* 1 FETCH (UID 7 BODY[] {0}\r\n)\r\n":        {"", ""},
		"* 1 FETCH (UID 7 BODY[] NIL)\r\n":            {"", "has not sent"},
		"* 1 FETCH (FLAGS (\\Seen))\r\n" + mail:       {"mail", ""},
		"* 1 FETCH (UID 7 FLAGS (\\Seen))\r\n" + mail: {"", "has not sent"},
		"": {"", errGone.Error()},
	} {
		conn := scripted(t, answers)
		got, err := conn.read(7)
		if string(got) != want.mail || (err != nil) != (want.err != "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%q: %q, %v", answers, got, err)
		}
	}
}

// scripted is a connection to a server that answers each command so.
func scripted(t *testing.T, answers string) *connection {
	t.Helper()
	here, there := net.Pipe()
	go func() {
		defer func() { _ = there.Close() }()
		_, _ = fmt.Fprint(there, "* PREAUTH [CAPABILITY IMAP4rev1] hello\r\n")
		for commands := bufio.NewScanner(there); commands.Scan(); {
			tag, _, _ := strings.Cut(commands.Text(), " ")
			_, _ = fmt.Fprintf(there, "%s%s OK done\r\n", answers, tag)
		}
	}()
	client := imapclient.New(here, nil)
	t.Cleanup(func() { _ = client.Close() })
	return &connection{Client: client}
}
