package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

func (f *fixture) reply(customer ticket.Person, id uuid.UUID, body ticket.Text) ticket.Ticket {
	f.t.Helper()
	f.clock.Advance(time.Second)
	t, _, err := f.Reply(f.t.Context(), customer, id, body, f.key())
	errtest.None(f.t, err)
	return t
}

// TestWhoWaits: the list knows who wrote last, and since when a customer waits.
func TestWhoWaits(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	opened := f.clock.Now()
	wrote := func(what string, got ticket.Ticket, by ticket.Author, since time.Time) {
		t.Helper()
		read, _, err := f.Get(t.Context(), made.ID)
		if err != nil || read.Ticket != got {
			t.Errorf("%s: stored %+v, returned %+v, %v", what, read.Ticket.StaffFields, got.StaffFields, err)
		}
		if got.LastMessageBy != by || !got.WaitingSince.Equal(since) {
			t.Errorf("%s: %s wrote last, waits since %v, want %v", what, got.LastMessageBy, got.WaitingSince, since)
		}
		_, waiting := f.list(store.Filter{Queue: store.Waiting}, 1, 50)
		if (waiting == 1) == since.IsZero() {
			t.Errorf("%s: %d wait", what, waiting)
		}
	}
	nobody := time.Time{}
	wrote("opened", made, ticket.Customer, opened)
	wrote("taken up", f.update(made.ID, ticket.Update{Status: ticket.InProgress}), ticket.Customer, opened)
	wrote("asked again", f.reply(ada, made.ID, "hello?"), ticket.Customer, opened)
	answered := f.update(made.ID, ticket.Update{Response: "Which version?"})
	wrote("answered", answered, ticket.Staff, nobody)
	if !answered.AnsweredAt.Equal(f.clock.Now()) || answered.Status != ticket.InProgress {
		t.Errorf("answered %+v", answered)
	}
	wrote("replied", f.reply(ada, made.ID, "1.2"), ticket.Customer, f.clock.Now())
	wrote("resolved", f.update(made.ID, ticket.Update{Status: ticket.Resolved}), ticket.Customer, nobody)
	wrote("not solved", f.reply(ada, made.ID, "still broken"), ticket.Customer, f.clock.Now())
	wrote("closed", f.update(made.ID, ticket.Update{Status: ticket.Closed}), ticket.Customer, nobody)
}

// TestWhoHasWaitedLongest comes first, and those whom nobody keeps waiting last.
func TestWhoHasWaitedLongest(t *testing.T) {
	f := newFixture(t)
	first, second := f.open(ada, about("x")), f.open(bea, about("x"))
	third := f.open(ada, about("x"))
	f.update(first.ID, ticket.Update{Status: ticket.InProgress, Response: "Yes?"})
	f.update(third.ID, ticket.Update{Status: ticket.Closed})
	f.reply(ada, first.ID, "there")
	want := []string{second.Label(), first.Label(), third.Label()}
	for page, label := range want {
		if got, total := f.list(store.Filter{Sort: store.Longest}, page+1, 1); !slices.Equal(got, []string{label}) || total != 3 {
			t.Errorf("place %d: %v of %d, want %s", page+1, got, total, label)
		}
	}
	if got, _ := f.list(store.Filter{Sort: store.Longest, Search: "example.com"}, 1, 50); !slices.Equal(got, want) {
		t.Errorf("of those found: %v, want %v", got, want)
	}
	if got, _ := f.list(store.Filter{Queue: store.Waiting, Sort: store.Longest}, 1, 50); !slices.Equal(got, want[:2]) {
		t.Errorf("waiting: %v", got)
	}
}

// TestAnExportSaysWhenATicketWasResolved last, unless it was opened again.
func TestAnExportSaysWhenATicketWasResolved(t *testing.T) {
	f := newFixture(t)
	id := f.open(ada, about("one")).ID
	var want time.Time
	for _, step := range []struct {
		to       ticket.Status
		resolved bool
	}{{ticket.InProgress, false}, {ticket.Resolved, true}, {ticket.InProgress, false}, {ticket.Resolved, true}, {ticket.Closed, true}} {
		f.clock.Advance(time.Hour)
		f.update(id, ticket.Update{Status: step.to})
		if step.to == ticket.Resolved {
			want = f.clock.Now()
		}
		exported, _, err := f.Export(t.Context(), store.Filter{}, everything)
		if err != nil || len(exported) != 1 {
			t.Fatal(exported, err)
		}
		if at := exported[0].ResolvedAt; at.IsZero() == step.resolved || (step.resolved && !at.Equal(want)) {
			t.Errorf("%s: resolved at %v, want %v", step.to, at, want)
		}
	}
}

