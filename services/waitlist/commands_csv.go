package waitlist

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist/internal/api"
	"fledge.dev/services/waitlist/internal/store"
)

// importPart is how many lines are put on the list in one transaction.
const importPart = 5000

// columns are those of the file of a list, as the staff's page downloads it, too.
var columns = []string{
	"email", "status", "source", "created_at",
	"consent", "consented_at", "confirmed_at", "left_at", "suppressed", "suppressed_at", "invitation_expired_at",
}

const exportHelp = `
Writes everybody on the list to the standard output as CSV, the newest first: address, status,
source and when they joined; which words they agreed to and when, when they confirmed their address,
when they asked for no more emails, why and since when the address gets none, and since when somebody
is pending again whose invitation has expired. Another installation's waitlist import makes the same list of it.
Needs DATABASE_URL.`

const importHelp = `
Adds the people of a CSV file in the format of waitlist export, - for the standard input. Its first
line names the columns: email, and the others of the export where it has them, with times as in
2026-01-02T15:04:05Z. Files of spreadsheets and other tools are for the import of the dashboard. Who
is on the list already stays as they are, and nobody gets an email. Takes your address, which the
audit log keeps. Prints the lines that are refused, and after each 5,000 lines how many are done.
After an error or Ctrl-C, what was printed as done is on the list: call it again for the rest. Needs
DATABASE_URL.`

// csvCommands write the whole list to a file, and read one, of any length.
func csvCommands() []service.Command {
	return []service.Command{
		{
			Name: "export", Summary: "write the list as CSV", Help: exportHelp,
			Run: func(ctx context.Context, call service.Call) error {
				if len(call.Args) > 0 {
					return service.Misuse("export takes no arguments")
				}
				return onList(ctx, call, func(list *api.Server) error { return exportList(ctx, list, call.Out) })
			},
		},
		{
			Name: "import", Arguments: "<your address> <file>", Summary: "add the people of a CSV file to the list", Help: importHelp,
			Run: func(ctx context.Context, call service.Call) error {
				if len(call.Args) != 2 || !address.Is(call.Args[0]) {
					return service.Misuse("say who you are, by your address, and which file")
				}
				from := call.In
				if call.Args[1] != "-" {
					file, err := os.Open(call.Args[1])
					if err != nil {
						return err
					}
					defer func() { _ = file.Close() }() // it was only read
					from = file
				}
				return onList(ctx, call, func(list *api.Server) error {
					return importList(audit.WithActor(ctx, call.Args[0]), list, call.Runtime.Clock.Now(), from, call.Out)
				})
			},
		},
	}
}

func onList(ctx context.Context, call service.Call, do func(*api.Server) error) error {
	return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, cfg pg.Config) error {
		rt := call.Runtime
		list, err := api.NewServer(store.New(pool, rt.Clock, nil, store.Config{Deadline: cfg.Deadline, Log: rt.Log}), rt.Clock, rt.Metrics, rt.Log)
		if err != nil {
			return err
		}
		return do(list)
	})
}

func exportList(ctx context.Context, list *api.Server, to io.Writer) error {
	file, err := csvfile.NewWriter(to, columns)
	if err != nil {
		return err
	}
	for req := (&waitlistv1.ExportUsersRequest{}); ; {
		resp, err := list.ExportUsers(ctx, req)
		if err != nil {
			return err
		}
		for i, u := range resp.GetUsers() {
			r := resp.GetRecords()[i]
			err := file.Write([]string{
				u.GetEmail(), enum.Name(u.GetStatus()), enum.Name(u.GetSource()), u.GetCreatedAt().AsTime().Format(time.RFC3339Nano),
				r.GetConsent(), r.GetConsentedAt(), r.GetConfirmedAt(), r.GetLeftAt(), r.GetSuppressed(), r.GetSuppressedAt(), r.GetInvitationExpiredAt(),
			})
			if err != nil {
				return err
			}
		}
		if err := file.Flush(); err != nil {
			return err
		}
		if req.Cursor = resp.GetNextCursor(); req.Cursor == "" {
			return nil
		}
	}
}

