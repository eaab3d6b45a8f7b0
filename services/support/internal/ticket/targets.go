package ticket

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Priorities are all of them, the most urgent first.
func Priorities() []Priority { return []Priority{Urgent, High, Medium, Low} }

// Targets are how soon a new ticket should be answered, by priority. Those that are missing
// have none.
type Targets map[Priority]time.Duration

const (
	shortestTarget = time.Minute
	longestTarget  = 90 * 24 * time.Hour
)

var errTargets = errors.New(`must be priorities with durations from 1m to 2160h, such as "urgent=4h high=8h", or empty`)

// UnmarshalText reads "urgent=4h high=8h".
func (t *Targets) UnmarshalText(text []byte) error {
	*t = Targets{}
	for word := range strings.FieldsSeq(string(text)) {
		name, lasts, _ := strings.Cut(word, "=")
		priority := Priority(name)
		soon, err := time.ParseDuration(lasts)
		if _, twice := (*t)[priority]; err != nil || twice || !slices.Contains(Priorities(), priority) || soon < shortestTarget || soon > longestTarget {
			return errTargets
		}
		(*t)[priority] = soon
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (t Targets) MarshalText() ([]byte, error) {
	var words []string
	for _, p := range Priorities() {
		if soon, ok := t[p]; ok {
			words = append(words, fmt.Sprintf("%s=%s", p, soon))
		}
	}
	return []byte(strings.Join(words, " ")), nil
}

// AnswerDue is when the ticket's first answer is due; zero when it has one, nobody waits for it,
// or its priority has no target. One that was resolved without a word and is open again has its time from then on.
func (t Targets) AnswerDue(of Ticket) time.Time {
	soon, ok := t[of.Priority]
	if !ok || !of.AnsweredAt.IsZero() || of.WaitingSince.IsZero() {
		return time.Time{}
	}
	return of.WaitingSince.Add(soon)
}

// InTime reports whether the ticket's first answer came before it was due, by its priority of now;
// nil without an answer or a target.
func (t Targets) InTime(of Ticket) *bool {
	soon, ok := t[of.Priority]
	if !ok || of.AnsweredAt.IsZero() {
		return nil
	}
	inTime := !of.AnsweredAt.After(of.CreatedAt.Add(soon))
	return &inTime
}