// TestAnAnswerIsSentOnce: a double click, a retry whose first answer was lost, and a caller
// who knows neither keys nor versions.
func TestAnAnswerIsSentOnce(t *testing.T) {
	f := newFixture(t)
	for name, u := range map[string]ticket.Update{
		"without a version": {Status: ticket.InProgress, Response: "We look into it."},
		"with a version":    {Status: ticket.InProgress, Response: "We look into it.", Version: 1},
		"with a key":        {Status: ticket.InProgress, Response: "We look into it.", Version: 1, Key: "k"},
		"status as it is":   {Response: "We look into it."},
	} {
		made := f.open(ada, about("help"))
		once := f.update(made.ID, u)
		before := f.effects()
		var wait sync.WaitGroup
		ctx := f.staff()
		for range 10 {
			wait.Go(func() {
				if again, changed, err := f.Update(ctx, admin, made.ID, u); err != nil || changed || again != once {
					t.Errorf("%s, again: changed %t, %v", name, changed, err)
				}
			})
		}
		wait.Wait()
		f.wantEffects(name, before)
	}
}

func TestWhatIsNotTheSameAnswer(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	same := ticket.Update{Status: ticket.InProgress, Response: "Which version?"}
	sent := func(what string, u ticket.Update, messages int) {
		t.Helper()
		before := f.effects()
		f.update(made.ID, u)
		if got := f.effects(); got.Messages-before.Messages != messages {
			t.Errorf("%s: %d messages more, want %d", what, got.Messages-before.Messages, messages)
		}
	}
	sent("the first", same, 1)
	sent("other words", ticket.Update{Status: ticket.InProgress, Response: "And which Mac?"}, 1)
	sent("with another between", same, 1)
	f.reply(ada, made.ID, "1.2")
	sent("after the customer's", same, 1)
	sent("only a new status", ticket.Update{Status: ticket.Resolved, Response: same.Response}, 0)
	if read, _, err := f.Get(t.Context(), made.ID); err != nil || read.Ticket.Status != ticket.Resolved {
		t.Errorf("the status is %s, %v", read.Ticket.Status, err)
	}
	f.clock.Advance(10 * time.Minute)
	sent("much later", same, 1)
	keyed := ticket.Update{Response: "By key", Key: "k"}
	sent("with a key", keyed, 1)
	if _, _, err := f.Update(f.staff(), admin, made.ID, ticket.Update{Response: "Others", Key: "k"}); fault.Of(err).Reason != "idempotency_key_reused" {
		t.Errorf("other words of the same key: %v", err)
	}
	sent("with another key", ticket.Update{Response: "By key", Key: "k2"}, 1)
	sent("with another between again", ticket.Update{Response: "Later"}, 1)
	sent("the key again, much later", keyed, 0)
}

func TestTagsAndQueues(t *testing.T) {
	f := newFixture(t)
	var made []ticket.Ticket
	for i := range 4 {
		made = append(made, f.open(ada, about(fmt.Sprint(i))))
	}
	f.exec("UPDATE tickets SET assignee_id = $1, assignee_email = $2, tags = '{crash,mac}' WHERE id = ANY ($3)", admin.ID, admin.Email, []uuid.UUID{made[0].ID, made[1].ID})
	f.update(made[1].ID, ticket.Update{Status: ticket.Closed})
	f.update(made[2].ID, ticket.Update{Status: ticket.Resolved})
	for name, tt := range map[string]struct {
		filter store.Filter
		want   []string
	}{
		"mine":       {store.Filter{Queue: store.Mine, Caller: admin.ID}, []string{made[0].Label()}},
		"another's":  {store.Filter{Queue: store.Mine, Caller: bea.ID}, []string{}},
		"unassigned": {store.Filter{Queue: store.Unassigned}, []string{made[3].Label()}},
		"a tag":      {store.Filter{Tag: "mac"}, []string{made[1].Label(), made[0].Label()}},
		"no tag":     {store.Filter{Tag: "ma"}, []string{}},
		"both":       {store.Filter{Queue: store.Mine, Caller: admin.ID, Tag: "crash", Search: "TKT"}, []string{made[0].Label()}},
	} {
		if got, total := f.list(tt.filter, 1, 50); !slices.Equal(got, tt.want) || int(total) != len(tt.want) {
			t.Errorf("%s: %v of %d, want %v", name, got, total, tt.want)
		}
	}
}