func importList(ctx context.Context, list *api.Server, now time.Time, from io.Reader, to io.Writer) error {
	lines, err := newLineReader(from)
	if err != nil {
		return err
	}
	began, id := timestamppb.New(now), uuid.NewString()
	var done, added, refused int
	refuse := func(line *waitlistv1.ImportLine, why string) error {
		refused++
		_, err := fmt.Fprintf(to, "line %d: %s\n", line.GetLine(), why)
		return err
	}
	for ended := false; !ended; {
		req, before := &waitlistv1.ImportUsersRequest{ImportId: id, BeganAt: began}, done
		for done-before < importPart {
			line, err := lines.next()
			if ended = errors.Is(err, io.EOF); ended {
				break
			}
			if err != nil {
				return err
			}
			done++
			if column := unreadable(line); column == "" {
				req.Lines = append(req.Lines, line)
			} else if err := refuse(line, "The time in "+column+" cannot be read."); err != nil {
				return err
			}
		}
		if len(req.GetLines()) > 0 {
			resp, err := list.ImportUsers(ctx, req)
			if err != nil {
				return err
			}
			for i, result := range resp.GetResults() {
				switch result.GetOutcome() {
				case waitlistv1.ImportResult_OUTCOME_ADDED:
					added++
				case waitlistv1.ImportResult_OUTCOME_INVALID:
					if err := refuse(req.GetLines()[i], result.GetError()); err != nil {
						return err
					}
				}
			}
		}
		if done > before || done == 0 {
			if _, err := fmt.Fprintf(to, "%d lines done: %d added, %d known, %d refused\n", done, added, done-added-refused, refused); err != nil {
				return err
			}
		}
	}
	return nil
}

// unreadable names the first column whose time the export does not write so, or is "".
func unreadable(line *waitlistv1.ImportLine) string {
	r := line.GetRecord()
	for _, cell := range []struct{ column, text string }{
		{"created_at", line.GetJoined()}, {"consented_at", r.GetConsentedAt()}, {"confirmed_at", r.GetConfirmedAt()},
		{"left_at", r.GetLeftAt()}, {"suppressed_at", r.GetSuppressedAt()}, {"invitation_expired_at", r.GetInvitationExpiredAt()},
	} {
		if !isExported(cell.text) {
			return cell.column
		}
	}
	return ""
}

// isExported tells whether a time is none, or one that the export writes. Others may mean several.
func isExported(joined string) bool {
	_, err := time.Parse(time.RFC3339, joined)
	return joined == "" || err == nil
}

// lineReader reads the lines of a file of people.
type lineReader struct {
	csv *csv.Reader
	// at has where each of the columns is, -1 for one that is not there.
	at []int
}

func newLineReader(from io.Reader) (*lineReader, error) {
	file := bufio.NewReader(from)
	if mark, _ := file.Peek(len(csvfile.ByteOrderMark)); string(mark) == csvfile.ByteOrderMark {
		_, _ = file.Discard(len(mark)) // what was peeked can be discarded
	}
	r := &lineReader{csv: csv.NewReader(file), at: make([]int, len(columns))}
	r.csv.FieldsPerRecord, r.csv.ReuseRecord = -1, true
	titles, err := r.csv.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for i, column := range columns {
		r.at[i] = slices.IndexFunc(titles, func(title string) bool { return strings.EqualFold(strings.TrimSpace(title), column) })
	}
	if r.at[0] < 0 {
		return nil, errors.New("the first line has no column email")
	}
	return r, nil
}

// next returns the following line, or io.EOF.
func (r *lineReader) next() (*waitlistv1.ImportLine, error) {
	cells, err := r.csv.Read()
	if err != nil {
		return nil, err
	}
	number, _ := r.csv.FieldPos(0)
	cell := func(column int) string { return csvfile.Cell(cells, r.at[column]) }
	return &waitlistv1.ImportLine{Line: int32(number), Email: cell(0), Status: cell(1), Source: cell(2), Joined: cell(3), Record: &waitlistv1.Record{
		Consent: cell(4), ConsentedAt: cell(5), ConfirmedAt: cell(6), LeftAt: cell(7), Suppressed: cell(8), SuppressedAt: cell(9), InvitationExpiredAt: cell(10),
	}}, nil
}
