package waitlist

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/csvfile"
	"fledge.dev/gateway/internal/route"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	times "fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/enum"
)

// The columns of a file that an import takes something from.
const (
	emailColumn = iota
	joinedColumn
	statusColumn
	sourceColumn
	columnKinds
)

// recordColumns are further columns of our exports. An import takes them of a file that has them all: alone, such a
// title may mean anything in the files of other tools.
var recordColumns = [...]string{"consent", "consented_at", "confirmed_at", "left_at", "suppressed", "suppressed_at"}

// columnParameters are how a request names them.
var columnParameters = [columnKinds]string{"email", "joined", "status", "source"}

const (
	// none is the index of a column that is not there, byContent of one that is yet to be found.
	none      = -1
	byContent = -2
)

// mapping is what the columns of a file are.
type mapping struct {
	// columns are indexes.
	columns [columnKinds]int
	// kept are the indexes of recordColumns.
	kept [len(recordColumns)]int
	// times are the indexes of those that say when people may have joined.
	times []int
	// dayFirst is whether 3/4/2026 is 3 April, and datesGiven whether that was said.
	dayFirst, datesGiven bool
}

// mappingOf reads what a request says of the columns: their numbers from 1, or 0 for none.
func mappingOf(c *gin.Context) (m mapping, err error) {
	for kind, name := range columnParameters {
		m.columns[kind] = byContent
		number, given := c.GetQuery(name)
		if !given {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n == 0 && kind == emailColumn {
			return m, route.Invalid(name, "is not the number of a column")
		}
		m.columns[kind] = int(n) - 1
	}
	switch dates, given := c.GetQuery("dates"); {
	case !given:
	case dates == "day_first":
		m.dayFirst, m.datesGiven = true, true
	case dates == "month_first":
		m.datesGiven = true
	default:
		return m, route.Invalid("dates", "is not day_first or month_first")
	}
	return m, nil
}

// completed finds the columns that were not given by their titles and content. That of when people joined
// may have any title if it is the only column of times of day.
func (m mapping) completed(shape csvfile.Shape) mapping {
	m.columns[emailColumn] = shape.Email
	byTime := m.columns[joinedColumn] == byContent
	for kind, is := range map[int]func(title string, cells []string) bool{
		joinedColumn: func(title string, cells []string) bool {
			return joinedTitle.MatchString(title) && mostly(cells, func(cell string) bool { return times.IsTime(cell, true) || times.IsTime(cell, false) })
		},
		statusColumn: func(title string, cells []string) bool {
			return strings.EqualFold(title, "status") && mostly(cells, isStatus)
		},
		sourceColumn: func(title string, cells []string) bool {
			return strings.EqualFold(title, "source") && mostly(cells, isSource)
		},
	} {
		if m.columns[kind] != byContent {
			continue
		}
		m.columns[kind] = none
		for i := range shape.Titles {
			if i != shape.Email && is(shape.Title(i), cellsOf(shape, i)) {
				m.columns[kind] = i
				break
			}
		}
	}
	m.kept = keptIn(shape)
	m.times = timesIn(shape)
	if byTime && m.columns[joinedColumn] == none {
		precise := slices.DeleteFunc(slices.Clone(m.times), func(i int) bool {
			return !mostly(cellsOf(shape, i), func(cell string) bool { return strings.Contains(cell, ":") })
		})
		if len(precise) == 1 {
			m.columns[joinedColumn] = precise[0]
		}
	}
	m.dayFirst = m.isDayFirst(cellsOf(shape, m.columns[joinedColumn]))
	return m
}

// keptIn finds recordColumns by their titles.
func keptIn(shape csvfile.Shape) (kept [len(recordColumns)]int) {
	for kind, name := range recordColumns {
		kept[kind] = slices.IndexFunc(shape.Titles, func(title string) bool { return strings.EqualFold(strings.TrimSpace(title), name) })
	}
	if slices.Contains(kept[:], none) {
		return [...]int{none, none, none, none, none, none}
	}
	return kept
}

// timesIn are the columns of times at which people may have joined, by their content alone. Those are
// past, and no dates of birth: nobody has waited since before firstJoin.
func timesIn(shape csvfile.Shape) (columns []int) {
	now := time.Now()
	isJoin := func(cell string) bool {
		if ambiguous.MatchString(cell) {
			return false
		}
		for _, dayFirst := range []bool{false, true} {
			if at, err := times.ParsePast(cell, dayFirst, now); err == nil && at.Year() >= firstJoin {
				return true
			}
		}
		return false
	}
	for i := range min(shape.Width(), maxColumns) {
		cells := cellsOf(shape, i)
		if share(90, cells[:min(len(cells), 30)], isJoin) {
			columns = append(columns, i)
		}
	}
	return columns
}

// ambiguous is what may be a date, such as 1.2.20 or 1701234567, and is as likely the version of an app or a phone number.
var ambiguous = regexp.MustCompile(`^(\d{1,2}\.\d{1,2}\.\d{2}|\d+)$`)

// firstJoin is the year before which nobody joined.
const firstJoin = 2015

func cellsOf(shape csvfile.Shape, column int) (cells []string) {
	for line := range shape.Sample {
		if cell := shape.Column(line, column); cell != "" {
			cells = append(cells, cell)
		}
	}
	return cells
}

// mostly is whether at least half of the cells are so. The service refuses the others line by line.
func mostly(cells []string, is func(string) bool) bool { return share(50, cells, is) }

// share is whether at least so many per cent of the cells are so. It looks at no more cells than it needs:
// there may be many columns, and a time has many layouts.
func share(percent int, cells []string, is func(string) bool) bool {
	others := 0
	for _, cell := range cells {
		if is(cell) {
			continue
		}
		if others++; 100*others > (100-percent)*len(cells) {
			return false
		}
	}
	return len(cells) > 0
}

// joinedTitle is what tools call the time of a sign-up.
var joinedTitle = regexp.MustCompile(`(?i)^(created([ _]?(at|on|date|time))?|inserted[ _]at|date([ _](added|created|joined|submitted))?|timestamp|zeitstempel|horodateur|marca temporal|joined.*|signed[ _-]?up.*|sign[ _-]?up[ _](date|time)|subscribed.*|submit(ted)?[ _](date|at).*|(submission|registration|completion)[ _](date|time)|(optin|confirm)[ _]time|added([ _](at|on))?)( ?\(utc\))?$`)

// statuses are the words of other tools for ours. People whom a tool no longer writes to have none (gone): the service
// refuses their lines.
var statuses = map[string]waitlistv1.Status{
	"waiting": waitlistv1.Status_STATUS_PENDING, "waitlisted": waitlistv1.Status_STATUS_PENDING, "queued": waitlistv1.Status_STATUS_PENDING,
	"subscribed": waitlistv1.Status_STATUS_PENDING, "active": waitlistv1.Status_STATUS_PENDING, "confirmed": waitlistv1.Status_STATUS_PENDING,
	"accepted": waitlistv1.Status_STATUS_APPROVED, "invited": waitlistv1.Status_STATUS_APPROVED, "admitted": waitlistv1.Status_STATUS_APPROVED,
	"declined": waitlistv1.Status_STATUS_REJECTED, "denied": waitlistv1.Status_STATUS_REJECTED,
}

// gone are the words for people whom a tool no longer writes to. They tell a column of the status as ours do: without it,
// they would be imported like all others.
var gone = []string{"unsubscribed", "opted out", "opted_out", "inactive", "cleaned", "bounced", "complained", "archived", "deleted", "suppressed"}

// statusOf is the cell in our words, where we have one for it.
func statusOf(cell string) string {
	word := strings.ToLower(strings.TrimSpace(cell))
	if status, ok := statuses[word]; ok {
		return enum.Name(status)
	}
	return word
}

func isStatus(cell string) bool {
	word := statusOf(cell)
	return enum.Of[waitlistv1.Status](word) != waitlistv1.Status_STATUS_UNSPECIFIED || slices.Contains(gone, word)
}

func isSource(cell string) bool {
	return enum.Of[waitlistv1.Source](strings.ToLower(cell)) != waitlistv1.Source_SOURCE_UNSPECIFIED
}

// isDayFirst tells whether 3/4/2026 is 3 April: unless it was said, where more of the dates make sense
// that way, such as 25/4/2026.
func (m mapping) isDayFirst(cells []string) bool {
	if m.datesGiven {
		return m.dayFirst
	}
	sense := 0
	for _, cell := range cells {
		switch day, month := times.IsTime(cell, true), times.IsTime(cell, false); {
		case day && !month:
			sense++
		case month && !day:
			sense--
		}
	}
	return sense > 0
}