func TestEdits(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	crash := "crash mac"
	before := f.effects()
	edited, err := f.Edit(f.staff(), admin, made.ID, ticket.Edit{Priority: ticket.Urgent, Category: ticket.Billing, Assignee: &ticket.Person{ID: admin.ID}, Tags: &crash})
	if err != nil || edited.Priority != ticket.Urgent || edited.Category != ticket.Billing || edited.Assignee != admin || edited.Tags != crash || edited.Version != 2 {
		t.Fatalf("edited %+v, %v", edited, err)
	}
	read, history, err := f.Get(t.Context(), made.ID)
	if err != nil || read.Ticket != edited {
		t.Errorf("stored %+v, %v", read.Ticket, err)
	}
	var lines []string
	for _, c := range history {
		lines = append(lines, c.Field+": "+c.From+" > "+c.To)
	}
	slices.Sort(lines)
	if want := []string{"assignee:  > " + admin.Email, "category: bug > billing", "priority: medium > urgent", "tags:  > crash mac"}; !slices.Equal(lines, want) {
		t.Errorf("the history is %q", lines)
	}
	f.wantEffects("an edit, without an email", effects{1, 2, 0, 4, before.Events + 1, before.Emails})
	if _, err := f.Edit(f.staff(), admin, made.ID, ticket.Edit{Priority: ticket.Urgent, Tags: &crash}); err != nil {
		t.Error(err)
	}
	f.wantEffects("the same again", effects{1, 2, 0, 4, before.Events + 1, before.Emails})
	if _, err := f.Edit(f.staff(), admin, made.ID, ticket.Edit{Assignee: &ticket.Person{ID: bea.ID}}); fault.Of(err).Reason != "invalid_assignee_id" {
		t.Errorf("given to a customer: %v", err)
	}
	if _, err := f.Edit(f.staff(), admin, uuid.New(), ticket.Edit{Priority: ticket.Low}); !errors.Is(err, ticket.ErrNotFound) {
		t.Errorf("an unknown ticket: %v", err)
	}
	// Whoever has worked on a ticket can be given others.
	colleague := ticket.Person{ID: uuid.New(), Email: "colleague@example.com"}
	if _, _, err := f.Update(f.staff(), colleague, made.ID, ticket.Update{Status: ticket.InProgress}); err != nil {
		t.Fatal(err)
	}
	given, err := f.Edit(f.staff(), admin, made.ID, ticket.Edit{Assignee: &ticket.Person{ID: colleague.ID}})
	if err != nil || given.Assignee != colleague {
		t.Errorf("given to %+v, %v", given.Assignee, err)
	}
	nobodys, err := f.Edit(f.staff(), admin, made.ID, ticket.Edit{Assignee: &ticket.Person{}})
	if err != nil || nobodys.Assignee != (ticket.Person{}) {
		t.Errorf("nobody's: %+v, %v", nobodys.Assignee, err)
	}
	if desk, err := f.StaffChoices(t.Context(), admin); err != nil || !slices.Equal(desk.Staff, []ticket.Person{admin, colleague}) {
		t.Errorf("the staff is %v, %v", desk.Staff, err)
	}
}

// TestNotesAreForStaff: nothing that customers read or take along has them.
func TestNotesAreForStaff(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	before := f.effects()
	const secret = "Knows the founder."
	note, err := f.AddNote(f.staff(), admin, made.ID, secret)
	if err != nil || note.Body != secret || note.AuthorEmail != admin.Email {
		t.Fatalf("noted %+v, %v", note, err)
	}
	if again, err := f.AddNote(f.staff(), admin, made.ID, secret); err != nil || again != note {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	f.wantEffects("a note is no message", effects{1, 1, 0, 0, before.Events + 1, before.Emails})
	read, _, err := f.Get(t.Context(), made.ID)
	if err != nil || !slices.Equal(read.Notes, []ticket.Note{note}) {
		t.Errorf("staff reads %+v, %v", read.Notes, err)
	}
	tags := "secret-tag"
	if _, err := f.Edit(f.staff(), admin, made.ID, ticket.Edit{Tags: &tags, Assignee: &ticket.Person{ID: admin.ID}}); err != nil {
		t.Fatal(err)
	}
	mine, _, err := f.Mine(t.Context(), ada.ID, everything, 20)
	if err != nil || len(mine[0].Notes) != 0 {
		t.Errorf("the customer reads %+v, %v", mine, err)
	}
	for _, table := range f.ExportTables() {
		rows, err := table.Read(t.Context(), export.Account{ID: ada.ID, Emails: []string{ada.Email}}, "")
		errtest.None(t, err)
		for _, word := range []string{secret, tags, admin.Email} {
			if strings.Contains(fmt.Sprintf("%s", rows), word) {
				t.Errorf("the customer takes along %q in %s", word, table.File)
			}
		}
	}
	if _, err := f.AddNote(f.staff(), admin, uuid.New(), "x"); !errors.Is(err, ticket.ErrNotFound) {
		t.Errorf("an unknown ticket: %v", err)
	}
}

func TestEarlierMessages(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	f.exec(`INSERT INTO ticket_messages (id, ticket_id, author, author_id, author_email, body, created_at)
		SELECT gen_random_uuid(), $1, 'staff', $2, $3, n::text, now() FROM generate_series(1, 75) n`, made.ID, admin.ID, admin.Email)
	mine, _, err := f.Mine(t.Context(), ada.ID, everything, 20)
	if err != nil || len(mine[0].Messages) != 20 || !mine[0].Earlier || mine[0].Messages[0].Body != "56" {
		t.Fatalf("the thread begins at %+v, %v", mine[0].Messages[0], err)
	}
	first, more, err := f.Earlier(t.Context(), ada.ID, made.ID, mine[0].Messages[0].ID)
	if err != nil || !more || len(first) != store.MaxEarlier || first[0].Body != "6" || first[49].Body != "55" {
		t.Fatalf("%d earlier from %+v, more %t, %v", len(first), first[0], more, err)
	}
	rest, more, err := f.Earlier(t.Context(), uuid.Nil, made.ID, first[0].ID)
	if err != nil || more || len(rest) != 5 || rest[0].Body != "1" {
		t.Errorf("%d at the beginning, more %t, %v", len(rest), more, err)
	}
	if _, _, err := f.Earlier(t.Context(), bea.ID, made.ID, first[0].ID); !errors.Is(err, ticket.ErrNotFound) {
		t.Errorf("a stranger: %v", err)
	}
	whole, _, err := f.Get(t.Context(), made.ID)
	if err != nil || whole.Earlier || len(whole.Messages) != 75 {
		t.Errorf("staff reads %d, earlier %t, %v", len(whole.Messages), whole.Earlier, err)
	}
}

func TestCannedAnswers(t *testing.T) {
	f := newFixture(t)
	save := func(a ticket.CannedAnswer) ticket.CannedAnswer {
		t.Helper()
		saved, err := f.SaveAnswer(f.staff(), a)
		errtest.None(t, err)
		return saved
	}
	update := save(ticket.CannedAnswer{Title: "Update", Body: "Please update."})
	hello := save(ticket.CannedAnswer{Title: "Hello", Body: "Hi {{name}},"})
	update.Body = "Please update to {{version}}."
	save(update)
	desk, err := f.StaffChoices(t.Context(), admin)
	if err != nil || !slices.Equal(desk.Answers, []ticket.CannedAnswer{hello, update}) {
		t.Errorf("there are %v, %v", desk.Answers, err)
	}
	for _, a := range []ticket.CannedAnswer{{Title: "Hello", Body: "x"}, {ID: update.ID, Title: "Hello", Body: "x"}} {
		if _, err := f.SaveAnswer(f.staff(), a); fault.Of(err).Reason != "canned_answer_exists" {
			t.Errorf("a title twice: %v", err)
		}
	}
	for range 2 {
		if err := f.DeleteAnswer(f.staff(), update.ID); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.SaveAnswer(f.staff(), update); !errors.Is(err, fault.NotFound) {
		t.Errorf("a deleted one: %v", err)
	}
	if desk, err := f.StaffChoices(t.Context(), admin); err != nil || !slices.Equal(desk.Answers, []ticket.CannedAnswer{hello}) {
		t.Errorf("left: %v, %v", desk.Answers, err)
	}
	for i := range store.MaxAnswers - 1 {
		save(ticket.CannedAnswer{Title: fmt.Sprint("Answer ", i), Body: "x"})
	}
	if _, err := f.SaveAnswer(f.staff(), ticket.CannedAnswer{Title: "One too many", Body: "x"}); fault.Of(err).Reason != "too_many_canned_answers" {
		t.Errorf("the one too many: %v", err)
	}
	hello.Body = "Dear {{name}},"
	save(hello)
}
